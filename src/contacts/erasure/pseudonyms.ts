import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not } from 'typeorm';
import type { EmailAddress } from '../../email-address/email-address.js';
import { AccountKeys, orUnreadable } from '../../pseudonyms/account-keys.js';
import { filterOf, maskedFilter, pseudonymOf } from '../../pseudonyms/pseudonym.js';
import { SecretsCipher } from '../../secrets/secrets-cipher.js';
import { Erasure } from './erasure.entity.js';

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
  async of(accountId: number, text: string, deadline: number): Promise<EmailAddress> {
    return pseudonymOf(await this.keys.of(accountId, deadline), text);
  }

  /** The masked filter of the block of an address. */
  async filterOf(accountId: number, email: EmailAddress, pseudonym: EmailAddress): Promise<number> {
    return maskedFilter(await this.keys.of(accountId, Infinity), pseudonym, filterOf(email));
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
