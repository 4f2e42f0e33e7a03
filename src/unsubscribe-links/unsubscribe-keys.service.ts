import { randomBytes, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { DataSource, Raw, Repository, type EntityManager } from 'typeorm';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { AccountContext, Identity, RequestContext } from '../audit/request-context.js';
import { transactionBefore } from '../database/transaction.js';
import { SecretsCipher } from '../secrets/secrets-cipher.js';
import { firstAndLast, StoredSecrets } from '../secrets/stored-secrets.js';
import { UnsubscribeKeyInUseError, UnsubscribeKeyNotFoundError } from './errors.js';
import { MailIdsRepository } from './mail-ids.repository.js';
import { StoredUnsubscribeKey } from './unsubscribe-link.entity.js';
import type { UnsubscribeKey } from './token.js';

const KEY_BYTES = 32;
/** The range of positive integers in PostgreSQL's `integer`. */
const MAX_ID = 2 ** 31;
const SECRET_NAME = 'key';
const CACHED_ACCOUNTS = 10_000;
/** How long an instance may still use a key that was replaced or revoked elsewhere. */
const CACHE_MS = 60_000;

/** The actor that creates the first key of an account. */
const FIRST_USE: Actor = { type: 'system', id: null, name: 'first unsubscribe link' };

const SAMPLE = firstAndLast<Omit<StoredUnsubscribeKey, 'createdAt'>>(
  'unsubscribe_keys',
  'account_id AS "accountId", id, secret',
  ['id'],
);

/** The keys of links. All keys of an account decrypt tokens; the newest one encrypts them. */
@Injectable()
export class UnsubscribeKeysService {
  private readonly newest = new LRUCache<number, UnsubscribeKey>({ max: CACHED_ACCOUNTS, ttl: CACHE_MS });
  private readonly byId = new LRUCache<number, UnsubscribeKey>({ max: CACHED_ACCOUNTS, ttl: CACHE_MS });

  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(StoredUnsubscribeKey) private readonly keys: Repository<StoredUnsubscribeKey>,
    private readonly cipher: SecretsCipher,
    private readonly mailIds: MailIdsRepository,
    stored: StoredSecrets,
  ) {
    stored.add('unsubscribe links', SAMPLE, (key) => this.decrypt(key));
  }

  /** The ids of an account's keys, with their creation times, newest first. */
  list(accountId: number): Promise<Pick<StoredUnsubscribeKey, 'id' | 'createdAt'>[]> {
    return this.keys.find({
      select: { id: true, createdAt: true },
      where: { accountId },
      order: { createdAt: 'DESC' },
    });
  }

  /**
   * The key for new links. The first call creates it.
   *
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError}
   */
  async getNewest(context: AccountContext): Promise<UnsubscribeKey> {
    const { accountId } = context;
    const cached = this.newest.get(accountId);
    if (cached) {
      return cached;
    }
    const stored = await findNewest(this.keys.manager, accountId);
    const key = stored ? this.decrypt(stored) : await this.createFirst(context);
    this.newest.set(accountId, key);
    return key;
  }

  /**
   * Finds a key by id in any account, because a token names no account.
   *
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError}
   */
  async find(id: number): Promise<UnsubscribeKey | null> {
    const cached = this.byId.get(id);
    if (cached || id >= MAX_ID) {
      return cached ?? null;
    }
    const stored = await this.keys.findOneBy({ id });
    const key = stored && this.decrypt(stored);
    if (key) {
      this.byId.set(id, key);
    }
    return key;
  }

  /**
   * Creates a key for new links. Links of older keys keep working.
   *
   * @throws {SecretsKeyMissingError}
   */
  create(context: RequestContext): Promise<UnsubscribeKey> {
    return transactionBefore(this.dataSource, context, (transaction) => this.insert(context, transaction));
  }

  /** Locks the account, so that concurrent first requests create one key. */
  private createFirst(context: AccountContext): Promise<UnsubscribeKey> {
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const { accountId } = context;
      await transaction.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
      const stored = await findNewest(transaction, accountId);
      return stored ? this.decrypt(stored) : this.insert({ accountId, actor: FIRST_USE }, transaction);
    });
  }

  private async insert(identity: Identity, transaction: EntityManager): Promise<UnsubscribeKey> {
    const { accountId } = identity;
    const key = { accountId, id: randomInt(1, MAX_ID), bytes: randomBytes(KEY_BYTES) };
    await transaction.insert(StoredUnsubscribeKey, { accountId, id: key.id, secret: this.encrypt(key) });
    await recordAudit(transaction, identity, 'unsubscribe_key.created', subjectOf(key.id));
    return key;
  }

  /**
   * Deletes a key that may have leaked. Its links, and the addresses of its `mailto:` links, stop working within a minute.
   *
   * @throws {UnsubscribeKeyNotFoundError}
   * @throws {UnsubscribeKeyInUseError}
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError}
   */
  async revoke(identity: Identity, id: number): Promise<void> {
    const stored = id < MAX_ID ? await this.keys.findOneBy({ accountId: identity.accountId, id }) : null;
    if (!stored) {
      throw new UnsubscribeKeyNotFoundError(id);
    }
    if (!(await this.isReplacedEverywhere(stored))) {
      throw new UnsubscribeKeyInUseError(id);
    }
    await this.mailIds.deleteByKey(stored, () => this.decrypt(stored));
    await transactionBefore(this.dataSource, { deadline: Infinity }, async (transaction) => {
      const { affected } = await transaction.delete(StoredUnsubscribeKey, {
        accountId: identity.accountId,
        id,
      });
      if (affected) {
        await recordAudit(transaction, identity, 'unsubscribe_key.revoked', subjectOf(id));
      }
    });
  }

  private isReplacedEverywhere({ accountId, id }: StoredUnsubscribeKey): Promise<boolean> {
    const isOld = Raw(
      (createdAt) => `${createdAt} < clock_timestamp() - make_interval(secs => ${CACHE_MS / 1_000})
        AND ${createdAt} > (SELECT created_at FROM unsubscribe_keys WHERE id = :id)`,
      { id },
    );
    return this.keys.existsBy({ accountId, createdAt: isOld });
  }

  /**
   * Encrypts the keys that only the previous SECRETS_KEY can decrypt with the current one.
   *
   * @returns the number of keys that were encrypted
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError} when neither can decrypt a key
   */
  async rotateSecrets(): Promise<number> {
    let rotated = 0;
    for (const stored of await this.keys.find({ order: { id: 'ASC' } })) {
      if (!this.cipher.isCurrent(ownerOf(stored.id), SECRET_NAME, stored.secret)) {
        await this.keys.update({ id: stored.id }, { secret: this.encrypt(this.decrypt(stored)) });
        rotated++;
      }
    }
    return rotated;
  }

  private encrypt({ id, bytes }: UnsubscribeKey): string {
    return this.cipher.encrypt(ownerOf(id), SECRET_NAME, bytes.toString('hex'));
  }

  private decrypt({ accountId, id, secret }: Omit<StoredUnsubscribeKey, 'createdAt'>): UnsubscribeKey {
    const hex = this.cipher.decrypt(ownerOf(id), SECRET_NAME, secret);
    return { accountId, id, bytes: Buffer.from(hex, 'hex') };
  }
}

function findNewest(manager: EntityManager, accountId: number): Promise<StoredUnsubscribeKey | null> {
  return manager.findOne(StoredUnsubscribeKey, { where: { accountId }, order: { createdAt: 'DESC' } });
}

function ownerOf(id: number): string {
  return `unsubscribe key ${id}`;
}

function subjectOf(id: number): { id: string; name: string } {
  return { id: String(id), name: `key ${id}` };
}
