import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { Metrics } from '../metrics/metrics.js';
import { OncePerScrape } from '../metrics/once-per-scrape.js';

interface LastSuccess {
  id: string;
  provider: string;
  seconds: number;
}

/** A list that never succeeded counts from its creation. */
const MEASURE = new PreparedStatement<LastSuccess>(
  'measure-provider-lists',
  `SELECT id, provider, extract(epoch FROM coalesce(last_success_at, created_at))::float8 AS seconds
  FROM provider_lists
  WHERE deleted_at IS NULL`,
);

@Injectable()
export class ProviderListMetrics {
  constructor({ registry }: Metrics, @InjectDataSource() dataSource: DataSource) {
    const successes = new OncePerScrape<LastSuccess[]>([], () => MEASURE.run(dataSource, []));
    const gauge: Gauge = new Gauge({
      name: 'suppression_list_provider_last_success_timestamp_seconds',
      help: 'When a provider list was last read and compared successfully, or created, in seconds since 1970',
      labelNames: ['provider_list', 'provider'],
      aggregator: 'max',
      registers: [registry],
      collect: async () => {
        const lists = await successes.get();
        gauge.reset();
        lists.forEach(({ id, provider, seconds }) => gauge.set({ provider_list: id, provider }, seconds));
      },
    });
  }
}
