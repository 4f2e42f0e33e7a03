import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { Metrics, OncePerScrape } from '../metrics/metrics.js';
import { IS_NEXT_OF_ACCOUNT, IS_WAITING } from './job-leases.repository.js';

interface PendingJobs {
  waiting: number;
  running: number;
  retrying: number;
  waitingSeconds: number;
}

/** The waiting time does not include jobs that wait for another job of their account. */
const MEASURE = new PreparedStatement<PendingJobs>(
  'measure-jobs',
  `SELECT
    count(*) FILTER (WHERE ${IS_WAITING})::integer AS waiting,
    count(*) FILTER (WHERE leased_until >= now() AND lease_id IS NOT NULL)::integer AS running,
    count(*) FILTER (WHERE leased_until >= now() AND lease_id IS NULL)::integer AS retrying,
    coalesce(
      extract(epoch FROM now() - min(coalesce(leased_until, created_at)) FILTER (WHERE ${IS_WAITING} AND ${IS_NEXT_OF_ACCOUNT})),
      0
    )::float8 AS "waitingSeconds"
  FROM jobs
  WHERE status IN ('queued', 'running')`,
);

const NONE: PendingJobs = { waiting: 0, running: 0, retrying: 0, waitingSeconds: 0 };

/** Of the accounts on several servers. */
const addUp = (some: PendingJobs, others: PendingJobs): PendingJobs => ({
  waiting: some.waiting + others.waiting,
  running: some.running + others.running,
  retrying: some.retrying + others.retrying,
  waitingSeconds: Math.max(some.waitingSeconds, others.waitingSeconds),
});

/** Counts the jobs of all accounts, so every instance reports the same values. */
@Injectable()
export class JobMetrics {
  constructor({ registry }: Metrics, dataSource: DataSource) {
    const pending = new OncePerScrape(NONE, async () =>
      (await MEASURE.run(dataSource, [])).reduce(addUp, NONE),
    );
    const jobs = new Gauge({
      name: 'suppression_list_jobs',
      help: 'Jobs that have not ended: waiting for an instance or for another job, running, or waiting after a failure',
      labelNames: ['state'],
      aggregator: 'max',
      registers: [registry],
      collect: async () => {
        const { waitingSeconds: _, ...numbers } = await pending.get();
        Object.entries(numbers).forEach(([state, number]) => jobs.set({ state }, number));
      },
    });
    const seconds: Gauge = new Gauge({
      name: 'suppression_list_jobs_waiting_seconds',
      help: 'Since the job that waits longest for an instance was queued or last worked on',
      aggregator: 'max',
      registers: [registry],
      collect: async () => seconds.set((await pending.get()).waitingSeconds),
    });
  }
}
