import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Suppression } from './suppression.entity.js';
import { SuppressionsController } from './suppressions.controller.js';
import { SuppressionsRepository } from './suppressions.repository.js';
import { SuppressionsService } from './suppressions.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Suppression])],
  controllers: [SuppressionsController],
  providers: [SuppressionsService, SuppressionsRepository],
})
export class SuppressionsModule {}
