import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { CountingService } from './counting.service.js';
import { IncidentCountsRepository } from './counts.repository.js';
import { DetectionService } from './detection.service.js';
import { IncidentEventsRepository } from './events.repository.js';
import { HoldingService } from './holding.service.js';
import { IncidentMetrics } from './incident-metrics.js';
import { IncidentSweep } from './incident-sweep.js';
import { IncidentsController } from './incidents.controller.js';
import { IncidentsRepository } from './incidents.repository.js';
import { IncidentsService } from './incidents.service.js';

@Module({
  imports: [AccountsModule, SuppressionsModule],
  controllers: [IncidentsController],
  providers: [
    CountingService,
    DetectionService,
    HoldingService,
    IncidentCountsRepository,
    IncidentEventsRepository,
    IncidentMetrics,
    IncidentSweep,
    IncidentsRepository,
    IncidentsService,
  ],
  exports: [IncidentsService, IncidentsRepository],
})
export class IncidentsModule {}
