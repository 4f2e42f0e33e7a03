import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not, type EntityManager } from 'typeorm';
import type { AccountContext } from '../../audit/request-context.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { QuotedAddress } from '../../email-address/quoted-address.js';
import { AccountKeys, orUnreadable } from '../../pseudonyms/account-keys.js';
import { KeptBlocksRepository } from '../../pseudonyms/kept-blocks.repository.js';
import { filterOf, maskedFilter, pseudonymOf } from '../../pseudonyms/pseudonym.js';
import { SecretsCipher } from '../../secrets/secrets-cipher.js';
import { Erasure, type Progress } from './erasure.entity.js';

/** The address that an erasure looks for. */
export interface Subject {
  /** The name of the address in the rows about it, before the erasure. */
  email: EmailAddress;
  quoted: QuotedAddress;
}

/**
 * If an earlier erasure kept the block, a complete erasure also looks for the pseudonym, because the rows about the address
 * have it.
 */
export function subjectOf({ keepBlock, progress, pseudonym }: Erasure, address: EmailAddress): Subject {
  return progress!.wasKept && !keepBlock && address !== pseudonym
    ? { email: pseudonym, quoted: new QuotedAddress(address, pseudonym) }
    : { email: address, quoted: new QuotedAddress(address) };
}

const TARGET_NAME = 'erased address';

/** Makes the names that stand for erased addresses, and encrypts the addresses that are being erased. */
@Injectable()
export class Pseudonyms {
  constructor(
    private readonly dataSource: DataSource,
    private readonly cipher: SecretsCipher,
    private readonly keys: AccountKeys,
  ) {}

  /**
   * The keyed hash of an address, or of the id of a contact.
   *
   * @throws {KeptBlocksUnreadableError}
   */
  async of(context: AccountContext, text: string): Promise<EmailAddress> {
    return pseudonymOf(await this.keys.of(context), text);
  }

  /** The masked filter of the block of an address. */
  async filterOf(
    { accountId, pseudonym }: Erasure,
    email: EmailAddress,
    transaction: EntityManager,
  ): Promise<number> {
    const key = await this.keys.ofExisting(accountId, transaction);
    return maskedFilter(key, pseudonym, filterOf(email));
  }

  encrypt(erasureId: string, email: EmailAddress): string {
    return this.cipher.encrypt(erasureId, TARGET_NAME, email);
  }

  /** @throws {KeptBlocksUnreadableError} */
  addressOf(erasure: Erasure): Promise<EmailAddress> {
    return orUnreadable(() => this.decrypt(erasure));
  }

  private decrypt({ id, target }: Erasure): EmailAddress {
    return this.cipher.decrypt(id, TARGET_NAME, target!) as EmailAddress;
  }

  /**
   * Encrypts keys and addresses with the current SECRETS_KEY.
   *
   * @returns how many keys there are
   */
  async reencrypt(): Promise<number> {
    const { manager } = this.dataSource;
    const keys = await this.keys.reencrypt();
    for (const erasure of await manager.findBy(Erasure, { target: Not(IsNull()) })) {
      const { accountId, id, target } = erasure;
      const encrypted = this.encrypt(id, this.decrypt(erasure));
      await manager.update(Erasure, { accountId, id, target: target! }, { target: encrypted });
    }
    return keys;
  }
}

/** Tells all instances that a pseudonym is about to replace its address, or that a kept block is about to be deleted. */
@Injectable()
export class Announcement {
  constructor(
    private readonly pseudonyms: Pseudonyms,
    private readonly blocks: KeptBlocksRepository,
  ) {}

  isNeeded({ keepBlock, progress }: Erasure): boolean {
    return keepBlock !== progress!.wasKept && !progress!.isAnnounced;
  }

  /** Whether a block has been stored but not yet announced to all instances. */
  hasBegun({ progress }: Erasure): boolean {
    return progress!.isStored === true && !progress!.isAnnounced;
  }

  /** Performs the next step: stores the kept block, or starts the period in which all instances learn of it. */
  async step(erasure: Erasure, { email }: Subject, transaction: EntityManager): Promise<Progress> {
    const { accountId, keepBlock, pseudonym } = erasure;
    const progress = erasure.progress!;
    if (keepBlock && !progress.isStored) {
      const filter = await this.pseudonyms.filterOf(erasure, email, transaction);
      await this.blocks.store({ accountId, pseudonym, filter }, transaction);
      return { ...progress, isStored: true };
    }
    await this.blocks.announce(accountId, pseudonym, transaction);
    return { ...progress, isAnnounced: true };
  }
}
