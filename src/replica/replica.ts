import { createHash } from 'node:crypto';
import { InvalidEmailAddress, parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { causesIn, LASTING_CAUSES } from '../ledger/cause.js';
import { throttle } from '../process/throttle.js';
import { filterOf } from '../pseudonyms/pseudonym.js';
import type { Facts } from '../suppressions/verdict.js';
import { decide, firstOf, type CheckedEmail } from './decision.js';
import { explained, refuseUnknownOptions, StaleReplicaError, UnrecognizableAddressError } from './errors.js';
import { Follower } from './follower.js';
import type { OnProgress } from './progress.js';
import { ReplicaStore } from './replica-store.js';
import { ServiceClient } from './service-client.js';
import { SettingsIndex, type CheckOptions } from './settings-index.js';

export {
  DamagedCopyError,
  DiskFullError,
  ReplicaInUseError,
  ServiceRefusedError,
  ServiceUnreachableError,
  StaleReplicaError,
  UnknownTopicError,
  UnrecognizableAddressError,
} from './errors.js';
export type { CheckedEmail, DecidedBy } from './decision.js';
export type { Progress } from './progress.js';
export type { CheckOptions } from './settings-index.js';

export interface ReplicaOptions {
  /** The URL of the service, such as `https://suppressions.example.com`. */
  url: string;
  /** An API key with the scopes `suppressions:read`, `changes:read`, `topics:read`, `rules:read`, and `pseudonyms:read`. */
  apiKey: string;
  /** A folder for the copy of one account. Only one replica at a time can use it. */
  path: string;
  /** How many seconds an answer may be behind the service, at least 5. By default, there is no limit. */
  maxAge?: number;
  /** Called about once a second while the whole list is read: from the service, or from the copy when it is opened. */
  onProgress?: OnProgress;
  /** Aborts opening, which then throws. */
  signal?: AbortSignal;
}

const MIN_MAX_AGE = 5;
const PROGRESS_INTERVAL_MS = 1_000;
const DEFAULT_WAIT_SECONDS = 10;
const MAX_WAIT_SECONDS = 25;
const NO_NAMES: readonly EmailAddress[] = [];

/**
 * Opens a local copy of an account's list and keeps it up to date in the background. The first time, it reads the whole list.
 * Later, it responds immediately from the copy, even if the service is unavailable, unless the API key or the URL changed.
 *
 * @throws {DamagedCopyError} when the files in the folder have lost rows
 * @throws {DiskFullError} when the copy cannot be written
 * @throws {ReplicaInUseError} when another replica uses the folder
 * @throws {ServiceRefusedError} when the service is needed and refuses
 * @throws {ServiceUnreachableError} when the service is needed and cannot be reached
 * @throws {TypeError} when an option is missing or unknown
 * @throws the reason of `signal`, when that is aborted first
 */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { url, apiKey, path, maxAge, onProgress = () => undefined, signal, ...unknown } = options;
  refuseUnknownOptions(unknown, 'url, apiKey, path, maxAge, onProgress, and signal');
  for (const [name, value] of Object.entries({ url, apiKey, path })) {
    if (!value) {
      throw new TypeError(`The option ${name} is missing.`);
    }
  }
  if (maxAge !== undefined && !(maxAge >= MIN_MAX_AGE)) {
    throw new RangeError(`maxAge must be at least ${MIN_MAX_AGE} seconds.`);
  }
  const stopping = new AbortController();
  const abort = () => stopping.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', abort);
  try {
    return await openAndFollow(
      { ...options, onProgress: throttle(onProgress, PROGRESS_INTERVAL_MS) },
      stopping,
    );
  } catch (error) {
    throw error instanceof Error ? explained(error) : error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

async function openAndFollow(
  { url, apiKey, path, maxAge, onProgress }: ReplicaOptions,
  stopping: AbortController,
): Promise<Replica> {
  const { signal } = stopping;
  const waitSeconds =
    maxAge === undefined ? DEFAULT_WAIT_SECONDS : Math.min(MAX_WAIT_SECONDS, Math.floor(maxAge / 4));
  const store = await ReplicaStore.open(path, onProgress, signal);
  const service = new ServiceClient(url, apiKey, signal);
  const owner = createHash('sha256').update(`${url}\n${apiKey}`).digest('base64url');
  const follower = new Follower(store, owner, service, waitSeconds, signal);
  try {
    await follower.start();
  } catch (error) {
    stopping.abort();
    await follower.stopped();
    await store.close();
    throw error;
  }
  return new Replica(store, follower, stopping, maxAge ?? Infinity);
}

/** A local copy of an account's list. */
export class Replica {
  private index: SettingsIndex | undefined;

  constructor(
    private readonly store: ReplicaStore,
    private readonly follower: Follower,
    private readonly stopping: AbortController,
    private readonly maxAge: number,
  ) {}

  /** The cursor of the last change that the copy has; null if there is no copy. */
  get cursor(): string | null {
    return this.store.state?.cursor ?? null;
  }

  /** Seconds since the copy was last known to match the service. While it follows, about as long as it waits for changes. */
  get age(): number {
    const { state, settingsKnownAt } = this.store;
    const now = Date.now();
    const knownAt = [state?.knownAt ?? -Infinity, settingsKnownAt];
    // If the clock was set back, the age is unknown until the service responds.
    const isFuture = knownAt.some((time) => time > now + MIN_MAX_AGE * 1_000);
    return isFuture ? Infinity : Math.max(0, (now - Math.min(...knownAt)) / 1_000);
  }

  /** Why the last attempt to update the copy failed; undefined if it succeeded. */
  get problem(): Error | undefined {
    return this.follower.problem;
  }

  /** Resolves when the copy first matches the service after it was opened. */
  get caughtUp(): Promise<void> {
    return this.follower.caughtUp;
  }

  /**
   * Returns whether addresses may be mailed, in the order given.
   *
   * @throws {StaleReplicaError} when the copy is older than `maxAge`
   * @throws {UnknownTopicError}
   * @throws {TypeError} when an argument is not of its type, or an option is unknown
   * @throws {UnrecognizableAddressError} when the account keeps blocks of erased addresses, and the API key lacks the scope
   *   `pseudonyms:read`
   * @throws {Error} after `close()`
   */
  check(emails: readonly string[], options: CheckOptions = {}): CheckedEmail[] {
    if (this.stopping.signal.aborted) {
      throw new Error('The replica is closed.');
    }
    if (!Array.isArray(emails)) {
      throw new TypeError('The first argument must be an array of addresses.');
    }
    const { state, settings } = this.store;
    if (!state || !settings || this.age > this.maxAge) {
      throw new StaleReplicaError(this.age, { cause: this.follower.problem });
    }
    if (this.index?.settings !== settings) {
      this.index = new SettingsIndex(settings);
    }
    const purpose = this.index.purposeOf(options);
    const topicId = purpose.type === 'topic' ? purpose.topicId : null;
    const now = Date.now();
    const rules = this.index.rulesFor(topicId, now);
    return emails.map((text) => {
      const email = parseEmailAddress(text);
      if (email instanceof InvalidEmailAddress) {
        return { email: text, verdict: 'invalid', decided_by: null };
      }
      const filter = filterOf(email);
      const pseudonym = this.pseudonymOf(email, filter, this.index!);
      const names = this.listedNames(email, filter, pseudonym);
      const facts = {
        record: firstOf(names, (name) => this.recordOf(name, now)),
        preference:
          topicId === null ? null : firstOf(names, (name) => this.store.preference(name, topicId) ?? null),
        rules: rules.matching(email, pseudonym),
      };
      return decide(text, email, facts, purpose, pseudonym);
    });
  }

  /**
   * The pseudonym that the address has if it was erased; undefined if it certainly was not, or is listed itself.
   *
   * @throws {UnrecognizableAddressError}
   */
  private pseudonymOf(
    email: EmailAddress,
    filter: number,
    { erasedAddresses, keepsBlocks }: SettingsIndex,
  ): EmailAddress | undefined {
    if (erasedAddresses) {
      return erasedAddresses.pseudonymOf(email, filter, this.store.filter.pseudonyms);
    }
    if (keepsBlocks && !this.store.record(email)) {
      throw new UnrecognizableAddressError();
    }
    return undefined;
  }

  private listedNames(
    email: EmailAddress,
    filter: number,
    pseudonym: EmailAddress | undefined,
  ): readonly EmailAddress[] {
    const names = this.store.filter.mayHave(filter) ? [email] : NO_NAMES;
    return pseudonym && this.store.filter.mayHave(filterOf(pseudonym)) ? [...names, pseudonym] : names;
  }

  /** Stops following, and closes the copy. */
  async close(): Promise<void> {
    this.stopping.abort();
    await this.follower.stopped();
    await this.store.close();
  }

  private recordOf(email: EmailAddress, now: number): Facts['record'] {
    const stored = this.store.record(email);
    if (!stored) {
      return null;
    }
    const [id, mask, expiresAt] = stored;
    const live = expiresAt !== 0 && expiresAt <= now ? mask & LASTING_CAUSES : mask;
    return live === 0 ? null : { id, causes: causesIn(live) };
  }
}
