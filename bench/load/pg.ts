import { Client, type QueryConfig } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { createdAtOf } from '../../src/suppressions/suppression-id.js';
import { TOPIC_KEY, idOf, type Records } from '../records.js';
import { addedByHand, below, fresh, halfPresent } from './addresses.js';
import { drive, type Sender } from './drive.js';
import { nextEvents } from './events.js';
import {
  BATCH_SIZE,
  CHECK_SIZE,
  FEED_PAGE_SIZE,
  PAGE_SIZE,
  inTurns,
  recordsBeforeDeepPage,
  type EventSource,
  type Job,
  type Measurement,
} from './job.js';

const COLUMNS = 'id, email, cause, email_id, created_at';
const CHECK = `SELECT ${COLUMNS} FROM suppressions WHERE account_id = $1 AND email = ANY ($2)`;
/** A row for each address, with its record, its preference, and a rule that matches it. */
const CHECK_TOPIC = `
  SELECT asked.email, record.id, record.cause, record.weaker_causes, record.email_id, record.created_at, preference.subscription,
         rule.id AS rule_id, rule.effect
  FROM unnest($2::text[] COLLATE "C") AS asked (email)
  LEFT JOIN suppressions AS record ON record.account_id = $1 AND record.email = asked.email
  LEFT JOIN topic_preferences AS preference
    ON preference.account_id = $1
    AND preference.email = asked.email
    AND preference.topic_id = (SELECT id FROM topics WHERE account_id = $1 AND key = $3 AND archived_at IS NULL)
  LEFT JOIN (
    SELECT id, pattern, effect
    FROM rules
    WHERE account_id = $1
      AND (topic_id IS NULL OR topic_id = (SELECT id FROM topics WHERE account_id = $1 AND key = $3 AND archived_at IS NULL))
  ) AS rule
    ON rule.pattern IN (
      asked.email, split_part(asked.email, '@', 2), '*.' || split_part(split_part(asked.email, '@', 2), '.', 2),
      split_part(asked.email, '@', 1) || '@*'
    )`;
/** If the limit were a parameter, PostgreSQL would plan each page again. */
const FIRST_PAGE = `SELECT ${COLUMNS} FROM suppressions WHERE account_id = $1 ORDER BY created_at DESC LIMIT ${PAGE_SIZE + 1}`;
const NEXT_PAGE = `
  SELECT ${COLUMNS} FROM suppressions WHERE account_id = $1 AND created_at < $2 ORDER BY created_at DESC
  LIMIT ${PAGE_SIZE + 1}`;
const FEED_PAGE = `
  SELECT position, change.id, action, email, revision, suppression_id, cause, email_id, topic_id, actor_type, actor_id,
    actor_name, note, created_at
  FROM feed_pages
  CROSS JOIN LATERAL unnest(change_ids) WITH ORDINALITY AS line (change_id, number)
  CROSS JOIN LATERAL (SELECT first_position + number - 1 AS position) AS place
  JOIN suppression_changes AS change ON change.account_id = $1 AND change.id = change_id
  WHERE feed_pages.account_id = $1
    AND first_position > $2::bigint - 100 AND first_position <= $2::bigint + ${FEED_PAGE_SIZE}
    AND position > $2::bigint AND position <= $2::bigint + ${FEED_PAGE_SIZE}
  ORDER BY position`;
/** Writes record and ledger in one statement; listed addresses are only found. */
const ADD = `
  WITH added AS (
    INSERT INTO suppressions (account_id, id, email, cause, created_at)
    SELECT $1, id, email, 'manual', $4
    FROM unnest($2::uuid[], $3::text[]) AS asked (id, email)
    ON CONFLICT (account_id, email) DO NOTHING
    RETURNING id, email
  ),
  logged AS (
    INSERT INTO suppression_changes
      (account_id, action, suppression_id, email, cause, actor_type, actor_id, actor_name)
    SELECT $1, 'added', id, email, 'manual', 'api_key', $5, 'bench'
    FROM added
  )
  SELECT id, email FROM added
  UNION ALL
  SELECT id, email FROM suppressions WHERE account_id = $1 AND email = ANY ($3)`;

