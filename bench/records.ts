/**
 * The records of the benchmark. JavaScript and SQL derive the same record from a number, so the load process needs no lookups.
 * Addresses have 24 characters and are in random order; ids are UUIDv7 over two years.
 */
export interface Records {
  accountId: number;
  /** They have the numbers from 0 up to this one, which is excluded. */
  rows: number;
}

/** The first number of the addresses that are never added. */
export const FIRST_ABSENT = 1 << 27;
/** The first number of the addresses that requests add. */
export const FIRST_NEW = FIRST_ABSENT + (1 << 26);
/** The first number of the addresses that files add; the last one is 2^28 - 1. */
export const FIRST_IN_FILES = FIRST_NEW + (1 << 25);

const NAMES = 'adah alma anna cleo dora emma etta gina hugo ivan june karl'.split(' ');
const DOMAINS = ['example.com', 'example.net', 'example.org'];
/** It is odd, so its products with the numbers below 2^28, modulo 2^28, are a permutation of these numbers. */
const MULTIPLIER = 0x9e3779b1;
const MASK = 0xfffffff;

const START_MS = Date.UTC(2024, 0, 1);
const SPAN_MS = 2 * 365 * 86_400_000;

export function emailOf(number: number): string {
  return `${NAMES[number % NAMES.length]}.${hashOf(number)}@${DOMAINS[number % DOMAINS.length]}`;
}

export function idOf(number: number, rows: number): string {
  const time = createdMsOf(number, rows).toString(16).padStart(12, '0');
  const hash = hashOf(number);
  const tail = number.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${tail}`;
}

/** When a record was created, in milliseconds since 1970. */
export function createdMsOf(number: number, rows: number): number {
  return START_MS + number * stepMs(rows);
}

function hashOf(number: number): string {
  return (Math.imul(number, MULTIPLIER) & MASK).toString(16).padStart(7, '0');
}

function stepMs(rows: number): number {
  return Math.floor(SPAN_MS / rows);
}

/** Of ten records, one was added by hand, two are unsubscribes, one is a complaint, and six are bounces. */
export function insertRecordsSql({ accountId, rows }: Records): string {
  return `
    WITH numbers AS (
      SELECT number,
             lpad(to_hex((number * ${MULTIPLIER}) & ${MASK}), 7, '0') AS hash,
             ${START_MS} + number * ${stepMs(rows)}                   AS ms
      FROM generate_series(0::bigint, ${rows - 1}) AS numbers (number)
    )
    INSERT INTO suppressions (account_id, id, email, cause, email_id, created_at)
    SELECT ${accountId},
           (lpad(to_hex(ms), 12, '0') || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 3)
             || lpad(to_hex(number), 12, '0'))::uuid,
           (ARRAY['${NAMES.join("','")}'])[number % ${NAMES.length} + 1] || '.' || hash || '@'
             || (ARRAY['${DOMAINS.join("','")}'])[number % ${DOMAINS.length} + 1],
           (CASE WHEN number % 10 = 0 THEN 'manual'
                 WHEN number % 10 < 3 THEN 'unsubscribe'
                 WHEN number % 10 = 3 THEN 'complaint'
                 ELSE 'bounce' END)::suppression_cause,
           CASE WHEN number % 10 >= 3 THEN gen_random_uuid() END,
           to_timestamp(0) + ms * interval '1 millisecond'
             + ('x' || substr(hash, 1, 3))::bit(12)::integer * 1000 / 4096 * interval '1 microsecond'
    FROM numbers
    ORDER BY number`;
}

/** The position of a change is the number of its record plus one. */
export function insertFeedSql({ accountId }: Records): string {
  return `
    WITH head AS (
      INSERT INTO feed_heads (account_id, last_position)
      SELECT ${accountId}, count(*) FROM suppression_changes WHERE account_id = ${accountId}
    )
    INSERT INTO feed_pages (account_id, first_position, change_ids)
    SELECT ${accountId}, min(position), array_agg(id ORDER BY position)
    FROM (
      SELECT id, row_number() OVER (ORDER BY id) AS position
      FROM suppression_changes
      WHERE account_id = ${accountId}
    ) AS line
    GROUP BY (position - 1) / 100`;
}

/** One line for each record, with the same id. */
export function insertLedgerSql({ accountId }: Records): string {
  return `
    INSERT INTO suppression_changes
      (account_id, id, action, suppression_id, email, cause, email_id, actor_type, actor_id, actor_name, created_at)
    SELECT account_id, id, 'added', id, email, cause, email_id, 'api_key', gen_random_uuid(), 'bench', created_at
    FROM suppressions
    WHERE account_id = ${accountId}
    ORDER BY id`;
}

export const TOPIC_KEY = 'bench';
const RULES = 1_000;

/** A topic that a tenth of the recipients opted out of, and rules that match nobody. */
export function insertTopicAndRulesSql({ accountId }: Records): string {
  return `
    INSERT INTO topics (account_id, key, name, default_subscription, visibility)
    VALUES (${accountId}, '${TOPIC_KEY}', 'Bench', 'opt_in', 'private');
    INSERT INTO topic_preferences (account_id, email, topic_id, subscription, contact_id, via)
    SELECT account_id, email, (SELECT id FROM topics WHERE account_id = ${accountId}), 'opt_out', id, 'api'
    FROM suppressions
    WHERE account_id = ${accountId} AND hashtext(email) % 10 = 0;
    INSERT INTO rules (account_id, pattern, effect)
    SELECT ${accountId}, CASE n % 2 WHEN 0 THEN 'rule-' || n || '.example' ELSE '*.rule-' || n || '.example' END, 'block'
    FROM generate_series(1, ${RULES}) AS n;
    ANALYZE topics, topic_preferences, rules`;
}

export function deleteTopicAndRulesSql({ accountId }: Records): string {
  return ['rules', 'topic_preferences', 'topics']
    .map((table) => `DELETE FROM ${table} WHERE account_id = ${accountId}`)
    .join(';');
}
