import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { Account } from '../accounts/account.entity.js';
import type { OperatorContext, RequestContext } from '../audit/request-context.js';
import { differencesBetween, recordAudit } from '../audit/record-audit.js';
import { transactionBefore } from '../database/transaction.js';
import { findPage, type Cursor, type Page } from '../http/page.js';
import { isId, isName } from '../validation/parsers.js';
import { ApiKey } from './api-key.entity.js';
import { ApiKeyNotFoundError, ApiKeyRotatedError, InvalidApiKeyNameError } from './errors.js';
import type { Scope } from './scopes.js';
import { createSecret, hashOf, prefixOf } from './secret.js';

export interface NewApiKey {
  name: string;
  scopes: Scope[];
  /** Null for a key that does not expire. */
  expiresAt: Date | null;
}

/** A key that was just created. Its secret cannot be read later. */
export interface CreatedApiKey {
  id: string;
  secret: string;
}

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(ApiKey) private readonly apiKeys: Repository<ApiKey>,
  ) {}

  /**
   * @throws {InvalidApiKeyNameError}
   */
  async create(context: RequestContext, { name, scopes, expiresAt }: NewApiKey): Promise<CreatedApiKey> {
    if (!isName(name)) {
      throw new InvalidApiKeyNameError();
    }
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const key = { name, scopes: [...new Set(scopes)], expiresAt };
      const created = await insertKey(transaction, context.accountId, key);
      const changes = differencesBetween({}, { scopes: key.scopes, expiresAt });
      await recordAudit(transaction, context, 'api_key.created', { id: created.id, name }, changes);
      return created;
    });
  }

  /** All keys, or the keys of an account, oldest first. */
  list(account?: Pick<Account, 'id'>): Promise<ApiKey[]> {
    return this.apiKeys.find({ where: account && { accountId: account.id }, order: { id: 'ASC' } });
  }

  /** The keys of an account, newest first. */
  page(accountId: number, cursor: Cursor): Promise<Page<ApiKey>> {
    return findPage(this.apiKeys, [{ accountId }], cursor);
  }

  /**
   * @throws {ApiKeyNotFoundError} if the key is unknown or was already revoked
   */
  revoke(context: OperatorContext, id: string): Promise<void> {
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const { accountId, actor } = context;
      const key = await lockKey(transaction, accountId, id);
      if (key.revokedAt) {
        throw new ApiKeyNotFoundError(id);
      }
      await transaction.update(ApiKey, { id }, { revokedAt: new Date() });
      await recordAudit(transaction, { accountId: key.accountId, actor }, 'api_key.revoked', key);
    });
  }

  /**
   * Creates a successor with the same name and scopes. The old key expires after an overlap, during which its users switch
   * to the successor. If the old key had an expiry, its successor gets the same lifetime. A key can be rotated once, because the
   * overlap would otherwise become the lifetime of the next successor.
   *
   * @param overlapMs - how long the old key keeps working
   * @throws {ApiKeyRotatedError} if the key has a successor
   * @throws {ApiKeyNotFoundError} if the key is unknown, revoked or expired
   */
  rotate(context: OperatorContext, id: string, overlapMs: number): Promise<CreatedApiKey> {
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const { accountId, actor } = context;
      const now = Date.now();
      const old = await lockKey(transaction, accountId, id);
      if (old.successorId) {
        throw new ApiKeyRotatedError(id, old.successorId, old.name);
      }
      if (old.revokedAt || (old.expiresAt && old.expiresAt.getTime() <= now)) {
        throw new ApiKeyNotFoundError(id);
      }
      const { name, scopes, createdAt, expiresAt } = old;
      const successorExpiresAt = expiresAt && new Date(now + expiresAt.getTime() - createdAt.getTime());
      const successor = await insertKey(transaction, old.accountId, {
        name,
        scopes,
        expiresAt: successorExpiresAt,
      });
      const end = new Date(Math.min(now + overlapMs, expiresAt?.getTime() ?? Infinity));
      const changes = { expiresAt: end, successorId: successor.id };
      await transaction.update(ApiKey, { id }, changes);
      const differences = differencesBetween(old, changes);
      await recordAudit(
        transaction,
        { accountId: old.accountId, actor },
        'api_key.rotated',
        old,
        differences,
      );
      return successor;
    });
  }
}

/** @throws {ApiKeyNotFoundError} */
async function lockKey(
  transaction: EntityManager,
  accountId: number | undefined,
  id: string,
): Promise<ApiKey> {
  const where = { id, ...(accountId !== undefined && { accountId }) };
  const lock = { mode: 'for_no_key_update' } as const;
  const key = isId(id) ? await transaction.findOne(ApiKey, { where, lock }) : null;
  if (!key) {
    throw new ApiKeyNotFoundError(id);
  }
  return key;
}

async function insertKey(
  transaction: EntityManager,
  accountId: number,
  key: NewApiKey,
): Promise<CreatedApiKey> {
  const id = uuidv7();
  const secret = createSecret();
  const secretHash = Buffer.from(hashOf(secret), 'base64');
  await transaction.insert(ApiKey, { id, accountId, ...key, prefix: prefixOf(secret), secretHash });
  return { id, secret };
}
