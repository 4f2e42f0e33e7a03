import type { ReplicaStore, WrittenCopy } from './replica-store.js';
import type { ExportedPreference, ServiceClient } from './service-client.js';
import type { Settings } from './stored-copy.js';

export interface DownloadedCopy extends WrittenCopy {
  settings: Settings;
}

/** Downloads new copies of the list into a store. */
export class CopyDownloader {
  constructor(
    private readonly store: ReplicaStore,
    private readonly owner: string,
    private readonly service: ServiceClient,
  ) {}

  /**
   * Reuses nothing, since the copy may be of another account. Topics are read after the cursor, so that no preference is missed.
   * The other settings are read again at the end, because a pseudonym among the rows may need a key that is newer than theirs.
   */
  async download(): Promise<DownloadedCopy> {
    const knownAt = Date.now();
    const { cursor, rows, cancel } = await this.service.exportRecords();
    const settings = await this.service.readSettings(undefined).catch(async (error: unknown) => {
      await cancel().catch(() => undefined);
      throw error;
    });
    const { topics } = settings;
    const version = { owner: this.owner, cursor, knownAt };
    const copy = await this.store.download(version, rows, this.readPreferences(topics.map(({ id }) => id)));
    return { ...copy, settings: { ...(await this.service.readSettings(settings)), topics } };
  }

  /** Brings a downloaded copy to where the present one is, so that no verdict goes back when it is used. */
  async catchUp(copy: DownloadedCopy): Promise<void> {
    for (let hasMore = true; hasMore;) {
      const requestedAt = Date.now();
      const { cursor, knownAt } = copy.state;
      const page = await this.service.readChanges(cursor, 0);
      hasMore = page.has_more;
      const version = { owner: this.owner, cursor: page.cursor, knownAt: hasMore ? knownAt : requestedAt };
      this.store.applyTo(copy, page.data, version);
    }
    const settings = await this.service.readSettings(copy.settings);
    const newTopicIds = newTopicsOf(settings, copy.settings);
    if (newTopicIds.length > 0) {
      await this.store.addPreferences(this.readPreferences(newTopicIds), copy);
    }
    copy.settings = settings;
  }

  async *readPreferences(topicIds: string[]): AsyncGenerator<ExportedPreference & { topicId: string }> {
    for (const topicId of topicIds) {
      const { rows } = await this.service.exportPreferences(topicId);
      for await (const preference of rows) {
        yield { ...preference, topicId };
      }
    }
  }
}

export function newTopicsOf({ topics }: Settings, previous: Settings): string[] {
  const known = new Set(previous.topics.map(({ id }) => id));
  return topics.map(({ id }) => id).filter((id) => !known.has(id));
}
