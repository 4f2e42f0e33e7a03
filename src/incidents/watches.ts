import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountRounds } from '../accounts/account-rounds.js';
import type { IncidentGuard } from '../accounts/account.entity.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { LONGEST_WRITE_MS, transactionBefore } from '../database/transaction.js';
import { lowestIdAt } from '../validation/parsers.js';
import type { Thresholds } from './detect.js';
import { IncidentWatch } from './incident.entity.js';

/** How far the events of an account have been counted, in a transaction during which no other instance counts them. */
export interface Watch extends Thresholds {
  accountId: number;
  transaction: EntityManager;
  guard: IncidentGuard;
  lastEventId: string;
  /** The first day without shares, such as `2026-01-15`, in UTC. */
  day: string;
  /** The time of the database, whose clock generates the ids of events. */
  now: Date;
}

const DAY_MS = 86_400_000;
/** How far back counting begins for an account that has not been watched before. */
const FIRST_MS = 3_600_000;

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

/** Does not wait: another instance that holds the lock does the work. */
const LOCK_WATCH = new PreparedStatement<Omit<Watch, 'now' | 'transaction'>>(
  'lock-incident-watch',
  `SELECT
    account_id AS "accountId",
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

@Injectable()
export class IncidentWatches {
  private readonly rounds: AccountRounds;

  constructor(private readonly dataSource: DataSource) {
    this.rounds = new AccountRounds(dataSource);
  }

  /**
   * The accounts with uncounted events, or with incidents that need work.
   *
   * @param accountIds - the accounts to visit in each pass, in addition to some others
   */
  async findDue(accountIds: number[]): Promise<{ accountId: number }[]> {
    const { after, last } = await this.rounds.next();
    const now = await clock(this.dataSource.manager);
    const bounds = [lowestIdAt(now - DAY_MS), lowestIdAt(now - LONGEST_WRITE_MS)];
    return FIND_DUE.run(this.dataSource, [...bounds, accountIds, after, last]);
  }

  /** @returns what the work returns, or the given result if another instance watches the account */
  watching<Result>(
    accountId: number,
    otherwise: Result,
    work: (watch: Watch) => Promise<Result>,
  ): Promise<Result> {
    return transactionBefore(this.dataSource, { accountId, deadline: Infinity }, async (transaction) => {
      const now = await clock(transaction);
      const first = lowestIdAt(now - FIRST_MS);
      await CREATE_WATCH.run(transaction, [accountId, first, new Date(now).toISOString()]);
      const [watch] = await LOCK_WATCH.run(transaction, [accountId]);
      if (!watch) {
        return otherwise;
      }
      const oldest = lowestIdAt(now - DAY_MS);
      const lastEventId = watch.lastEventId > oldest ? watch.lastEventId : oldest;
      return work({ ...watch, lastEventId, now: new Date(now), transaction });
    });
  }
}

export async function advance(
  { accountId, transaction }: Watch,
  { lastEventId, day }: Pick<Watch, 'lastEventId' | 'day'>,
): Promise<void> {
  await transaction.update(IncidentWatch, { accountId }, { lastEventId, day });
}

async function clock(manager: EntityManager): Promise<number> {
  const [{ now }] = (await manager.query('SELECT clock_timestamp() AS now')) as [{ now: Date }];
  return now.getTime();
}
