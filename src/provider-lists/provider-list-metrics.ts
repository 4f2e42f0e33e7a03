import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { Metrics, OncePerScrape } from '../metrics/metrics.js';
import { LINE_KINDS, type LineKind } from './plans/line-kinds.js';
import { IS_ACTIVE } from './provider-list.entity.js';
import { COUNTED_PUSHES, PushesRepository, type PushBacklog } from './push/pushes.repository.js';

interface Measured extends PushBacklog {
  accountId: number;
  id: string;
  provider: string;
  lastSuccess: number;
  interval: number;
  counts: Partial<Record<LineKind, number>> | null;
  pushPosition: string | null;
}

/**
 * The age of a list that never succeeded is counted from its creation. Lines are those of the last compared plan. Lists of
 * suspended accounts are left out, because the service does not compare them.
 */
const MEASURE = new PreparedStatement<Omit<Measured, 'unexamined'>>(
  'measure-provider-lists',
  `SELECT
    account_id AS "accountId",
    id,
    provider,
    push_position AS "pushPosition",
    extract(epoch FROM coalesce(last_success_at, created_at))::float8 AS "lastSuccess",
    interval_hours * 3600 AS interval,
    plan.counts,
    push.*
  FROM provider_lists AS list
  LEFT JOIN LATERAL (
    SELECT counts
    FROM provider_list_plans
    WHERE account_id = list.account_id AND provider_list_id = list.id AND ready_at IS NOT NULL
    ORDER BY id DESC
    LIMIT 1
  ) AS plan ON true
  CROSS JOIN LATERAL (${COUNTED_PUSHES}) AS push
  WHERE deleted_at IS NULL AND ${IS_ACTIVE}`,
);

type Samples = [labels: Record<string, string>, value: number][];

@Injectable()
export class ProviderListMetrics {
  constructor({ registry }: Metrics, dataSource: DataSource, pushes: PushesRepository) {
    const lists = new OncePerScrape<Measured[]>([], async () =>
      pushes.withUnexamined(await MEASURE.run(dataSource, [])),
    );
    const measure = (
      name: string,
      help: string,
      samplesOf: (list: Measured) => Samples,
      labelNames: string[] = [],
    ): Gauge =>
      new Gauge({
        name: `suppression_list_provider_${name}`,
        help,
        labelNames: ['provider_list', 'provider', ...labelNames],
        aggregator: 'max',
        registers: [registry],
        async collect() {
          const measured = await lists.get();
          this.reset();
          for (const list of measured) {
            const labels = { provider_list: list.id, provider: list.provider };
            samplesOf(list).forEach(([more, value]) => this.set({ ...labels, ...more }, value));
          }
        },
      });
    measure(
      'last_success_timestamp_seconds',
      'When a provider list was last read and compared successfully, or created, in seconds since 1970',
      ({ lastSuccess }) => [[{}, lastSuccess]],
    );
    measure('interval_seconds', 'How often a provider list is to be compared', ({ interval }) => [
      [{}, interval],
    ]);
    measure(
      'lines',
      'The lines of the last plan of a provider list, by kind',
      ({ counts }) => (counts ? LINE_KINDS.map((kind) => [{ kind }, counts[kind] ?? 0]) : []),
      ['kind'],
    );
    measure(
      'pushes',
      'The changes that a provider has not made yet, by status: pending, failed (both at most 10,000), or unexamined',
      ({ pending, failed, unexamined }) => [
        [{ status: 'pending' }, pending],
        [{ status: 'failed' }, failed],
        [{ status: 'unexamined' }, unexamined],
      ],
      ['status'],
    );
    measure(
      'oldest_push_timestamp_seconds',
      'When the oldest change that a provider has not made yet was decided, in seconds since 1970',
      ({ oldestAt }) => (oldestAt === null ? [] : [[{}, oldestAt.getTime() / 1_000]]),
    );
  }
}
