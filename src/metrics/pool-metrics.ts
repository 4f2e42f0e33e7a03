import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Gauge } from 'prom-client';
import type { DataSource } from 'typeorm';
import { LOOKUPS } from '../database/database.module.js';
import { poolOf } from '../database/prepared-statement.js';
import { Metrics } from './metrics.js';

/** How busy the two pools of connections to the database are. */
@Injectable()
export class PoolMetrics {
  constructor(
    { registry }: Metrics,
    @InjectDataSource() dataSource: DataSource,
    @InjectDataSource(LOOKUPS) lookups: DataSource,
  ) {
    const connections = new Gauge({
      name: 'suppression_list_database_connections',
      help: 'Connections to the database',
      labelNames: ['pool', 'state'],
      registers: [registry],
      collect() {
        for (const [pool, { totalCount, idleCount }] of pools()) {
          connections.set({ pool, state: 'idle' }, idleCount);
          connections.set({ pool, state: 'busy' }, totalCount - idleCount);
        }
      },
    });
    const waiting = new Gauge({
      name: 'suppression_list_database_waiting',
      help: 'Statements and transactions that wait for a connection',
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const [pool, { waitingCount }] of pools()) {
          waiting.set({ pool }, waitingCount);
        }
      },
    });
    const pools = () =>
      [
        ['main', poolOf(dataSource)],
        ['lookups', poolOf(lookups)],
      ] as const;
  }
}
