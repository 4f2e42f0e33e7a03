import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, Not } from 'typeorm';
import { transactionBefore } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { SecretsCipher } from '../../secrets/secrets-cipher.js';
import { ErasureKey } from './erasure-key.entity.js';
import { Erasure } from './erasure.entity.js';

const KEY_BYTES = 32;
const PSEUDONYM_BYTES = 16;
const KEY_NAME = 'erasure key';
const TARGET_NAME = 'erased address';
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const BITS_PER_DIGIT = 5;

/** Makes the names that stand for erased addresses, and encrypts the addresses that are being erased. */
@Injectable()
export class Pseudonyms {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly cipher: SecretsCipher,
  ) {}

  /**
   * The first 16 bytes of the HMAC-SHA-256 of an address under the key of its account. The first call creates the key.
   *
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError}
   */
  async of(accountId: number, email: EmailAddress, deadline: number): Promise<string> {
    const hmac = createHmac('sha256', await this.keyOf(accountId, deadline))
      .update(email)
      .digest();
    return toName(hmac.subarray(0, PSEUDONYM_BYTES));
  }

  /** One that leads to no address. */
  random(): string {
    return toName(randomBytes(PSEUDONYM_BYTES));
  }

  encrypt(erasureId: string, email: EmailAddress): string {
    return this.cipher.encrypt(erasureId, TARGET_NAME, email);
  }

  /** @throws {UnreadableSecretError} */
  decrypt({ id, target }: Erasure): EmailAddress {
    return this.cipher.decrypt(id, TARGET_NAME, target!) as EmailAddress;
  }

  /**
   * Encrypts keys and addresses with the current SECRETS_KEY.
   *
   * @returns how many keys there are
   */
  async reencrypt(): Promise<number> {
    const { manager } = this.dataSource;
    const keys = await manager.find(ErasureKey);
    for (const { accountId, secret } of keys) {
      const owner = ownerOf(accountId);
      const plain = this.cipher.decrypt(owner, KEY_NAME, secret);
      const encrypted = this.cipher.encrypt(owner, KEY_NAME, plain);
      await manager.update(ErasureKey, { accountId, secret }, { secret: encrypted });
    }
    for (const erasure of await manager.findBy(Erasure, { target: Not(IsNull()) })) {
      const { accountId, id, target } = erasure;
      const encrypted = this.encrypt(id, this.decrypt(erasure));
      await manager.update(Erasure, { accountId, id, target: target! }, { target: encrypted });
    }
    return keys.length;
  }

  private async keyOf(accountId: number, deadline: number): Promise<Buffer> {
    const { manager } = this.dataSource;
    const stored =
      (await manager.findOneBy(ErasureKey, { accountId })) ?? (await this.createKey(accountId, deadline));
    return Buffer.from(this.cipher.decrypt(ownerOf(accountId), KEY_NAME, stored.secret), 'base64');
  }

  /** The key that another instance created at the same time, if it did. */
  private createKey(accountId: number, deadline: number): Promise<ErasureKey> {
    const key = randomBytes(KEY_BYTES).toString('base64');
    const secret = this.cipher.encrypt(ownerOf(accountId), KEY_NAME, key);
    return transactionBefore(this.dataSource, deadline, async (transaction) => {
      const insert = transaction.createQueryBuilder().insert().into(ErasureKey);
      await insert.values({ accountId, secret }).orIgnore().execute();
      return transaction.findOneByOrFail(ErasureKey, { accountId });
    });
  }
}

function ownerOf(accountId: number): string {
  return `account ${accountId}`;
}

function toName(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = bits.match(new RegExp(`.{1,${BITS_PER_DIGIT}}`, 'g'))!;
  const text = digits.map((digit) => BASE32[parseInt(digit.padEnd(BITS_PER_DIGIT, '0'), 2)]).join('');
  return `erased-${text}@erased.invalid`;
}
