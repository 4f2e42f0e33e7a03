import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountContext } from '../audit/request-context.js';
import { LOOKUPS } from '../database/database.module.js';
import { insertUnlessTaken } from '../database/insert-unless-taken.js';
import { transactionBefore } from '../database/transaction.js';
import { OperatorError } from '../process/operator-error.js';
import { SecretsCipher } from '../secrets/secrets-cipher.js';
import { firstAndLast, StoredSecrets } from '../secrets/stored-secrets.js';
import { KeptBlocksUnreadableError } from './errors.js';
import { ErasureKey } from './kept-block.entity.js';

const KEY_BYTES = 32;
const KEY_NAME = 'erasure key';

const SAMPLE = firstAndLast<Pick<ErasureKey, 'accountId' | 'secret'>>(
  'erasure_keys',
  'account_id AS "accountId", secret',
  ['account_id'],
);

/** The accounts' keys for pseudonyms, which are encrypted with SECRETS_KEY. */
@Injectable()
export class AccountKeys {
  constructor(
    private readonly dataSource: DataSource,
    @InjectDataSource(LOOKUPS) private readonly lookups: DataSource,
    private readonly cipher: SecretsCipher,
    stored: StoredSecrets,
  ) {
    stored.add('erased addresses', SAMPLE, (key) => this.decrypt(key));
  }

  /**
   * The key of an account, which the first call creates.
   *
   * @throws {KeptBlocksUnreadableError}
   */
  of(context: AccountContext): Promise<KeyObject> {
    return orUnreadable(async () =>
      this.decrypt((await this.find(context.accountId)) ?? (await this.create(context))),
    );
  }

  /**
   * The key of an account that has one, read in a transaction.
   *
   * @throws {KeptBlocksUnreadableError}
   */
  ofExisting(accountId: number, transaction: EntityManager): Promise<KeyObject> {
    return orUnreadable(async () =>
      this.decrypt(await transaction.findOneByOrFail(ErasureKey, { accountId })),
    );
  }

  /**
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError}
   */
  decrypt({ accountId, secret }: ErasureKey): KeyObject {
    return createSecretKey(this.cipher.decrypt(ownerOf(accountId), KEY_NAME, secret), 'base64');
  }

  find(accountId: number): Promise<ErasureKey | null> {
    return this.lookups.manager.findOneBy(ErasureKey, { accountId });
  }

  /**
   * The key of an account in base64; null if it has none.
   *
   * @throws {KeptBlocksUnreadableError}
   */
  async readText(accountId: number): Promise<string | null> {
    const stored = await this.find(accountId);
    return orUnreadable(() => stored && this.decrypt(stored).export().toString('base64'));
  }

  /**
   * The keys behind the pseudonyms of receipts, and the key of the account. If the account has none, because the database was
   * restored from a backup without it, it gets the key of the receipts.
   *
   * @param secrets - the encrypted keys in the receipts
   * @throws {KeptBlocksUnreadableError} if none can be read
   */
  async ofReceipts(context: AccountContext, secrets: string[]): Promise<KeyObject[]> {
    const { accountId } = context;
    const readable = secrets.filter((secret) => this.textOf({ accountId, secret }) !== null);
    const stored = await this.find(accountId);
    if (!stored && readable[0]) {
      await this.insert(context, readable[0]);
    }
    const all = [...readable.map((secret) => ({ accountId, secret })), ...(stored ? [stored] : [])];
    const texts = new Set(all.flatMap((key) => this.textOf(key) ?? []));
    if (texts.size === 0) {
      throw new KeptBlocksUnreadableError();
    }
    return [...texts].map((text) => createSecretKey(text, 'base64'));
  }

  /** A key in base64; null if it cannot be read. */
  private textOf(key: ErasureKey): string | null {
    try {
      return this.decrypt(key).export().toString('base64');
    } catch (error) {
      if (error instanceof OperatorError) {
        return null;
      }
      throw error;
    }
  }

  /**
   * Encrypts the keys that only the previous SECRETS_KEY can decrypt with the current one.
   *
   * @returns the number of keys that were encrypted
   */
  async reencrypt(): Promise<number> {
    const { manager } = this.dataSource;
    let count = 0;
    for (const { accountId, secret } of await manager.find(ErasureKey)) {
      const owner = ownerOf(accountId);
      if (!this.cipher.isCurrent(owner, KEY_NAME, secret)) {
        const encrypted = this.cipher.encrypt(owner, KEY_NAME, this.cipher.decrypt(owner, KEY_NAME, secret));
        await manager.update(ErasureKey, { accountId, secret }, { secret: encrypted });
        count++;
      }
    }
    return count;
  }

  private create(context: AccountContext): Promise<ErasureKey> {
    const key = randomBytes(KEY_BYTES).toString('base64');
    return this.insert(context, this.cipher.encrypt(ownerOf(context.accountId), KEY_NAME, key));
  }

  /** Stores a key. Returns the key of another instance instead if it stored one at the same time. */
  private insert(context: AccountContext, secret: string): Promise<ErasureKey> {
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const { accountId } = context;
      await insertUnlessTaken(transaction, ErasureKey, { accountId, secret });
      return transaction.findOneByOrFail(ErasureKey, { accountId });
    });
  }
}

/**
 * Reads data that is encrypted with SECRETS_KEY.
 *
 * @throws {KeptBlocksUnreadableError}
 */
export async function orUnreadable<Result>(read: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof OperatorError ? new KeptBlocksUnreadableError() : error;
  }
}

function ownerOf(accountId: number): string {
  return `account ${accountId}`;
}
