import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { DataSource, IsNull, LessThan, Repository } from 'typeorm';
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import type { Account } from '../accounts/account.entity.js';
import { LOOKUPS } from '../database/database.module.js';
import { isName } from '../validation/name.js';
import { ApiKey } from './api-key.entity.js';
import type { Caller } from './caller.js';
import {
  ApiKeyNotFoundError,
  ApiKeyRotatedError,
  InvalidApiKeyError,
  InvalidApiKeyNameError,
} from './errors.js';
import type { Scope } from './scopes.js';
import { createSecret, hashOf, isSecret, prefixOf } from './secret.js';

/**
 * For so long a caller is known without asking the database, counted from when it was asked: what was revoked,
 * suspended or changed is refused everywhere within five seconds, a slow database included.
 */
const CALLER_KNOWN_MS = 4_000;
const CLOCK_STEP_MS = 50;
const MAX_CALLERS_KNOWN = 10_000;

/** The last use is kept to the minute, so that reading does not become writing. */
const LAST_USE_STEP_MS = 60_000;

interface KnownCaller {
  asked: Promise<Caller>;
  /** Once the database has answered. */
  caller?: Caller;
}

export interface NewApiKey {
  name: string;
  scopes: Scope[];
  /** Null for a key that does not expire. */
  expiresAt: Date | null;
}

/** A key that was just made. Nobody can find out its secret later. */
export interface CreatedApiKey {
  id: string;
  secret: string;
}

export type HandOver = (created: CreatedApiKey) => Promise<void>;

@Injectable()
export class ApiKeysService {
  private readonly logger = new Logger(ApiKeysService.name);

  private readonly callers = new LRUCache<string, KnownCaller>({
    max: MAX_CALLERS_KNOWN,
    ttl: CALLER_KNOWN_MS,
    ttlResolution: CLOCK_STEP_MS,
  });

  constructor(
    @InjectRepository(ApiKey) private readonly apiKeys: Repository<ApiKey>,
    @InjectDataSource(LOOKUPS) private readonly lookups: DataSource,
  ) {}

  /** Who shows a secret, where that is known without asking the database. */
  recall(secret: string): Caller | undefined {
    return this.callers.get(secret)?.caller;
  }

  /**
   * Finds out who shows a secret. Secrets are known by themselves, not by their hash, which would cost each request as
   * much as a statement's share: they are in the memory of the process anyway, and leave it within seconds.
   *
   * @throws {InvalidApiKeyError} when the key is unknown, revoked or expired
   */
  authenticate(secret: string): Promise<Caller> {
    const known = this.callers.get(secret);
    if (known) {
      return known.asked;
    }
    if (!isSecret(secret)) {
      return Promise.reject(new InvalidApiKeyError());
    }
    const asking: KnownCaller = { asked: this.findCaller(hashOf(secret)) };
    this.callers.set(secret, asking);
    /** A late answer must not forget what was asked after it. */
    const forget = () => this.callers.peek(secret) === asking && this.callers.delete(secret);
    asking.asked.then((caller) => (caller.admittedToBeta ? (asking.caller = caller) : forget()), forget);
    return asking.asked;
  }

  /**
   * @param handOver - gives the key to its owner; if that fails, no key is created
   * @throws {InvalidApiKeyNameError}
   */
  async create(
    account: Account,
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

  /** All keys, or those of an account, oldest first. */
  list(account?: Account): Promise<ApiKey[]> {
    return this.apiKeys.find({ where: account && { accountId: account.id }, order: { id: 'ASC' } });
  }

  /**
   * Refuses a key from now on.
   *
   * @throws {ApiKeyNotFoundError}
   */
  async revoke(id: string): Promise<void> {
    if (!isUuid(id)) {
      throw new ApiKeyNotFoundError(id);
    }
    const { affected } = await this.apiKeys.update({ id, revokedAt: IsNull() }, { revokedAt: new Date() });
    if (!affected) {
      throw new ApiKeyNotFoundError(id);
    }
  }

  /**
   * Makes a key like another one, which goes on for a while so that its users can change over. The successor of a key
   * that expires lives as long as that was meant to. The end of the overlap is no lifetime, so a key is rotated once.
   *
   * @param overlapMs - how long the old key still works
   * @param handOver - gives the successor to its owner; if that fails, nothing changes
   * @throws {ApiKeyRotatedError} when it has a successor
   * @throws {ApiKeyNotFoundError} when it is unknown, revoked or expired
   */
  rotate(id: string, overlapMs: number, handOver: HandOver = async () => undefined): Promise<CreatedApiKey> {
    return this.apiKeys.manager.transaction(async (manager) => {
      if (!isUuid(id)) {
        throw new ApiKeyNotFoundError(id);
      }
      const apiKeys = manager.getRepository(ApiKey);
      const now = Date.now();
      const old = await apiKeys.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
      if (old?.successorId) {
        throw new ApiKeyRotatedError(id, old.successorId);
      }
      if (!old || old.revokedAt || (old.expiresAt && old.expiresAt.getTime() <= now)) {
        throw new ApiKeyNotFoundError(id);
      }
      const { accountId, name, scopes, createdAt, expiresAt } = old;
      const successorEnd = expiresAt && new Date(now + expiresAt.getTime() - createdAt.getTime());
      const successor = await insertKey(apiKeys, accountId, { name, scopes, expiresAt: successorEnd });
      const end = Math.min(now + overlapMs, expiresAt?.getTime() ?? Infinity);
      await apiKeys.update({ id }, { expiresAt: new Date(end), successorId: successor.id });
      await handOver(successor);
      return successor;
    });
  }

  private async findCaller(hash: Buffer): Promise<Caller> {
    const [found] = await this.lookups.query<(Caller & { lastUsedAt: Date | null })[]>(
      `SELECT accounts.id                           AS "accountId",
              accounts.beta_admitted_at IS NOT NULL AS "admittedToBeta",
              api_keys.id                           AS "apiKeyId",
              api_keys.name                         AS "apiKeyName",
              api_keys.scopes                       AS "scopes",
              api_keys.last_used_at                 AS "lastUsedAt"
       FROM api_keys
       JOIN accounts ON accounts.id = api_keys.account_id
       WHERE api_keys.secret_hash = $1
         AND api_keys.revoked_at IS NULL
         AND (api_keys.expires_at IS NULL OR api_keys.expires_at > now())`,
      [hash],
    );
    if (!found) {
      throw new InvalidApiKeyError();
    }
    const { lastUsedAt, ...caller } = found;
    this.noteUse(caller.apiKeyId, lastUsedAt);
    return caller;
  }

  /** Nobody waits for it, and nothing is lost when it fails: the next use notes it again. */
  private noteUse(id: string, lastUsedAt: Date | null): void {
    const now = Date.now();
    const staleBefore = new Date(now - LAST_USE_STEP_MS);
    if (lastUsedAt && lastUsedAt > staleBefore) {
      return;
    }
    this.apiKeys
      .update(
        [
          { id, lastUsedAt: IsNull() },
          { id, lastUsedAt: LessThan(staleBefore) },
        ],
        { lastUsedAt: new Date(now) },
      )
      .catch(() => this.logger.debug('the last use of a key was not noted'));
  }
}

async function insertKey(
  apiKeys: Repository<ApiKey>,
  accountId: number,
  key: NewApiKey,
): Promise<CreatedApiKey> {
  const id = uuidv7();
  const secret = createSecret();
  await apiKeys.insert({ id, accountId, ...key, prefix: prefixOf(secret), secretHash: hashOf(secret) });
  return { id, secret };
}
