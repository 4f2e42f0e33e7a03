import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { Metrics, OncePerScrape } from '../../metrics/metrics.js';

const MEASURE = new PreparedStatement<{ seconds: number }>(
  'measure-pending-erasures',
  `SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS seconds
  FROM erasures
  WHERE completed_at IS NULL`,
);

/** Measures the erasures of all accounts, so every instance reports the same value. */
@Injectable()
export class ErasureMetrics {
  constructor({ registry }: Metrics, dataSource: DataSource) {
    const oldest = new OncePerScrape(0, async () => {
      const rows = await MEASURE.run(dataSource, []);
      return Math.max(0, ...rows.map(({ seconds }) => seconds));
    });
    const gauge: Gauge = new Gauge({
      name: 'suppression_list_erasure_oldest_seconds',
      help: 'Since the oldest erasure that is not complete was requested; 0 if all are complete',
      aggregator: 'max',
      registers: [registry],
      collect: async () => gauge.set(await oldest.get()),
    });
  }
}
