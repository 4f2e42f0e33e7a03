import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EmailAddress } from '../email-address/email-address.js';
import { requireFound } from '../http/errors/api-error.js';
import { AccountKeys, orUnreadable } from './account-keys.js';
import { KeptBlocksUnreadableError } from './errors.js';
import { KeptBlocksRepository, onlyAdds, type AnnouncedBlock } from './kept-blocks.repository.js';
import { filterOf, isPseudonym, maskedFilter, pseudonymOf } from './pseudonym.js';

/** Kept blocks of a thousand accounts are rarely needed at once. */
const MAX_KNOWN = 1_000;
/**
 * A block may be committed after another one that was announced later, and after a failover, blocks are announced by another
 * clock. Both make a much smaller difference than this.
 */
const OVERLAP_MS = 3_600_000;

interface Loaded {
  version: string;
  /** The key of the account, encrypted. */
  secret: string;
  blocks: KnownBlocks;
}

interface Entry {
  version: string;
  loaded: Promise<Loaded>;
}

/**
 * The kept blocks of accounts in the memory of this instance. It rereads the recently announced ones, and all of them after a
 * deletion.
 */
@Injectable()
export class KnownBlocksCache {
  private readonly entries = new LRUCache<number, Entry>({ max: MAX_KNOWN });

  constructor(
    private readonly blocks: KeptBlocksRepository,
    private readonly keys: AccountKeys,
  ) {}

  /**
   * Returns at least the blocks of a version.
   *
   * @throws {KeptBlocksUnreadableError}
   */
  async get(accountId: number, version: string): Promise<KnownBlocks> {
    const cached = this.entries.get(accountId);
    if (cached?.version === version) {
      return (await cached.loaded).blocks;
    }
    const entry: Entry = { version, loaded: this.load(accountId, version, cached) };
    this.entries.set(accountId, entry);
    entry.loaded.catch(() => this.entries.peek(accountId) === entry && this.entries.delete(accountId));
    return (await entry.loaded).blocks;
  }

  private async load(accountId: number, version: string, cached: Entry | undefined): Promise<Loaded> {
    const earlier = await cached?.loaded.catch(() => undefined);
    const stored = requireFound(await this.keys.find(accountId), KeptBlocksUnreadableError);
    const { secret } = stored;
    const isKnown = earlier?.secret === secret && onlyAdds(version, earlier.version);
    return orUnreadable(async () => {
      const blocks = isKnown ? earlier.blocks : new KnownBlocks(this.keys.decrypt(stored));
      const since = new Date(Math.max(0, blocks.latestAnnouncement.getTime() - OVERLAP_MS));
      for await (const slice of this.blocks.readSince(accountId, since)) {
        blocks.add(slice);
      }
      return { version, secret, blocks };
    });
  }
}

/** The kept blocks of an account, with the key that recognizes their addresses. */
class KnownBlocks {
  private readonly pseudonyms = new Set<string>();
  private readonly filters = new Set<number>();
  private latest = 0;

  constructor(private readonly key: KeyObject) {}

  /** When the latest block was announced. */
  get latestAnnouncement(): Date {
    return new Date(this.latest);
  }

  add(blocks: readonly AnnouncedBlock[]): void {
    for (const { pseudonym, filter, announcedAt } of blocks) {
      this.latest = Math.max(this.latest, announcedAt.getTime());
      if (!this.pseudonyms.has(pseudonym)) {
        this.filters.add(maskedFilter(this.key, pseudonym, filter));
        this.pseudonyms.add(pseudonym);
      }
    }
  }

  /** The pseudonym of an address that was erased, or is being erased. A pseudonym is its own pseudonym. */
  pseudonymOf(email: EmailAddress): EmailAddress | undefined {
    if (isPseudonym(email)) {
      return this.pseudonyms.has(email) ? email : undefined;
    }
    if (!this.filters.has(filterOf(email))) {
      return undefined;
    }
    const pseudonym = pseudonymOf(this.key, email);
    return this.pseudonyms.has(pseudonym) ? pseudonym : undefined;
  }
}
