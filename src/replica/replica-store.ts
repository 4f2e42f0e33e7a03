import { setImmediate as nextTurn } from 'node:timers/promises';
import { open, type Database, type RootDatabase } from 'lmdb';
import type { ComplaintReach } from '../accounts/account.entity.js';
import { maskOf } from '../ledger/cause.js';
import type { Pattern } from '../rules/pattern.js';
import type { RuleEffect } from '../rules/rule.entity.js';
import type { Subscription } from '../topics/topic.entity.js';
import { AddressFilter } from './address-filter.js';
import type { Change, ExportedPreference, ExportedRecord } from './service-client.js';

/** A record: its id, its causes as a mask, and when a bounce and a manual entry end, in milliseconds; 0 if never. */
export type StoredRecord = [id: string, causes: number, expiresAt: number];

/** What a check needs besides the list. */
export interface Settings {
  /** When the service was asked for them, in milliseconds since 1970. */
  knownAt: number;
  complaintReach: ComplaintReach;
  topics: { id: string; key: string; default_subscription: Subscription }[];
  rules: {
    id: string;
    pattern: Pattern;
    effect: RuleEffect;
    topic: string | null;
    expires_at: string | null;
  }[];
}

/** Which copy is complete, and where it stands. */
export interface CopyState {
  side: Side;
  /** Whose list it is: a hash of the URL and the API key that last read the cursor. */
  owner: string;
  cursor: string;
  /** The copy is as the list was then, or newer; in milliseconds since 1970. */
  knownAt: number;
}

type Side = 'a' | 'b';

interface Copy {
  records: Database<StoredRecord, string>;
  preferences: Database<Subscription, string>;
}

const STATE = 'state';
const SETTINGS = 'settings';
const ROWS_PER_TRANSACTION = 5_000;
const KEYS_PER_TURN = 10_000;
const TOPIC_ID_LENGTH = 36;

/**
 * The copy on disk. A transaction holds the changes of a page and the cursor behind them, so a process that is killed
 * continues where it was. A new copy is written beside the one in use, which it replaces when it is complete.
 */
export class ReplicaStore {
  private readonly root: RootDatabase<unknown, string>;
  private readonly copies: Record<Side, Copy>;
  private current: CopyState | undefined;
  private currentSettings: Settings | undefined;
  /** The addresses that the copy has a record or a preference of, and some that it had. */
  private known = new AddressFilter();

  private constructor(path: string) {
    this.root = open<unknown, string>({ path, maxDbs: 4 });
    this.copies = { a: this.openCopy('a'), b: this.openCopy('b') };
    this.current = this.root.get(STATE) as CopyState | undefined;
    this.currentSettings = this.root.get(SETTINGS) as Settings | undefined;
  }

  static async open(path: string): Promise<ReplicaStore> {
    const store = new ReplicaStore(path);
    await store.fillFilter();
    return store;
  }

  /** Undefined until there is a complete copy. */
  get state(): CopyState | undefined {
    return this.current;
  }

  get settings(): Settings | undefined {
    return this.currentSettings;
  }

  /** False only if the copy has neither a record nor a preference of the address. */
  mayKnow(email: string): boolean {
    return this.known.mayHave(email);
  }

  record(email: string): StoredRecord | undefined {
    return this.copies[this.current!.side].records.get(email);
  }

  preference(email: string, topicId: string): Subscription | undefined {
    return this.copies[this.current!.side].preferences.get(topicId + email);
  }

  async saveSettings(settings: Settings): Promise<void> {
    await this.root.put(SETTINGS, settings);
    this.currentSettings = settings;
  }

  /** Writes a new copy and replaces the current one by it. */
  async replace(
    place: Omit<CopyState, 'side'>,
    records: AsyncIterable<ExportedRecord>,
    preferences: AsyncIterable<ExportedPreference & { topicId: string }>,
  ): Promise<void> {
    const side = this.current?.side === 'a' ? 'b' : 'a';
    const copy = this.copies[side];
    await Promise.all([copy.records.clearAsync(), copy.preferences.clearAsync()]);
    const known = new AddressFilter();
    await this.writeAll(records, (record) => {
      known.add(record.email);
      void copy.records.put(record.email, toStored(record));
    });
    await this.writeAll(preferences, ({ email, topicId, subscription }) => {
      known.add(email);
      void copy.preferences.put(topicId + email, subscription);
    });
    const state: CopyState = { side, ...place };
    await this.root.put(STATE, state);
    this.current = state;
    this.known = known;
  }

  /** Applies a page of changes. */
  async apply(changes: Change[], place: Omit<CopyState, 'side'>): Promise<void> {
    const { side } = this.current!;
    const { records, preferences } = this.copies[side];
    const state = { side, ...place };
    await this.root.transaction(() => {
      for (const { email, suppression, causes, expires_at, topic } of changes) {
        this.known.add(email);
        if (suppression) {
          void records.put(email, toStored({ id: suppression.id, causes, expires_at }));
        } else {
          void records.remove(email);
        }
        if (topic) {
          void preferences.put(topic.id + email, topic.subscription);
        }
      }
      void this.root.put(STATE, state);
    });
    this.current = state;
  }

  /** Forgets the copy, which belongs to another account. */
  async discard(): Promise<void> {
    this.current = undefined;
    await this.root.remove(STATE);
  }

  close(): Promise<void> {
    return this.root.close();
  }

  private async fillFilter(): Promise<void> {
    if (this.current) {
      const { records, preferences } = this.copies[this.current.side];
      await this.addAll(records.getKeys(), (email) => email);
      await this.addAll(preferences.getKeys(), (key) => key.slice(TOPIC_ID_LENGTH));
    }
  }

  private async addAll(keys: Iterable<string>, emailOf: (key: string) => string): Promise<void> {
    let added = 0;
    for (const key of keys) {
      this.known.add(emailOf(key));
      if (++added % KEYS_PER_TURN === 0) {
        await nextTurn();
      }
    }
  }

  private openCopy(side: Side): Copy {
    return {
      records: this.root.openDB<StoredRecord, string>({ name: `records-${side}` }),
      preferences: this.root.openDB<Subscription, string>({ name: `preferences-${side}` }),
    };
  }

  private async writeAll<Row>(rows: AsyncIterable<Row>, write: (row: Row) => void): Promise<void> {
    let batch: Row[] = [];
    const flush = () => this.root.transaction(() => batch.forEach(write));
    for await (const row of rows) {
      if (batch.push(row) === ROWS_PER_TRANSACTION) {
        await flush();
        batch = [];
      }
    }
    await flush();
  }
}

function toStored({ id, causes, expires_at }: Omit<ExportedRecord, 'email'>): StoredRecord {
  return [id, maskOf(causes), expires_at === null ? 0 : Date.parse(expires_at)];
}
