import type { KeyObject } from 'node:crypto';
import type { EmailAddress } from '../email-address/email-address.js';
import type { AnnouncedBlock } from './kept-blocks.repository.js';
import { filterOf, isPseudonym, maskedFilter, pseudonymOf } from './pseudonym.js';

/** The kept blocks of an account, with the key that recognises their addresses. */
export class KnownBlocks {
  private readonly pseudonyms = new Set<string>();
  private readonly filters = new Set<number>();
  private latest = 0;

  constructor(private readonly key: KeyObject) {}

  /** When the last of them was announced. */
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

  /** The pseudonym of an address that was erased, or is being erased. A pseudonym has itself. */
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
