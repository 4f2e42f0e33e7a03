import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { DataSource, IsNull, LessThan, Repository } from 'typeorm';
import { LOOKUPS } from '../database/database.module.js';
import { ApiKey } from './api-key.entity.js';
import type { Caller } from './caller.js';
import { InvalidApiKeyError } from './errors.js';
import { hashOf, isSecret } from './secret.js';

/**
 * How long a caller is remembered, counted from the start of the lookup. A key that is revoked, suspended or changed is
 * refused by every instance within five seconds, even if the database is slow.
 */
const CALLER_TTL_MS = 4_000;
const CLOCK_STEP_MS = 50;
const MAX_CALLERS = 10_000;

/** `last_used_at` is precise to the minute, so that few reads cause a write. */
const LAST_USE_STEP_MS = 60_000;

interface KnownCaller {
  lookup: Promise<Caller>;
  /** Set when the lookup has succeeded. */
  caller?: Caller;
}

/** Finds the callers that API keys belong to. */
@Injectable()
export class CallersService {
  private readonly logger = new Logger(CallersService.name);

  /**
   * By the secret itself: hashing it would cost each request as much as its share of a statement. The secrets of requests
   * are in memory anyway, and leave this cache within seconds.
   */
  private readonly callers = new LRUCache<string, KnownCaller>({
    max: MAX_CALLERS,
    ttl: CALLER_TTL_MS,
    ttlResolution: CLOCK_STEP_MS,
  });

  private readonly validHashes = new LRUCache<string, true>({ max: MAX_CALLERS });

  constructor(
    @InjectRepository(ApiKey) private readonly apiKeys: Repository<ApiKey>,
    @InjectDataSource(LOOKUPS) private readonly lookups: DataSource,
  ) {}

  /** The caller with a secret, if it is remembered. */
  recall(secret: string): Caller | undefined {
    return this.callers.get(secret)?.caller;
  }

  /** Whether a secret was valid when this instance last looked it up, however long ago. */
  wasValid(secret: string): boolean {
    return this.validHashes.has(hashOf(secret).toString('base64'));
  }

  /** @throws {InvalidApiKeyError} if the key is unknown, revoked or expired */
  authenticate(secret: string): Promise<Caller> {
    const known = this.callers.get(secret);
    if (known) {
      return known.lookup;
    }
    if (!isSecret(secret)) {
      return Promise.reject(new InvalidApiKeyError());
    }
    const one: KnownCaller = { lookup: this.lookUp(hashOf(secret)) };
    this.callers.set(secret, one);
    /** A lookup that fails late must not remove a newer one. */
    const forget = () => this.callers.peek(secret) === one && this.callers.delete(secret);
    one.lookup.then((caller) => (caller.admittedToBeta ? (one.caller = caller) : forget()), forget);
    return one.lookup;
  }

  private async lookUp(hash: Buffer): Promise<Caller> {
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
    const key = hash.toString('base64');
    if (!found) {
      this.validHashes.delete(key);
      throw new InvalidApiKeyError();
    }
    this.validHashes.set(key, true);
    const { lastUsedAt, ...caller } = found;
    this.noteUse(caller.apiKeyId, lastUsedAt);
    return caller;
  }

  /** Runs in the background. If it fails, the next use is noted instead. */
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
      .catch(() => this.logger.debug('could not note the last use of an API key'));
  }
}
