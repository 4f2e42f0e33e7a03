import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, RootDatabase } from 'lmdb';
import type { Subscription } from '../topics/topic.entity.js';
import type { AddressFilter } from './address-filter.js';
import { DamagedCopyError } from './errors.js';
import type { OnProgress } from './progress.js';
import type { Change, ExportedPreference } from './service-client.js';
import { toStored, type Side, type StoredRecord } from './stored-copy.js';

export type Root = RootDatabase<unknown, string>;

/** The rows of one side of a store. */
export interface Copy {
  records: Database<StoredRecord, string>;
  preferences: Database<Subscription, string>;
}

/** The names of the databases of a side. */
export const databasesOf = (side: Side) => [`records-${side}`, `preferences-${side}`] as const;

export function openCopy(root: Root, side: Side): Copy {
  const [records, preferences] = databasesOf(side);
  return {
    records: root.openDB<StoredRecord, string>({ name: records }),
    preferences: root.openDB<Subscription, string>({ name: preferences }),
  };
}

export function clearCopy({ records, preferences }: Copy): void {
  records.clearSync();
  preferences.clearSync();
}

/** Each transaction waits for the disk. */
const ROWS_PER_TRANSACTION = 2_000;

/** Writes rows in transactions that are short enough not to block the event loop. */
export async function writeRows<Row>(
  root: Root,
  rows: Iterable<Row> | AsyncIterable<Row>,
  write: (row: Row) => void,
  onWritten: (rows: number) => void = () => undefined,
): Promise<void> {
  let batch: Row[] = [];
  const flush = async () => {
    root.transactionSync(() => batch.forEach(write));
    await nextTurn();
    onWritten(batch.length);
    batch = [];
  };
  for await (const row of rows) {
    if (batch.push(row) === ROWS_PER_TRANSACTION) {
      await flush();
    }
  }
  await flush();
}

/** Writes preferences to a copy, and their addresses to its filter. */
export function writePreferences(
  root: Root,
  preferences: AsyncIterable<ExportedPreference & { topicId: string }>,
  copy: Copy,
  filter: AddressFilter,
  onWritten: (rows: number) => void,
): Promise<void> {
  const write = ({ email, topicId, subscription }: ExportedPreference & { topicId: string }) => {
    filter.add(email);
    void copy.preferences.put(topicId + email, subscription);
  };
  return writeRows(root, preferences, write, onWritten);
}

/** Whether a change says that an address was erased. It does not say which one, so the list is downloaded again. */
export function isErasure({ type }: Change): boolean {
  return type === 'contact.erased';
}

/** Applies changes to a copy and its filter, in the transaction of the caller. */
export function applyChanges(changes: Change[], { records, preferences }: Copy, filter: AddressFilter): void {
  for (const change of changes.filter((one) => !isErasure(one))) {
    const { email, suppression, causes, expires_at, topic } = change;
    if (suppression || topic) {
      filter.add(email);
    }
    if (suppression) {
      void records.put(email, toStored({ id: suppression.id, causes, expires_at }));
    } else {
      void records.remove(email);
    }
    if (topic) {
      void preferences.put(topic.id + email, topic.subscription);
    }
  }
}

const KEYS_PER_TURN = 1_000;
const TOPIC_ID_LENGTH = 36;

/** @throws {DamagedCopyError} if a database has more rows, or fewer, than were read */
export function requireAllRows(database: Pick<Database, 'getStats'>, rows: number): void {
  if (rows !== rowsIn(database)) {
    throw new DamagedCopyError();
  }
}

/** The number of rows that lmdb stored. */
export function rowsIn(database: Pick<Database, 'getStats'>): number {
  return (database.getStats() as { entryCount: number }).entryCount;
}

/**
 * Adds the addresses of a copy to a filter.
 *
 * @throws {DamagedCopyError}
 * @throws the reason of `signal`, when that is aborted first
 */
export async function fillFilter(
  filter: AddressFilter,
  { records, preferences }: Copy,
  onProgress: OnProgress,
  signal: AbortSignal | undefined,
): Promise<void> {
  let rows = 0;
  for (const [database, start] of [
    [records, 0],
    [preferences, TOPIC_ID_LENGTH],
  ] as const) {
    const rowsBefore = rows;
    for (const key of (database as Database<unknown, string>).getKeys()) {
      filter.add(key.slice(start));
      if (++rows % KEYS_PER_TURN === 0) {
        await nextTurn();
        signal?.throwIfAborted();
        onProgress({ step: 'indexing', rows });
      }
    }
    requireAllRows(database, rows - rowsBefore);
  }
  onProgress({ step: 'indexing', rows });
}
