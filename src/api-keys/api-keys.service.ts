import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import type { Account } from '../accounts/account.entity.js';
import { findPage } from '../http/find-page.js';
import type { Cursor, Page } from '../http/page.js';
import { isName } from '../validation/name.js';
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

/** An account, of which only the id is needed. */
type Owner = Pick<Account, 'id'>;

export type HandOver = (created: CreatedApiKey) => Promise<void>;

@Injectable()
export class ApiKeysService {
  constructor(@InjectRepository(ApiKey) private readonly apiKeys: Repository<ApiKey>) {}

  /**
   * @param handOver - gives the key to its owner; if that fails, no key is created
   * @throws {InvalidApiKeyNameError}
   */
  async create(
    account: Owner,
    { name, scopes, expiresAt }: NewApiKey,
    handOver: HandOver = async () => undefined,
  ): Promise<CreatedApiKey> {
    if (!isName(name)) {
      throw new InvalidApiKeyNameError();
    }
    return this.apiKeys.manager.transaction(async (manager) => {
      const key = { name, scopes: [...new Set(scopes)], expiresAt };
      const created = await insertKey(manager.getRepository(ApiKey), account.id, key);
      await handOver(created);
      return created;
    });
  }

  /** All keys, or the keys of an account, oldest first. */
  list(account?: Owner): Promise<ApiKey[]> {
    return this.apiKeys.find({ where: account && { accountId: account.id }, order: { id: 'ASC' } });
  }

  /** The keys of an account, newest first. */
  page(accountId: number, cursor: Cursor): Promise<Page<ApiKey>> {
    return findPage(this.apiKeys, [{ accountId }], cursor);
  }

  /**
   * @param owner - whose key it has to be; anybody's if left out
   * @throws {ApiKeyNotFoundError} if the key is unknown or was already revoked
   */
  async revoke(id: string, owner?: Owner): Promise<void> {
    if (!isUuid(id)) {
      throw new ApiKeyNotFoundError(id);
    }
    const { affected } = await this.apiKeys.update(
      { id, ...ownedBy(owner), revokedAt: IsNull() },
      { revokedAt: new Date() },
    );
    if (!affected) {
      throw new ApiKeyNotFoundError(id);
    }
  }

  /**
   * Creates a successor with the same name and scopes. The old key expires after an overlap, in which its users change
   * over. If the old key had an expiry, its successor gets the same lifetime. A key can be rotated once, because the
   * overlap would otherwise become the lifetime of the next successor.
   *
   * @param overlapMs - how long the old key keeps working
   * @param handOver - gives the successor to its owner; if that fails, nothing changes
   * @param owner - whose key it has to be; anybody's if left out
   * @throws {ApiKeyRotatedError} if the key has a successor
   * @throws {ApiKeyNotFoundError} if the key is unknown, revoked or expired
   */
  rotate(
    id: string,
    overlapMs: number,
    handOver: HandOver = async () => undefined,
    owner?: Owner,
  ): Promise<CreatedApiKey> {
    return this.apiKeys.manager.transaction(async (manager) => {
      if (!isUuid(id)) {
        throw new ApiKeyNotFoundError(id);
      }
      const apiKeys = manager.getRepository(ApiKey);
      const now = Date.now();
      const old = await apiKeys.findOne({
        where: { id, ...ownedBy(owner) },
        lock: { mode: 'pessimistic_write' },
      });
      if (old?.successorId) {
        throw new ApiKeyRotatedError(id, old.successorId);
      }
      if (!old || old.revokedAt || (old.expiresAt && old.expiresAt.getTime() <= now)) {
        throw new ApiKeyNotFoundError(id);
      }
      const { accountId, name, scopes, createdAt, expiresAt } = old;
      const successorExpiresAt = expiresAt && new Date(now + expiresAt.getTime() - createdAt.getTime());
      const successor = await insertKey(apiKeys, accountId, { name, scopes, expiresAt: successorExpiresAt });
      const end = Math.min(now + overlapMs, expiresAt?.getTime() ?? Infinity);
      await apiKeys.update({ id }, { expiresAt: new Date(end), successorId: successor.id });
      await handOver(successor);
      return successor;
    });
  }
}

function ownedBy(owner: Owner | undefined): { accountId?: number } {
  return owner ? { accountId: owner.id } : {};
}

async function insertKey(
  apiKeys: Repository<ApiKey>,
  accountId: number,
  key: NewApiKey,
): Promise<CreatedApiKey> {
  const id = uuidv7();
  const secret = createSecret();
  const secretHash = Buffer.from(hashOf(secret), 'base64');
  await apiKeys.insert({ id, accountId, ...key, prefix: prefixOf(secret), secretHash });
  return { id, secret };
}
