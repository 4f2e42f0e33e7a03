import type { Client } from 'pg';
import type { SimulatedEvent } from './day-formats.js';
import type { Line, Strength } from './day-model.js';

/** An event as the inbox has it. */
export interface InboxRow {
  transaction: string;
  source: string;
  key: string;
  recipient: string | null;
  kind: string;
  effect: string;
  outcome: string;
  reason: string;
  mail: string | null;
  occurredAt: Date;
  receivedAt: Date;
}

export interface ListRow {
  id: string;
  email: string;
  cause: Strength;
  mail: string | null;
}

interface LedgerRow extends Omit<Line, 'ordinal'> {
  id: string;
  email: string;
}

/** What the service stored during the day. */
export interface DayRecord {
  inbox: InboxRow[];
  list: Map<string, ListRow>;
  /** By address, oldest first. */
  ledger: Map<string, Line[]>;
  /** The ids of the records that an address had, in their order. */
  ids: Map<string, string[]>;
}

/** Rows that one transaction wrote have the same `xmin`. */
const INBOX = `SELECT delivery_events.xmin::text AS transaction, name AS source, key, recipient, kind, effect, outcome, reason,
    email_id AS mail, occurred_at AS "occurredAt", received_at AS "receivedAt"
  FROM delivery_events JOIN sources ON sources.id = source_id
  ORDER BY delivery_events.id`;
const LIST = 'SELECT id, email, cause, email_id AS mail FROM suppressions ORDER BY email';
const LEDGER = `SELECT suppression_id AS id, email, action, cause, email_id AS mail, actor_name AS source
  FROM suppression_changes
  ORDER BY suppression_changes.id`;

export async function readDay(client: Client): Promise<DayRecord> {
  const inbox = (await client.query<InboxRow>(INBOX)).rows;
  const list = (await client.query<ListRow>(LIST)).rows;
  const changes = (await client.query<LedgerRow>(LEDGER)).rows;
  const ledger = new Map<string, Line[]>();
  const ids = new Map<string, string[]>();
  for (const { id, email, ...change } of changes) {
    const previous = ids.get(email) ?? [];
    ids.set(email, previous.includes(id) ? previous : [...previous, id]);
    const ordinal = ids.get(email)!.indexOf(id) + 1;
    ledger.set(email, [...(ledger.get(email) ?? []), { ...change, ordinal }]);
  }
  return { inbox, list: new Map(list.map((row) => [row.email, row])), ledger, ids };
}

/** Unique among the events of a day. */
export function timestampKeyOf({ source, occurredAt }: SimulatedEvent | InboxRow): string {
  return `${source} ${occurredAt.toISOString()}`;
}
