import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BatchedReads } from '../database/batched-reads.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { addressesIn, QuotedAddress } from '../email-address/quoted-address.js';
import { AddressBeingErasedError } from './errors.js';
import { KeptBlocksRepository } from './kept-blocks.repository.js';
import { KnownBlocksCache } from './known-blocks-cache.js';

/** Every instance learns within five seconds that an address is being erased: see `KeptBlocksRepository`. */
const VERSION_TTL_MS = 4_500;
const CLOCK_STEP_MS = 50;
const MAX_ACCOUNTS = 10_000;
const READS = { maxBatch: 100, maxRunning: 2 };

/** Pseudonyms by address. Addresses that are stored under their own name are absent. */
export type Pseudonymized = ReadonlyMap<EmailAddress, EmailAddress>;

const NONE: Pseudonymized = new Map();

interface Texts {
  note?: string | null;
  consent?: { reference: string } | null;
}

/**
 * Translates the addresses that callers name to those in tables, where an erased address whose block the account keeps has its
 * pseudonym. Code that looks up or stores a given address must ask it first. A pseudonym stands for itself, so asking twice
 * does no harm.
 *
 * For an account without kept blocks, this costs no query, because the version of the blocks comes with the API key.
 */
@Injectable()
export class StoredNames {
  /** Null for accounts without kept blocks. */
  private readonly versions = new LRUCache<number, Promise<string | null>>({
    max: MAX_ACCOUNTS,
    ttl: VERSION_TTL_MS,
    ttlResolution: CLOCK_STEP_MS,
  });
  private readonly reads = new BatchedReads<'all', number, string | null>(
    { ...READS, keyOf: (group) => group },
    (_group, accountIds) => this.blocks.findVersions(accountIds),
  );

  constructor(
    private readonly blocks: KeptBlocksRepository,
    private readonly known: KnownBlocksCache,
  ) {}

  /** @param start - when the lookup that found the version began, on the clock of `performance.now()` */
  noteVersion(accountId: number, version: string | null, start: number): void {
    this.versions.set(accountId, Promise.resolve(version), { start });
  }

  /** Makes the next request of this instance read the version of the kept blocks again. */
  forget(accountId: number): void {
    this.versions.delete(accountId);
  }

  /**
   * The pseudonyms of addresses that were erased, or are being erased. During an erasure, tables may have either name.
   *
   * @throws {KeptBlocksUnreadableError}
   */
  async find(accountId: number, emails: Iterable<EmailAddress>): Promise<Pseudonymized> {
    const version = await this.versionOf(accountId);
    if (version === null) {
      return NONE;
    }
    const known = await this.known.get(accountId, version);
    const found = new Map<EmailAddress, EmailAddress>();
    for (const email of emails) {
      const pseudonym = known.pseudonymOf(email);
      if (pseudonym) {
        found.set(email, pseudonym);
      }
    }
    return found.size === 0 ? NONE : found;
  }

  /**
   * The pseudonyms of erased addresses, for a read.
   *
   * @throws {KeptBlocksUnreadableError}
   */
  async forReading(accountId: number, emails: Iterable<EmailAddress>): Promise<Pseudonymized> {
    const found = await this.find(accountId, emails);
    return found.size === 0 ? found : (await this.split(accountId, found)).renamed;
  }

  /**
   * The pseudonyms of erased addresses, for a write.
   *
   * @throws {KeptBlocksUnreadableError}
   * @throws {AddressBeingErasedError}
   */
  async forWriting(accountId: number, emails: Iterable<EmailAddress>): Promise<Pseudonymized> {
    const found = await this.find(accountId, emails);
    if (found.size === 0) {
      return found;
    }
    const { renamed, isBeingErased } = await this.split(accountId, found);
    if (isBeingErased) {
      throw new AddressBeingErasedError();
    }
    return renamed;
  }

  /** Like {@link forReading}, for one address. */
  async oneForReading(accountId: number, email: EmailAddress): Promise<EmailAddress> {
    return (await this.forReading(accountId, [email])).get(email) ?? email;
  }