/** Stores events, and for those that suppress, record and ledger. */
const DELIVER = `
  WITH stored AS (
    INSERT INTO delivery_events
      (account_id, source_id, received_at, key, kind, effect, outcome, recipient, reason, occurred_at)
    SELECT $1, $2, $3, key, kind::delivery_event_kind, effect::delivery_event_effect, 'nothing', email, 'bench', $3
    FROM unnest($4::text[], $5::text[], $6::text[], $7::text[]) AS reported (key, kind, effect, email)
    ON CONFLICT (account_id, source_id, key) DO NOTHING
    RETURNING id, kind, effect, recipient
  ),
  added AS (
    INSERT INTO suppressions (account_id, id, email, cause, created_at)
    SELECT $1, id, recipient, kind::text::suppression_cause, $3
    FROM stored
    WHERE effect = 'suppress'
    ON CONFLICT (account_id, email) DO NOTHING
    RETURNING id, email, cause
  ),
  logged AS (
    INSERT INTO suppression_changes
      (account_id, action, suppression_id, email, cause, actor_type, actor_id, actor_name)
    SELECT $1, 'added', id, email, cause, 'source', $2, 'bench'
    FROM added
  )
  SELECT id FROM stored`;
const MEANINGS = {
  delivered: ['delivered', 'success'],
  deferred: ['bounce', 'watch'],
  bounced: ['bounce', 'suppress'],
  complained: ['complaint', 'suppress'],
} as const;

const ACTOR_ID = uuidv7();

/** Connections stay open between measurements, as in the pool of the service. */
const openClients: Client[] = [];

/** Measures `pg` alone: one named statement per request, on as many connections as the service gets. */
export async function drivePg(job: Job): Promise<Measurement> {
  const { databaseUrl } = job.target as { databaseUrl: string };
  while (openClients.length < job.connections) {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    openClients.push(client);
  }
  const { next, rowCount } = statementsOf(job);
  const senders = openClients.slice(0, job.connections).map((client): Sender => (done) => {
    client.query(next(), (error, result) => {
      const isRight = result?.rows.length === rowCount;
      done(isRight ? null : (error ?? new Error(`${job.workload} by pg alone: ${result.rows.length} rows`)));
    });
  });
  return drive(senders, job.seconds);
}

function statementsOf({ workload, records, sources }: Job): { next: () => QueryConfig; rowCount: number } {
  const { accountId, rows } = records;
  const statement = (text: string, ...values: unknown[]) => ({ name: workload, text, values });
  const checked = () => halfPresent(rows, CHECK_SIZE);
  switch (workload) {
    case 'check':
      return { next: inTurns(() => statement(CHECK, accountId, checked())), rowCount: CHECK_SIZE / 2 };
    case 'check-topic': {
      const next = inTurns(() => statement(CHECK_TOPIC, accountId, checked(), TOPIC_KEY));
      return { next, rowCount: CHECK_SIZE };
    }
    case 'first-page':
      return { next: () => statement(FIRST_PAGE, accountId), rowCount: PAGE_SIZE + 1 };
    case 'deep-page': {
      const after = createdAtOf(idOf(rows - recordsBeforeDeepPage(rows), rows));
      return { next: () => statement(NEXT_PAGE, accountId, after), rowCount: PAGE_SIZE + 1 };
    }
    case 'feed-page': {
      const next = inTurns(() => statement(FEED_PAGE, accountId, 1 + below(rows - FEED_PAGE_SIZE)));
      return { next, rowCount: FEED_PAGE_SIZE };
    }
    case 'add-present':
      return { next: inTurns(() => adding(records, addedByHand(rows, BATCH_SIZE))), rowCount: BATCH_SIZE };
    case 'add-new':
      return { next: () => adding(records, fresh(BATCH_SIZE)), rowCount: BATCH_SIZE };
    case 'deliver-batches':
      return { next: () => delivering(records, sources.plain, BATCH_SIZE), rowCount: BATCH_SIZE };
    case 'deliver-singles':
      return { next: () => delivering(records, sources.plain, 1), rowCount: 1 };
    default:
      throw new Error(`pg alone does not do ${workload}`);
  }
}

function adding({ accountId }: Records, emails: string[]): QueryConfig {
  const ids = emails.map(() => uuidv7());
  return { name: 'add', text: ADD, values: [accountId, ids, emails, new Date(), ACTOR_ID] };
}

function delivering({ accountId, rows }: Records, { id }: EventSource, count: number): QueryConfig {
  const events = nextEvents(rows, count);
  const meanings = events.map(({ kind }) => MEANINGS[kind]);
  const columns = [
    events.map((event) => event.id),
    meanings.map(([kind]) => kind),
    meanings.map(([, effect]) => effect),
    events.map(({ email }) => email),
  ];
  return { name: 'deliver', text: DELIVER, values: [accountId, id, new Date(), ...columns] };
}
