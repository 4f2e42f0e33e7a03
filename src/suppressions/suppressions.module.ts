import { Module } from '@nestjs/common';
import { TopicsModule } from '../topics/topics.module.js';
import { AdditionsRepository } from './additions/additions.repository.js';
import { AdditionsService } from './additions/additions.service.js';
import { RemovalsRepository } from './removals.repository.js';
import { RemovalsService } from './removals.service.js';
import { RepeatedUnsubscribesRepository } from './additions/repeated-unsubscribes.repository.js';
import { ReservationsRepository } from './additions/reservations.repository.js';
import { PastLookup } from './checks/past-lookup.js';
import { SuppressionChangesRepository } from '../ledger/suppression-changes.repository.js';
import { ExpirySweep } from './expiry-sweep.js';
import { HoldsRepository } from './holds.repository.js';
import { CheckLookup } from './checks/check-lookup.js';
import { CheckService } from './checks/check.service.js';
import { CausesRepository, PrefixSearch, SuppressionLookup } from './suppression-lookup.js';
import { SuppressionPages } from './suppression-pages.js';
import { SuppressionsService } from './suppressions.service.js';

const SHARED = [
  SuppressionChangesRepository,
  AdditionsRepository,
  AdditionsService,
  CausesRepository,
  CheckService,
  ExpirySweep,
  HoldsRepository,
  PrefixSearch,
  RemovalsService,
  ReservationsRepository,
  RemovalsRepository,
  SuppressionsService,
];

@Module({
  imports: [TopicsModule],
  providers: [
    ...SHARED,
    SuppressionLookup,
    CheckLookup,
    PastLookup,
    RepeatedUnsubscribesRepository,
    SuppressionPages,
  ],
  exports: SHARED,
})
export class SuppressionsModule {}
