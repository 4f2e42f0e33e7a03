import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { POSTED_EVENTS } from '../../audit/actor.js';
import { BatchedReads } from '../../database/batched-reads.js';
import { LOOKUPS } from '../../database/database.module.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { UnknownSourceError } from './errors.js';
import type { Source } from './source.entity.js';

const FIND = new PreparedStatement<Source>(
  'find-sources-by-url-id',
  `SELECT
    id, account_id AS "accountId", url_id AS "urlId", provider, name, secrets, options, created_at AS "createdAt",
    paused_at AS "pausedAt", bad_signatures AS "badSignatures", last_error AS "lastError", last_error_at AS "lastErrorAt"
  FROM sources
  WHERE url_id = ANY ($1)`,
);
const URL_ID = /^[\w-]{22,64}$/;

/** However many unknown URLs are tried, they occupy two connections for lookups at most. */
const LOOKUPS_AT_ONCE = { maxBatch: 100, maxRunning: 2 };

@Injectable()
export class SourceLookup {
  private readonly reads = new BatchedReads<'all', string, Source | undefined>(
    { ...LOOKUPS_AT_ONCE, keyOf: (group) => group },
    (_group, urlIds) => this.findAll(urlIds),
  );

  constructor(@InjectDataSource(LOOKUPS) private readonly lookups: DataSource) {}

  /** @throws {UnknownSourceError} */
  async getByUrlId(urlId: string): Promise<Source> {
    const source = URL_ID.test(urlId) ? await this.reads.read('all', urlId) : undefined;
    if (!source || source.provider === POSTED_EVENTS) {
      throw new UnknownSourceError();
    }
    return source;
  }

  private async findAll(urlIds: string[]): Promise<(Source | undefined)[]> {
    const found = await FIND.run(this.lookups, [urlIds]);
    const byUrlId = new Map(found.map((source) => [source.urlId, source]));
    return urlIds.map((urlId) => byUrlId.get(urlId));
  }
}
