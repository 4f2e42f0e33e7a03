import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { DataSource, IsNull, LessThan, Repository } from 'typeorm';
import { BatchedReads } from '../database/batched-reads.js';
import { LOOKUPS } from '../database/database.module.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { requireFound } from '../http/errors/api-error.js';
import { StoredNames } from '../pseudonyms/stored-names.js';
import { ApiKey } from './api-key.entity.js';
import type { Caller } from './caller.js';
import { InvalidApiKeyError } from './errors.js';
import { hashOf, isSecret } from './secret.js';

/**
 * How long a caller is cached, counted from the start of the lookup. A key that is revoked, suspended or changed is
 * refused by every instance within five seconds, even if the database is slow.
 */
const CALLER_TTL_MS = 4_000;
const CLOCK_STEP_MS = 50;
const MAX_CALLERS = 10_000;

/** `last_used_at` is precise to the minute, so that few reads cause a write. */
const LAST_USE_STEP_MS = 60_000;

/** Uncached keys occupy at most two connections, however many are tried. */
const LOOKUPS_AT_ONCE = { maxBatch: 100, maxRunning: 2 };

interface CachedCaller {
  lookup: Promise<Caller>;
  caller?: Caller;
}

type FoundCaller = Caller & { hash: string; lastUsedAt: Date | null; keptBlocksVersion: string | null };

const FIND_CALLERS = new PreparedStatement<FoundCaller>(
  'find-callers',
  `SELECT accounts.id                             AS "accountId",
          accounts.beta_admitted_at IS NOT NULL   AS "admittedToBeta",
          accounts.kept_blocks_version            AS "keptBlocksVersion",
          api_keys.id                             AS "apiKeyId",
          api_keys.name                           AS "apiKeyName",
          api_keys.scopes                         AS "scopes",
          api_keys.last_used_at                   AS "lastUsedAt",
          encode(api_keys.secret_hash, 'base64')  AS "hash"
   FROM api_keys
   JOIN accounts ON accounts.id = api_keys.account_id
   WHERE api_keys.secret_hash = ANY ($1::bytea[])
     AND api_keys.revoked_at IS NULL
     AND (api_keys.expires_at IS NULL OR api_keys.expires_at > now())`,
);

@Injectable()
export class CallersService {
  private readonly logger = new Logger(CallersService.name);

  /** Keyed by the hash of the secret, because an entry stays in memory after it has expired. */
  private readonly callers = new LRUCache<string, CachedCaller>({
    max: MAX_CALLERS,
    ttl: CALLER_TTL_MS,
    ttlResolution: CLOCK_STEP_MS,
  });

  private readonly reads = new BatchedReads<'all', string, FoundCaller | undefined>(
    { ...LOOKUPS_AT_ONCE, keyOf: (group) => group },
    (_group, hashes) => this.lookUp(hashes),
  );

  constructor(
    @InjectRepository(ApiKey) private readonly apiKeys: Repository<ApiKey>,
    @InjectDataSource(LOOKUPS) private readonly lookups: DataSource,
    private readonly storedNames: StoredNames,
  ) {}

  getCached(secret: string): Caller | undefined {
    return this.callers.get(hashOf(secret))?.caller;
  }

  /** @throws {InvalidApiKeyError} if the key is unknown, revoked or expired */
  authenticate(secret: string): Promise<Caller> {
    if (!isSecret(secret)) {
      return Promise.reject(new InvalidApiKeyError());
    }
    const hash = hashOf(secret);
    const cached = this.callers.get(hash);
    if (cached) {
      return cached.lookup;
    }
    const entry: CachedCaller = { lookup: this.find(hash) };
    this.callers.set(hash, entry);
    /** A lookup that fails late must not remove a newer one. */
    const forget = () => this.callers.peek(hash) === entry && this.callers.delete(hash);
    entry.lookup.then((caller) => (caller.admittedToBeta ? (entry.caller = caller) : forget()), forget);
    return entry.lookup;
  }

  private async find(hash: string): Promise<Caller> {
    const start = performance.now();
    const found = requireFound(await this.reads.read('all', hash), InvalidApiKeyError);
    const { hash: _hash, lastUsedAt, keptBlocksVersion, ...caller } = found;
    this.storedNames.noteVersion(caller.accountId, keptBlocksVersion, start);
    this.recordUse(caller.apiKeyId, lastUsedAt);
    return caller;
  }

  private async lookUp(hashes: string[]): Promise<(FoundCaller | undefined)[]> {
    const found = await FIND_CALLERS.run(this.lookups, [hashes.map((hash) => Buffer.from(hash, 'base64'))]);
    const byHash = new Map(found.map((caller) => [caller.hash, caller]));
    return hashes.map((hash) => byHash.get(hash));
  }

  /** Runs in the background. If it fails, the next use is recorded instead. */
  private recordUse(id: string, lastUsedAt: Date | null): void {
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
      .catch(() => this.logger.debug('could not record the last use of an API key'));
  }
}
