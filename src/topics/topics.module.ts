import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PreferencesRepository } from './preferences.repository.js';
import { PreferencesService } from './preferences.service.js';
import { Topic, TopicPreference } from './topic.entity.js';
import { TopicsController } from './topics.controller.js';
import { TopicsService } from './topics.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Topic, TopicPreference])],
  controllers: [TopicsController],
  providers: [TopicsService, PreferencesService, PreferencesRepository],
  exports: [TopicsService, PreferencesService, PreferencesRepository],
})
export class TopicsModule {}
