import { setImmediate as nextTurn } from 'node:timers/promises';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Subscription } from '../topics/topic.entity.js';
import { AddressFilter } from './address-filter.js';
import { clearCopy, openCopy, type Copy } from './copy.js';
import { fillFilter } from './fill-filter.js';
import { openRoot, rewriteStore, type Root } from './rewrite-store.js';
import type { OnProgress } from './progress.js';
import type { Change, ExportedPreference, ExportedRecord } from './service-client.js';
import { LOCK_KEY, StoreLock } from './store-lock.js';
import { toStored, type CopyState, type Settings, type Side, type StoredRecord } from './stored-copy.js';

const STATE = 'state';
const SETTINGS = 'settings';
const SETTINGS_KNOWN_AT = 'settings-known-at';
const HAS_ERASED = 'has-erased';
const ROWS_PER_TRANSACTION = 500;
const DATABASES = ['records-a', 'records-b', 'preferences-a', 'preferences-b'];

/**
 * The copy on disk. A transaction holds the changes of a page and the cursor behind them, so a process that is killed
 * continues where it was. A new copy is written beside the one in use, which it replaces when it is complete.
 *
 * Writes are synchronous: a process that calls `process.exit()` while the writing thread of lmdb works crashes or hangs.
 */
export class ReplicaStore {
  private readonly copies: Record<Side, Copy>;
  private current: CopyState | undefined;
  private currentSettings: Settings | undefined;
  private currentSettingsKnownAt: number;
  /** Addresses for which the copy has, or had, a record or a preference. */
  filter = new AddressFilter();

  private constructor(
    private readonly root: Root,
    private readonly lock: StoreLock,
    private readonly onProgress: OnProgress,
  ) {
    this.copies = { a: openCopy(root, 'a'), b: openCopy(root, 'b') };
    this.current = this.root.get(STATE) as CopyState | undefined;
    this.currentSettings = this.root.get(SETTINGS) as Settings | undefined;
    this.currentSettingsKnownAt = (this.root.get(SETTINGS_KNOWN_AT) as number | undefined) ?? -Infinity;
  }

  /**
   * @param path - a folder, which is created if it does not exist
   * @throws {ReplicaInUseError}
   * @throws the reason of `signal`, when that is aborted first
   */
  static async open(
    path: string,
    onProgress: OnProgress = () => undefined,
    signal?: AbortSignal,
  ): Promise<ReplicaStore> {
    const folder = resolve(path);
    let root = openRoot(folder);
    let lock: StoreLock | undefined;
    try {
      lock = await StoreLock.take(root, folder);
      if (root.get(HAS_ERASED)) {
        root = await rewriteStore(root, folder, [LOCK_KEY, STATE, SETTINGS, SETTINGS_KNOWN_AT], DATABASES);
      }
      const store = new ReplicaStore(root, lock, onProgress);
      if (store.current) {
        await fillFilter(store.filter, store.copies[store.current.side], onProgress, signal);
      }
      return store;
    } catch (error) {
      await root.close();
      await lock?.release();
      throw error;
    }
  }

  /** Undefined until there is a complete copy. */
  get state(): CopyState | undefined {
    return this.current;
  }

  get settings(): Settings | undefined {
    return this.currentSettings;
  }

  /** When the service was last asked for them, in milliseconds since 1970. */
  get settingsKnownAt(): number {
    return this.currentSettingsKnownAt;
  }

  record(email: string): StoredRecord | undefined {
    return this.copies[this.current!.side].records.get(email);
  }

  preference(email: string, topicId: string): Subscription | undefined {
    return this.copies[this.current!.side].preferences.get(topicId + email);
  }

  /** Settings that did not change stay the same object. */
  saveSettings(settings: Settings, knownAt: number): void {
    const hasChanged = !isDeepStrictEqual(settings, this.currentSettings);
    this.root.transactionSync(() => {
      void this.root.put(SETTINGS_KNOWN_AT, knownAt);
      if (hasChanged) {
        void this.root.put(SETTINGS, settings);
      }
    });
    this.currentSettingsKnownAt = knownAt;
    if (hasChanged) {
      this.currentSettings = settings;
    }
  }

  /** Notes that free pages of the file may have erased addresses, which {@link open} removes. */
  markErased(): void {
    this.root.putSync(HAS_ERASED, true);
  }

  /** Writes a new copy, which replaces the current one and its settings. */
  async replace(
    version: Omit<CopyState, 'side'>,
    settings: Settings,
    records: AsyncIterable<ExportedRecord>,
    preferences: AsyncIterable<ExportedPreference & { topicId: string }>,
  ): Promise<void> {
    const side = this.current?.side === 'a' ? 'b' : 'a';
    const copy = this.copies[side];
    clearCopy(copy);
    const filter = new AddressFilter();
    const written = await this.writeAll(records, 0, (record) => {
      filter.add(record.email);
      void copy.records.put(record.email, toStored(record));
    });
    await this.writeAll(preferences, written, ({ email, topicId, subscription }) => {
      filter.add(email);
      void copy.preferences.put(topicId + email, subscription);
    });
    const state: CopyState = { side, ...version };
    this.root.transactionSync(() => {
      void this.root.put(STATE, state);
      this.saveSettings(settings, version.knownAt);
    });
    this.current = state;
    this.filter = filter;
    clearCopy(this.copies[side === 'a' ? 'b' : 'a']);
  }

  /** Adds preferences to the current copy. */
  async addPreferences(preferences: AsyncIterable<ExportedPreference & { topicId: string }>): Promise<void> {
    const copy = this.copies[this.current!.side];
    await this.writeAll(preferences, 0, ({ email, topicId, subscription }) => {
      this.filter.add(email);
      void copy.preferences.put(topicId + email, subscription);
    });
  }

  apply(changes: Change[], version: Omit<CopyState, 'side'>): void {
    const { side } = this.current!;
    const { records, preferences } = this.copies[side];
    const state = { side, ...version };
    this.root.transactionSync(() => {
      for (const { email, suppression, causes, expires_at, topic } of changes) {
        if (suppression || topic) {
          this.filter.add(email);
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
      void this.root.put(STATE, state);
    });
    this.current = state;
    this.removePseudonyms(changes);
  }

  /** Discards the copy, which belongs to another account. */
  discard(): void {
    this.current = undefined;
    this.root.removeSync(STATE);
  }

  async close(): Promise<void> {
    await this.root.close();
    await this.lock.release();
  }

  /** A pseudonym that the settings have no filter for slows down every check. */
  private removePseudonyms(changes: Change[]): void {
    const removed = changes.map(({ email }) => email).filter((email) => this.isRemovedPseudonym(email));
    if (removed.length > 0) {
      this.filter.removePseudonyms(new Set(removed));
    }
  }

  private isRemovedPseudonym(email: string): boolean {
    const hasPreference = () => this.currentSettings!.topics.some(({ id }) => this.preference(email, id));
    return this.filter.pseudonyms.has(email) && !this.record(email) && !hasPreference();
  }

  /** @returns how many rows have been written so far, including `before` */
  private async writeAll<Row>(
    rows: AsyncIterable<Row>,
    before: number,
    write: (row: Row) => void,
  ): Promise<number> {
    let written = before;
    let batch: Row[] = [];
    const flush = async () => {
      this.root.transactionSync(() => batch.forEach(write));
      await nextTurn();
      written += batch.length;
      this.onProgress({ step: 'downloading', rows: written });
    };
    for await (const row of rows) {
      if (batch.push(row) === ROWS_PER_TRANSACTION) {
        await flush();
        batch = [];
      }
    }
    await flush();
    return written;
  }
}
