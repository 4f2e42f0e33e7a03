import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TopicsModule } from '../topics/topics.module.js';
import { ReservationsRepository } from './reservations.repository.js';
import { PastLookup } from './past-lookup.js';
import { Suppression } from './suppression.entity.js';
import { SuppressionChange } from '../ledger/suppression-change.entity.js';
import { SuppressionChangesRepository } from '../ledger/suppression-changes.repository.js';
import { ExpiryRepository } from './expiry.repository.js';
import { ExpirySweep } from './expiry-sweep.js';
import { CheckLookup } from './check-lookup.js';
import { CheckService } from './check.service.js';
import { SuppressionLookup } from './suppression-lookup.js';
import { SuppressionPages } from './suppression-pages.js';
import { SuppressionsController } from './suppressions.controller.js';
import { SuppressionsRepository } from './suppressions.repository.js';
import { SuppressionsService } from './suppressions.service.js';
import { VerdictsService } from './verdicts.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Suppression, SuppressionChange]), TopicsModule],
  controllers: [SuppressionsController],
  providers: [
    SuppressionsService,
    SuppressionLookup,
    CheckService,
    CheckLookup,
    VerdictsService,
    PastLookup,
    SuppressionPages,
    SuppressionsRepository,
    SuppressionChangesRepository,
    ReservationsRepository,
    ExpiryRepository,
    ExpirySweep,
  ],
  exports: [
    SuppressionChangesRepository,
    CheckService,
    ExpiryRepository,
    ReservationsRepository,
    SuppressionsRepository,
    SuppressionsService,
    VerdictsService,
  ],
})
export class SuppressionsModule {}
