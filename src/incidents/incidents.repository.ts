import { Injectable } from '@nestjs/common';
import { DataSource, Repository, type EntityManager } from 'typeorm';
import { AccountRounds } from '../accounts/account-rounds.js';
import type { IncidentGuard } from '../accounts/account.entity.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { RowSet } from '../database/row-set.js';
import { lowestIdAt } from '../validation/parsers.js';
import { REOPENING_MS, type Thresholds } from './detect.js';
import { Incident } from './incident.entity.js';

/** How far the events of an account have been counted, while no other instance counts them. */
export interface Watch extends Thresholds {
  guard: IncidentGuard;
  lastEventId: string;
  /** The first day without shares, such as `2026-01-15`, in UTC. */
  day: string;
  /** By the clock of the database, which makes the ids of events. */
  now: Date;
}

const DAY_MS = 86_400_000;
/** Where an account begins that has not been watched. */
const FIRST_MS = 3_600_000;

/** A pass over them takes some tens of milliseconds. */
const ACCOUNTS_PER_PASS = 5_000;

const FIND_DUE = new PreparedStatement<{ accountId: number }>(
  'find-accounts-to-guard',
  `SELECT id AS "accountId"
  FROM (SELECT unnest($3::integer[]) AS id UNION SELECT id FROM accounts WHERE id > $4 AND id <= $5) AS visited
  JOIN accounts USING (id)
  LEFT JOIN incident_watches AS watch ON watch.account_id = id
  WHERE incident_guard <> 'off' AND (
    SELECT event.id
    FROM delivery_events AS event
    WHERE event.account_id = accounts.id AND event.id > greatest($1::uuid, watch.last_event_id)
    ORDER BY event.account_id, event.id
    LIMIT 1
  ) < $2
  UNION
  SELECT account_id FROM incidents WHERE closed_at IS NULL OR decision IS NOT NULL AND settled_at IS NULL`,
);

const CREATE_WATCH = new PreparedStatement<Record<string, never>>(
  'create-incident-watch',
  `INSERT INTO incident_watches (account_id, last_event_id, day)
  VALUES ($1, $2, ($3::timestamptz AT TIME ZONE 'UTC')::date)
  ON CONFLICT DO NOTHING`,
);

/** Waits for nobody: another instance that holds the lock does the work. */
const LOCK_WATCH = new PreparedStatement<Omit<Watch, 'now'>>(
  'lock-incident-watch',
  `SELECT
    incident_guard AS guard,
    incident_min_addresses AS "minAddresses",
    incident_min_share AS "minShare",
    last_event_id AS "lastEventId",
    day::text
  FROM incident_watches AS watch
  JOIN accounts ON id = account_id
  WHERE account_id = $1
  FOR UPDATE OF watch SKIP LOCKED`,
);

const ADVANCE = new PreparedStatement<Record<string, never>>(
  'advance-incident-watch',
  'UPDATE incident_watches SET last_event_id = $2, day = $3::date WHERE account_id = $1',
);

const ACTIVE = new RowSet(2, {
  id: 'uuid',
  activeAt: 'timestamptz',
  addresses: 'integer',
  recent: 'integer',
  isConvincing: 'boolean',
});

const NOTE = new PreparedStatement<Record<string, never>>(
  'note-incident-activity',
  `UPDATE incidents
  SET active_at = greatest(incidents.active_at, active.active_at),
    addresses = incidents.addresses + active.addresses,
    delivered_before = delivered_before + active.recent,
    is_convincing = incidents.is_convincing OR active.is_convincing
  FROM ${ACTIVE.as('active')}
  WHERE incidents.account_id = $1 AND incidents.id = active.id`,
);

const FAILED_AGAIN = new RowSet(2, { suppressionId: 'uuid', occurredAt: 'timestamptz' });

const FIND_FAILED_AGAIN = new PreparedStatement<{ suppressionId: string }>(
  'find-held-bounces-that-failed-again',
  `SELECT DISTINCT held.suppression_id AS "suppressionId"
  FROM ${FAILED_AGAIN.as('failed')}
  JOIN held_bounces AS held ON held.account_id = $1 AND held.suppression_id = failed.suppression_id
  JOIN incidents ON incidents.account_id = $1 AND incidents.id = held.incident_id
  WHERE incidents.closed_at < failed.occurred_at`,
);

/** Only the last three hours, and only while the counts are kept. */
const FIND_INTERVALS = new PreparedStatement<Interval>(
  'find-incident-intervals',
  `SELECT at, sum(addresses)::integer AS addresses
  FROM incident_counts
  WHERE account_id = $1
    AND at > $4::timestamptz - interval '3 hours'
    AND at <= $4
    AND (text_hash = $2 OR receiving_group = $3)
    AND addresses > 0
  GROUP BY at
  ORDER BY at`,
);

