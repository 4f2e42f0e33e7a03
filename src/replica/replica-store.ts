import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Subscription } from '../topics/topic.entity.js';
import { AddressFilter } from './address-filter.js';
import {
  applyChanges,
  clearCopy,
  databasesOf,
  fillFilter,
  isErasure,
  openCopy,
  writePreferences,
  writeRows,
  type Copy,
  type Root,
} from './copy-databases.js';
import { openRoot, rewriteStore } from './rewrite-store.js';
import type { OnProgress } from './progress.js';
import type { Change, ExportedPreference, ExportedRecord } from './service-client.js';
import { LOCK_KEY, StoreLock } from './store-lock.js';
import { toStored, type CopyState, type Settings, type Side, type StoredRecord } from './stored-copy.js';

const STATE = 'state';
const SETTINGS = 'settings';
const SETTINGS_KNOWN_AT = 'settings-known-at';
const HAS_ERASED = 'has-erased';
const MUST_BE_REPLACED = 'must-be-replaced';

/** A copy next to the one in use. */
export interface WrittenCopy {
  state: CopyState;
  filter: AddressFilter;
  /** Whether an address was erased after it was read. */
  hasErased: boolean;
}

/**
 * The copy on disk. A transaction contains the changes of a page and the cursor after them, so a process that is killed
 * continues where it was. A new copy is written next to the one in use, and replaces it when it is complete.
 *
 * Writes are synchronous: a process that calls `process.exit()` while the writing thread of lmdb works crashes or hangs.
 */
export class ReplicaStore {
  private readonly copies: Record<Side, Copy>;
  /** The state of the copy; undefined until there is a complete copy. */
  state: CopyState | undefined;
  settings: Settings | undefined;
  /** When the service was last asked for them, in milliseconds since 1970. */
  settingsKnownAt: number;
  /** Addresses for which the copy has, or had, a record or a preference. */
  filter: AddressFilter = new AddressFilter();

  private constructor(
    private readonly root: Root,
    private readonly lock: StoreLock,
    private readonly onProgress: OnProgress,
  ) {
    this.copies = { a: openCopy(root, 'a'), b: openCopy(root, 'b') };
    this.state = this.root.get(STATE) as CopyState | undefined;
    this.settings = this.root.get(SETTINGS) as Settings | undefined;
    this.settingsKnownAt = (this.root.get(SETTINGS_KNOWN_AT) as number | undefined) ?? -Infinity;
  }

  /**
   * @param path - a folder, which is created if it does not exist
   * @throws {DamagedCopyError}
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
      if (root.get(HAS_ERASED) && !root.get(MUST_BE_REPLACED)) {
        const { side } = (root.get(STATE) ?? {}) as Partial<CopyState>;
        const databases = side ? databasesOf(side) : [];
        const keys = [LOCK_KEY, STATE, SETTINGS, SETTINGS_KNOWN_AT];
        let rows = 0;
        root = await rewriteStore(root, folder, { keys, databases }, (written) => {
          rows += written;
          onProgress({ step: 'rewriting', rows });
        });
      }
      const store = new ReplicaStore(root, lock, onProgress);
      if (store.state) {
        await fillFilter(store.filter, store.copies[store.state.side], onProgress, signal);
      }
      return store;
    } catch (error) {
      await root.close();
      await lock?.release();
      throw error;
    }
  }

  /** Whether the copy still has an erased address. */
  get mustBeReplaced(): boolean {
    return this.root.get(MUST_BE_REPLACED) === true;
  }

  record(email: string): StoredRecord | undefined {
    return this.copies[this.state!.side].records.get(email);
  }

  preference(email: string, topicId: string): Subscription | undefined {
    return this.copies[this.state!.side].preferences.get(topicId + email);
  }

  /** Stores settings. If they did not change, the object stays the same. */
  saveSettings(settings: Settings, knownAt: number): void {
    const hasChanged = !isDeepStrictEqual(settings, this.settings);
    this.root.transactionSync(() => {
      void this.root.put(SETTINGS_KNOWN_AT, knownAt);
      if (hasChanged) {
        void this.root.put(SETTINGS, settings);
      }
    });
    this.settingsKnownAt = knownAt;
    if (hasChanged) {
      this.settings = settings;
    }
  }

