import { Module, type DynamicModule } from '@nestjs/common';
import type { Env } from '../config/env.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { ContactsController } from './contacts.controller.js';
import { ContactsRepository } from './contacts.repository.js';
import { ContactsService } from './contacts.service.js';
import { ContactDataController } from './data/contact-data.controller.js';
import { ContactDataService } from './data/contact-data.service.js';
import { AddressPagesRepository } from './erasure/address-pages.repository.js';
import { Announcement, Pseudonyms } from './erasure/pseudonyms.js';
import { OtherWork } from './erasure/other-work.js';
import { ErasureMetrics } from './erasure/erasure-metrics.js';
import { ErasureSteps } from './erasure/erasure-steps.js';
import { ErasureSweep } from './erasure/erasure-sweep.js';
import {
  ErasuresController,
  PseudonymKeyController,
  RepeatsController,
} from './erasure/erasures.controller.js';
import { ErasuresRepository } from './erasure/erasures.repository.js';
import { BACKUP_RETENTION_DAYS, ErasuresService } from './erasure/erasures.service.js';
import { RepeatsService } from './erasure/repeats.service.js';
import { Strays } from './erasure/strays.js';
import { PlaceReader } from './data/place-reader.js';

@Module({})
export class ContactsModule {
  static forRoot({ BACKUP_RETENTION_DAYS: backupRetentionDays }: Env): DynamicModule {
    return {
      module: ContactsModule,
      imports: [SuppressionsModule, TopicsModule],
      controllers: [
        ContactsController,
        ContactDataController,
        ErasuresController,
        PseudonymKeyController,
        RepeatsController,
      ],
      providers: [
        { provide: BACKUP_RETENTION_DAYS, useValue: backupRetentionDays },
        ContactsService,
        ContactsRepository,
        ContactDataService,
        PlaceReader,
        ErasuresService,
        ErasuresRepository,
        ErasureMetrics,
        ErasureSteps,
        Announcement,
        OtherWork,
        Strays,
        ErasureSweep,
        RepeatsService,
        AddressPagesRepository,
        Pseudonyms,
      ],
      exports: [ContactDataService, ErasuresService, Pseudonyms],
    };
  }
}
