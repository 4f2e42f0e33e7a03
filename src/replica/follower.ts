import { setTimeout as delay } from 'node:timers/promises';
import { CopyDownloader, newTopicsOf, type DownloadedCopy } from './copy-downloader.js';
import { explained, ServiceRefusedError } from './errors.js';
import type { ReplicaStore } from './replica-store.js';
import type { ServiceClient } from './service-client.js';

const FIRST_RETRY_MS = 1_000;
/** The longest wait for changes while a new copy is downloaded, which replaces the present one between two requests. */
const WAIT_DURING_DOWNLOAD_SECONDS = 1;

/** Keeps a store up to date. */
export class Follower {
  /** Why the last attempt failed. */
  problem: Error | undefined;
  /** Resolves when the copy first matches the service. */
  readonly caughtUp: Promise<void>;
  private resolveCaughtUp!: () => void;
  private readonly downloader: CopyDownloader;
  private following: Promise<void> | undefined;
  /** Downloads a new copy while the present one follows the feed. Never rejects. */
  private downloading: Promise<void> | undefined;
  private downloaded: DownloadedCopy | undefined;
  private failedDownloads = 0;

  /** @param waitSeconds - how long a request waits for a change, and the shortest time between two reads of the settings */
  constructor(
    private readonly store: ReplicaStore,
    private readonly owner: string,
    private readonly service: ServiceClient,
    private readonly waitSeconds: number,
    private readonly stopping: AbortSignal,
  ) {
    this.downloader = new CopyDownloader(store, owner, service);
    this.caughtUp = new Promise((resolve) => (this.resolveCaughtUp = resolve));
  }

  /**
   * Begins to follow the list. If there is no copy yet, or it was made with another API key, the service must be reachable.
   *
   * @throws {ServiceRefusedError | ServiceUnreachableError}
   */
  async start(): Promise<void> {
    if (this.store.state?.owner !== this.owner) {
      await this.step(0);
    }
    this.following = this.follow();
  }

  /** Resolves when nothing writes to the store anymore. */
  async stopped(): Promise<void> {
    await this.following;
    await this.downloading;
  }

  private async follow(): Promise<void> {
    // After an outage, the first request reads what was missed, without waiting for more.
    for (let failures = 0, waitSeconds = 0; !this.stopping.aborted;) {
      try {
        await this.step(waitSeconds);
        this.problem = undefined;
        failures = 0;
        waitSeconds = this.waitSeconds;
      } catch (error) {
        this.problem = explained(error as Error);
        waitSeconds = 0;
        const ms = retryDelay(failures++, this.waitSeconds * 1_000);
        await delay(ms, undefined, { signal: this.stopping }).catch(() => undefined);
      }
    }
  }

  /** Settings are read after the feed, because the feed shows whether the copy is of this account. */
  private async step(waitSeconds: number): Promise<void> {
    let wait = waitSeconds;
    if (!this.store.state) {
      await this.load();
    } else if (this.downloaded) {
      wait = 0;
    } else if (this.store.mustBeReplaced) {
      this.downloading ??= this.downloadMeanwhile();
      wait = Math.min(wait, WAIT_DURING_DOWNLOAD_SECONDS);
    }
    const hasMore = await this.readNext(wait);
    if (this.downloaded && !hasMore) {
      await this.switchTo(this.downloaded);
    }
    const sinceSettings = Date.now() - this.store.settingsKnownAt;
    if (sinceSettings < 0 || sinceSettings >= this.waitSeconds * 1_000) {
      await this.updateSettings(hasMore);
    }
    if (!hasMore) {
      this.resolveCaughtUp();
    }
  }

  /**
   * Reads the list again if the cursor is gone or of another account.
   *
   * @returns whether more changes follow
   */
  private async readNext(waitSeconds: number): Promise<boolean> {
    try {
      return await this.applyNext(waitSeconds);
    } catch (error) {
      const isOfAnotherAccount = error instanceof ServiceRefusedError && error.fields.includes('after');
      if (isOfAnotherAccount) {
        this.store.discard();
      }
      if (!isOfAnotherAccount && !isCursorGone(error)) {
        throw error;
      }
      this.store.markErased();
      await this.load();
      return this.applyNext(0);
    }
  }

  /**
   * A new topic may be one that was restored. The feed does not repeat its preferences, so they are downloaded, but only once the
   * feed has been read to its end.
   */
  private async updateSettings(hasMore: boolean): Promise<void> {
    const requestedAt = Date.now();
    const previous = this.store.settings!;
    const settings = await this.service.readSettings(previous);
    const newTopicIds = newTopicsOf(settings, previous);
    const mustWait = hasMore && newTopicIds.length > 0;
    if (mustWait) {
      settings.topics = settings.topics.filter(({ id }) => !newTopicIds.includes(id));
    } else if (newTopicIds.length > 0) {
      await this.store.addPreferences(this.downloader.readPreferences(newTopicIds));
    }
    const patterns = new Set(settings.rules.map(({ pattern }) => pattern));
    if (previous.rules.some(({ pattern }) => pattern.includes('@') && !patterns.has(pattern))) {
      // The feed does not report that the address of a rule was erased.
      this.store.markErased();
    }
    this.store.saveSettings(settings, mustWait ? this.store.settingsKnownAt : requestedAt);
  }

  /**
   * If a page is empty after the full wait, the copy matches the service at the end of the wait.
   *
   * @returns whether more changes follow
   */
  private async applyNext(waitSeconds: number): Promise<boolean> {
    const { cursor, knownAt } = this.store.state!;
    const requestedAt = Date.now();
    const page = await this.service.readChanges(cursor, waitSeconds);
    const waitedUntil = requestedAt + waitSeconds * 1_000;
    const isAfterWait = page.data.length === 0 && Date.now() >= waitedUntil;
    const newKnownAt = page.has_more ? knownAt : isAfterWait ? waitedUntil : requestedAt;
    this.store.apply(page.data, { owner: this.owner, cursor: page.cursor, knownAt: newKnownAt });
    return page.has_more;
  }

  /** Downloads a new copy, and uses it. Two downloads would write to the same side of the store. */
  private async load(): Promise<void> {
    await this.downloading;
    this.use(this.downloaded ?? (await this.downloader.download()));
  }

  private async switchTo(copy: DownloadedCopy): Promise<void> {
    try {
      await this.downloader.catchUp(copy);
    } catch (error) {
      if (isCursorGone(error)) {
        this.downloaded = undefined;
      }
      throw error;
    }
    this.use(copy);
  }

  private use(copy: DownloadedCopy): void {
    this.store.use(copy);
    this.downloaded = undefined;
  }

  private async downloadMeanwhile(): Promise<void> {
    try {
      this.downloaded = await this.downloader.download();
      this.failedDownloads = 0;
    } catch (error) {
      this.problem = explained(error as Error);
      const ms = retryDelay(this.failedDownloads++, this.waitSeconds * 1_000);
      await delay(ms, undefined, { signal: this.stopping }).catch(() => undefined);
    } finally {
      this.downloading = undefined;
    }
  }
}

function isCursorGone(error: unknown): boolean {
  return error instanceof ServiceRefusedError && error.code === 'changes_cursor_gone';
}

/**
 * Backs off exponentially, from one second to the wait of a request, minus up to half at random, so that
 * replicas do not return together.
 */
export function retryDelay(failures: number, maxMs: number): number {
  const ms = Math.min(FIRST_RETRY_MS * 2 ** failures, maxMs);
  return ms * (1 - Math.random() / 2);
}