  /** Like {@link forWriting}, for one address. */
  async oneForWriting(accountId: number, email: EmailAddress): Promise<EmailAddress> {
    return (await this.forWriting(accountId, [email])).get(email) ?? email;
  }

  /**
   * An address, and its pseudonym if it was erased or is being erased. A read of both names in one statement finds what is
   * stored, even while the pseudonym replaces the address. Separate reads must keep the order of the names.
   *
   * @throws {KeptBlocksUnreadableError}
   */
  async namesOf(accountId: number, email: EmailAddress): Promise<EmailAddress[]> {
    const pseudonym = (await this.find(accountId, [email])).get(email);
    return pseudonym && pseudonym !== email ? [email, pseudonym] : [email];
  }

  /**
   * The texts of a request as they are stored: with pseudonyms in place of the erased addresses that one of them quotes.
   *
   * @param pseudonyms - of the addresses that the request is about, which the texts may quote with escapes
   * @throws {KeptBlocksUnreadableError}
   */
  async renameInTexts<Given extends Texts>(
    accountId: number,
    given: Given,
    pseudonyms: Pseudonymized = NONE,
  ): Promise<Given> {
    const { note, consent } = given;
    const quoted = await this.find(accountId, addressesIn([note, consent?.reference].join('\n')));
    const found = new Map([...pseudonyms, ...quoted]);
    return {
      ...given,
      ...(note && { note: renameIn(note, found) }),
      ...(consent && { consent: { ...consent, reference: renameIn(consent.reference, found) } }),
    };
  }

  private async split(
    accountId: number,
    found: Pseudonymized,
  ): Promise<{ renamed: Pseudonymized; isBeingErased: boolean }> {
    const blocks = await this.blocks.findSome(accountId, [...found.values()]);
    const byPseudonym = new Map(blocks.map((block) => [block.pseudonym, block]));
    const entries = [...found].map(([email, pseudonym]) => ({
      email,
      pseudonym,
      block: byPseudonym.get(pseudonym),
    }));
    const renamed = entries.filter(({ block }) => block?.renamedAt);
    return {
      renamed: new Map(renamed.map(({ email, pseudonym }) => [email, pseudonym])),
      // A pseudonym is not replaced itself, but its block may be about to be deleted.
      isBeingErased: entries.some(
        ({ email, pseudonym, block }) =>
          block && (block.renamedAt ? block.announcedAt > block.renamedAt : email !== pseudonym),
      ),
    };
  }

  private versionOf(accountId: number): Promise<string | null> {
    const cached = this.versions.get(accountId);
    if (cached) {
      return cached;
    }
    const read = this.reads.read('all', accountId);
    this.versions.set(accountId, read);
    read.catch(() => this.versions.peek(accountId) === read && this.versions.delete(accountId));
    return read;
  }
}

/** The addresses of some rows, which are read only if they are needed. */
export function* emailsOf(rows: Iterable<{ email: EmailAddress }>): Generator<EmailAddress> {
  for (const { email } of rows) {
    yield email;
  }
}

/** Rows as they are stored: with the pseudonyms of their addresses, even where notes quote them. */
export function renameRows<Row extends { email: EmailAddress; note: string | null }>(
  rows: Row[],
  pseudonyms: Pseudonymized,
): Row[] {
  return pseudonyms.size === 0
    ? rows
    : rows.map((row) => {
        const pseudonym = pseudonyms.get(row.email);
        return pseudonym ? { ...row, email: pseudonym, note: renameIn(row.note, pseudonyms) } : row;
      });
}

/** Building one takes a fraction of a millisecond, and a delivery may have thousands of events about an address. */
const QUOTED = new LRUCache<EmailAddress, QuotedAddress>({
  max: 100,
  memoMethod: (email) => new QuotedAddress(email),
});

/** A text as it is stored: with pseudonyms in place of the addresses that it quotes. */
export function renameIn(text: string | null, pseudonyms: Pseudonymized, maxLength = 1_000): string | null {
  let renamed = text;
  for (const [email, pseudonym] of text === null ? [] : pseudonyms) {
    renamed = QUOTED.memo(email).replaceIn(renamed!, pseudonym).slice(0, maxLength);
  }
  return renamed;
}
