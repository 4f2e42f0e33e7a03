import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { Metrics, OncePerScrape } from '../metrics/metrics.js';

const COUNT = new PreparedStatement<{ incidents: number }>(
  'count-open-incidents',
  'SELECT count(*)::integer AS incidents FROM incidents WHERE closed_at IS NULL',
);

/** Counts the incidents of all accounts, so every instance reports the same value. */
@Injectable()
export class IncidentMetrics {
  constructor({ registry }: Metrics, dataSource: DataSource) {
    const open = new OncePerScrape(0, async () => {
      const counts = await COUNT.run(dataSource, []);
      return counts.reduce((sum, { incidents }) => sum + incidents, 0);
    });
    const gauge: Gauge = new Gauge({
      name: 'suppression_list_incidents_open',
      help: 'Waves of bounces that look like the fault of a receiving provider, and are under way',
      aggregator: 'max',
      registers: [registry],
      collect: async () => gauge.set(await open.get()),
    });
  }
}
