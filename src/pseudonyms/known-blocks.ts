import type { KeyObject } from 'node:crypto';
import type { EmailAddress } from '../email-address/email-address.js';
import type { KeptBlock } from './kept-block.entity.js';
import { filterOf, isPseudonym, maskedFilter, pseudonymOf } from './pseudonym.js';

/** The kept blocks of an account, with the key that recognises their addresses. */
export class KnownBlocks {
  private readonly pseudonyms = new Set<string>();
  private readonly filters = new Set<number>();

  constructor(
    private readonly key: KeyObject,
    blocks: readonly Pick<KeptBlock, 'pseudonym' | 'filter'>[],
  ) {
    for (const { pseudonym, filter } of blocks) {
      this.pseudonyms.add(pseudonym);
      this.filters.add(maskedFilter(key, pseudonym, filter));
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