/** Addresses that bounced in five minutes. */
export interface Interval {
  /** The start of the five minutes. */
  at: Date;
  addresses: number;
}

export interface Activity {
  id: string;
  activeAt: Date | null;
  addresses: number;
  recent: number;
  isConvincing: boolean;
}

@Injectable()
export class IncidentsRepository extends Repository<Incident> {
  private readonly rounds: AccountRounds;

  constructor(private readonly dataSource: DataSource) {
    super(Incident, dataSource.manager);
    this.rounds = new AccountRounds(dataSource, ACCOUNTS_PER_PASS);
  }

  /**
   * The accounts with events that nobody has counted, or with incidents that need work.
   *
   * @param accountIds - visited in each pass; of the others, some are visited
   */
  async findDue(accountIds: number[], lagMs: number): Promise<number[]> {
    const { after, last } = await this.rounds.next();
    const now = await this.now(this.dataSource.manager);
    const bounds = [lowestIdAt(now - DAY_MS), lowestIdAt(now - lagMs)];
    const due = await FIND_DUE.run(this.dataSource, [...bounds, accountIds, after, last]);
    return due.map(({ accountId }) => accountId);
  }

  /** @returns null if another instance watches the account */
  async lock(accountId: number, transaction: EntityManager): Promise<Watch | null> {
    const now = await this.now(transaction);
    await CREATE_WATCH.run(transaction, [accountId, lowestIdAt(now - FIRST_MS), new Date(now).toISOString()]);
    const [watch] = await LOCK_WATCH.run(transaction, [accountId]);
    const oldest = lowestIdAt(now - DAY_MS);
    return watch
      ? {
          ...watch,
          lastEventId: watch.lastEventId > oldest ? watch.lastEventId : oldest,
          now: new Date(now),
        }
      : null;
  }

  async advance(
    accountId: number,
    { lastEventId, day }: Pick<Watch, 'lastEventId' | 'day'>,
    transaction: EntityManager,
  ): Promise<void> {
    await ADVANCE.run(transaction, [accountId, lastEventId, day]);
  }

  /** Those that run, or that ended so recently that their key opens again sooner. */
  findRecent(accountId: number, now: Date, transaction: EntityManager): Promise<Incident[]> {
    return transaction
      .createQueryBuilder(Incident, 'incident')
      .where('account_id = :accountId AND (closed_at IS NULL OR closed_at > :since)', {
        accountId,
        since: new Date(now.getTime() - REOPENING_MS),
      })
      .orderBy('id', 'ASC')
      .getMany();
  }

  /** An incident whose decision has not been applied to all held bounces. */
  findUnsettled(accountId: number, transaction: EntityManager): Promise<Incident | null> {
    return transaction
      .createQueryBuilder(Incident, 'incident')
      .where('account_id = :accountId AND decision IS NOT NULL AND settled_at IS NULL', { accountId })
      .orderBy('id', 'ASC')
      .getOne();
  }

  findUndecided(accountId: number): Promise<Incident[]> {
    return this.createQueryBuilder('incident')
      .where(
        `account_id = :accountId AND decision IS NULL
        AND (closed_at IS NULL OR closed_at > now() - interval '24 hours')`,
        { accountId },
      )
      .orderBy('id', 'DESC')
      .limit(10)
      .getMany();
  }

  findIntervals({ accountId, textHash, group, activeAt }: Incident): Promise<Interval[]> {
    return FIND_INTERVALS.run(this.dataSource, [accountId, textHash, group, activeAt]);
  }

  async note(accountId: number, activities: Activity[], transaction: EntityManager): Promise<void> {
    if (activities.length > 0) {
      await NOTE.run(transaction, [accountId, ...ACTIVE.values(activities)]);
    }
  }

  /** Of suppressions that failed again, those whose hold belongs to an incident that had closed before. */
  async findFailedAgain(
    accountId: number,
    failed: { suppressionId: string; occurredAt: Date }[],
    transaction: EntityManager,
  ): Promise<string[]> {
    if (failed.length === 0) {
      return [];
    }
    const rows = await FIND_FAILED_AGAIN.run(transaction, [accountId, ...FAILED_AGAIN.values(failed)]);
    return rows.map(({ suppressionId }) => suppressionId);
  }

  private async now(manager: EntityManager): Promise<number> {
    const [{ now }] = (await manager.query('SELECT clock_timestamp() AS now')) as [{ now: Date }];
    return now.getTime();
  }
}
