import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { Metrics } from '../metrics/metrics.js';
import { OncePerScrape } from '../metrics/once-per-scrape.js';

interface Measured {
  id: string;
  provider: string;
  lastSuccess: number;
  interval: number;
}

/** A list that never succeeded counts from its creation. */
const MEASURE = new PreparedStatement<Measured>(
  'measure-provider-lists',
  `SELECT
    id,
    provider,
    extract(epoch FROM coalesce(last_success_at, created_at))::float8 AS "lastSuccess",
    interval_hours * 3600 AS interval
  FROM provider_lists
  WHERE deleted_at IS NULL`,
);

@Injectable()
export class ProviderListMetrics {
  constructor({ registry }: Metrics, @InjectDataSource() dataSource: DataSource) {
    const lists = new OncePerScrape<Measured[]>([], () => MEASURE.run(dataSource, []));
    const measure = (name: string, help: string, valueOf: (list: Measured) => number): Gauge =>
      new Gauge({
        name,
        help,
        labelNames: ['provider_list', 'provider'],
        aggregator: 'max',
        registers: [registry],
        async collect() {
          const measured = await lists.get();
          this.reset();
          measured.forEach((list) =>
            this.set({ provider_list: list.id, provider: list.provider }, valueOf(list)),
          );
        },
      });
    measure(
      'suppression_list_provider_last_success_timestamp_seconds',
      'When a provider list was last read and compared successfully, or created, in seconds since 1970',
      ({ lastSuccess }) => lastSuccess,
    );
    measure(
      'suppression_list_provider_interval_seconds',
      'How often a provider list is to be compared',
      ({ interval }) => interval,
    );
  }
}
