import { createSecretKey, type KeyObject } from 'node:crypto';
import type { EmailAddress } from '../email-address/email-address.js';
import { isPseudonym, maskedFilter, pseudonymOf } from '../pseudonyms/pseudonym.js';
import type { Settings } from './stored-copy.js';

/** Recognises erased addresses whose blocks the account keeps. */
export class ErasedAddresses {
  private readonly key: KeyObject;
  private readonly filters: ReadonlyMap<string, number>;
  private readonly hashes: ReadonlySet<number>;
  private readonly inRules: readonly string[];
  private compared: ReadonlySet<string> | undefined;
  private comparedSize = 0;
  private isComplete = false;

  constructor(key: string, { blockFilters, rules }: Settings) {
    this.key = createSecretKey(key, 'base64');
    this.filters = new Map(Object.entries(blockFilters ?? {}));
    this.hashes = new Set([...this.filters].map((entry) => maskedFilter(this.key, ...entry)));
    this.inRules = rules.map(({ pattern }) => pattern).filter(isPseudonym);
  }

  /**
   * The pseudonym that the address has if it was erased. Undefined if it certainly was not.
   *
   * @param filter - of the address, by `filterOf`
   * @param stored - the pseudonyms in the copy. One without a filter is newer than the filters, and may be that of any address.
   */
  pseudonymOf(email: EmailAddress, filter: number, stored: ReadonlySet<string>): EmailAddress | undefined {
    if (stored !== this.compared || stored.size !== this.comparedSize) {
      this.compared = stored;
      this.comparedSize = stored.size;
      this.isComplete = [...stored, ...this.inRules].every((pseudonym) => this.filters.has(pseudonym));
    }
    return this.isComplete && !this.hashes.has(filter) ? undefined : pseudonymOf(this.key, email);
  }
}
