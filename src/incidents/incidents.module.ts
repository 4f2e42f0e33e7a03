import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { CountingService } from './counting.service.js';
import { HoldingService } from './holding.service.js';
import { IncidentMetrics } from './incident-metrics.js';
import { IncidentSweep } from './incident-sweep.js';
import { IncidentsController } from './incidents.controller.js';
import { IncidentsService } from './incidents.service.js';
import { IncidentWatches } from './watches.js';

@Module({
  imports: [AccountsModule, SuppressionsModule],
  controllers: [IncidentsController],
  providers: [
    CountingService,
    HoldingService,
    IncidentMetrics,
    IncidentSweep,
    IncidentsService,
    IncidentWatches,
  ],
  exports: [IncidentsService],
})
export class IncidentsModule {}
