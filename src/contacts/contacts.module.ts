import { Module } from '@nestjs/common';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { ContactsController } from './contacts.controller.js';
import { ContactsRepository } from './contacts.repository.js';
import { ContactsService } from './contacts.service.js';
import { ContactDataController } from './data/contact-data.controller.js';
import { ContactDataService } from './data/contact-data.service.js';
import { PlaceReader } from './data/place-reader.js';

@Module({
  imports: [SuppressionsModule, TopicsModule],
  controllers: [ContactsController, ContactDataController],
  providers: [ContactsService, ContactsRepository, ContactDataService, PlaceReader],
  exports: [ContactDataService],
})
export class ContactsModule {}