  /** Records that free pages of the file may contain erased addresses. {@link open} removes them. */
  markErased(): void {
    this.root.putSync(HAS_ERASED, true);
  }

  /** Writes what is downloaded next to the current copy. */
  async download(
    version: Omit<CopyState, 'side'>,
    records: AsyncIterable<ExportedRecord>,
    preferences: AsyncIterable<ExportedPreference & { topicId: string }>,
  ): Promise<WrittenCopy> {
    const side = otherThan(this.state?.side);
    const copy = this.copies[side];
    clearCopy(copy);
    const filter = new AddressFilter();
    const onWritten = this.counter();
    const writeRecord = (record: ExportedRecord) => {
      filter.add(record.email);
      void copy.records.put(record.email, toStored(record));
    };
    await writeRows(this.root, records, writeRecord, onWritten);
    await writePreferences(this.root, preferences, copy, filter, onWritten);
    return { state: { side, ...version }, filter, hasErased: false };
  }

  /** Applies changes to a copy that is not in use yet. */
  applyTo(copy: WrittenCopy, changes: Change[], version: Omit<CopyState, 'side'>): void {
    const { side } = copy.state;
    this.root.transactionSync(() => applyChanges(changes, this.copies[side], copy.filter));
    copy.state = { side, ...version };
    copy.hasErased ||= changes.some(isErasure);
  }

  /** Replaces the current copy and its settings. */
  use({ state, filter, hasErased, settings }: WrittenCopy & { settings: Settings }): void {
    this.root.transactionSync(() => {
      void this.root.put(STATE, state);
      void (hasErased ? this.root.put(MUST_BE_REPLACED, true) : this.root.remove(MUST_BE_REPLACED));
      this.saveSettings(settings, state.knownAt);
    });
    this.state = state;
    this.filter = filter;
    clearCopy(this.copies[otherThan(state.side)]);
  }

  /** @param copy - by default, the current one */
  async addPreferences(
    preferences: AsyncIterable<ExportedPreference & { topicId: string }>,
    copy: Pick<WrittenCopy, 'state' | 'filter'> = { state: this.state!, filter: this.filter },
  ): Promise<void> {
    await writePreferences(this.root, preferences, this.copies[copy.state.side], copy.filter, this.counter());
  }

  apply(changes: Change[], version: Omit<CopyState, 'side'>): void {
    const state = { side: this.state!.side, ...version };
    this.root.transactionSync(() => {
      if (changes.some(isErasure)) {
        void this.root.put(HAS_ERASED, true);
        void this.root.put(MUST_BE_REPLACED, true);
      }
      applyChanges(changes, this.copies[state.side], this.filter);
      void this.root.put(STATE, state);
    });
    this.state = state;
    this.removePseudonyms(changes);
  }

  /** Discards the copy, which belongs to another account. */
  discard(): void {
    this.state = undefined;
    this.root.removeSync(STATE);
  }

  async close(): Promise<void> {
    await this.root.close();
    await this.lock.release();
  }

  /** Removes unused pseudonyms, because a pseudonym without a filter in the settings slows down every check. */
  private removePseudonyms(changes: Change[]): void {
    const removed = changes.map(({ email }) => email).filter((email) => this.isRemovedPseudonym(email));
    if (removed.length > 0) {
      this.filter.removePseudonyms(new Set(removed));
    }
  }

  private isRemovedPseudonym(email: string): boolean {
    const hasPreference = () => this.settings!.topics.some(({ id }) => this.preference(email, id));
    return this.filter.pseudonyms.has(email) && !this.record(email) && !hasPreference();
  }

  /** Reports how many rows have been written so far. */
  private counter(): (rows: number) => void {
    let rows = 0;
    return (written) => this.onProgress({ step: 'downloading', rows: (rows += written) });
  }
}

const otherThan = (side: Side | undefined): Side => (side === 'a' ? 'b' : 'a');
