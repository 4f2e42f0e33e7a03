import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { delimited, RowSet } from '../database/rows.js';
import { toPage, type Page } from '../http/page.js';
import type { JobKey } from '../jobs/job-handler.js';
import type { Job } from '../jobs/job.entity.js';
import { IS_KEPT } from '../jobs/job-files.js';
import { renameRows, type Pseudonymized } from '../pseudonyms/stored-names.js';
import { HIGHEST_ID } from '../validation/parsers.js';
import type { ImportProgress, InvalidEntry, ReportedCause } from './chunks.js';
import type { Import } from './import.entity.js';

/** Further errors are only counted. */
export const MAX_STORED_ERRORS = 10_000;

type JobOfImport = Pick<Job, 'kind' | 'status' | 'error' | 'createdAt' | 'startedAt' | 'completedAt'>;

export type FoundImport = Omit<Import, 'accountId' | 'idempotencyKey' | 'createdBy'> &
  JobOfImport & {
    progress: ImportProgress;
    /** Whether the file of a check is kept, so that it can be imported. */
    hasFile: boolean;
  };

export type StoredError = Pick<InvalidEntry, 'code' | 'value'> & { row: string; line: string };

/** The plan of imports that were created before callers could specify how to read dates. */
const OLD_PLAN = `'{"dates": {"format": null, "timeZone": "UTC"}}'::jsonb`;

const FIND = `
  SELECT id, name, filename, ${OLD_PLAN} || plan AS plan, default_cause AS "defaultCause", topic_id AS "topicId", dry_run AS "dryRun", bytes, file_hash AS "fileHash",
    kind, status, checkpoint AS progress, error, created_at AS "createdAt", started_at AS "startedAt", completed_at AS "completedAt",
    dry_run AND coalesce(${IS_KEPT}, false) AS "hasFile"
  FROM imports
  JOIN jobs USING (account_id, id)
  WHERE account_id = $1 AND status <> 'uploading'`;

const FIND_ONE = new PreparedStatement<FoundImport>('find-import', `${FIND} AND id = $2`);

const FIND_BY_IDEMPOTENCY_KEY = new PreparedStatement<FoundImport>(
  'find-import-by-idempotency-key',
  `${FIND} AND idempotency_key = $2`,
);

const PAGE = new PreparedStatement<FoundImport>(
  'list-imports',
  `${FIND} AND id < $2 ORDER BY id DESC LIMIT $3`,
);

const FIRST_UPLOAD = new PreparedStatement<{ at: Date }>(
  'find-first-upload-of-file',
  `SELECT min(created_at) AS at
  FROM imports
  JOIN jobs USING (account_id, id)
  WHERE account_id = $1 AND file_hash = $2`,
);

const ERRORS = new RowSet(3, { row: 'bigint', line: 'bigint', code: 'text', value: 'text' });

const ADD_ERRORS = new PreparedStatement<Record<string, never>>(
  'add-import-errors',
  `INSERT INTO import_errors (account_id, import_id, row, line, code, value)
  SELECT $1, $2, row, line, code, value
  FROM ${ERRORS.as('error')}`,
);

const READ_ERRORS = new PreparedStatement<StoredError>(
  'read-import-errors',
  `SELECT row, line, code, value
  FROM import_errors
  WHERE account_id = $1 AND import_id = $2 AND row > $3
  ORDER BY row
  LIMIT $4`,
);

const ERRORS_AT_ONCE = 1_000;

const REPORTED = new RowSet(3, {
  email: delimited('text'),
  latestAt: delimited('timestamptz'),
  cause: delimited('suppression_cause'),
});

const FIND_WITHDRAWN = new PreparedStatement<{ index: number }>(
  'find-withdrawn-since',
  `SELECT (reported.number - 1)::integer AS index
  FROM ${REPORTED.as('reported', { isNumbered: true })}
  CROSS JOIN LATERAL (
    SELECT
    FROM withdrawals
    WHERE account_id = $1
      AND email = reported.email
      AND subject = coalesce($2, reported.cause::text)
      AND withdrawn_at > reported.latest_at
    LIMIT 1
  ) AS withdrawn`,
);

/** The account and the subject of the entries. */
export interface Scope {
  accountId: number;
  /** Null to find lifts of causes. Otherwise, the entries are opt-outs of this topic, and opt-ins are found. */
  topicId: string | null;
  /** The pseudonyms of erased addresses. */
  pseudonyms: Pseudonymized;
}

@Injectable()
export class ImportsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async find(
    accountId: number,
    id: string,
    on: DataSource | EntityManager = this.dataSource,
  ): Promise<FoundImport | null> {
    const [found = null] = await FIND_ONE.run(on, [accountId, id]);
    return found;
  }

  async findByIdempotencyKey(accountId: number, key: string): Promise<FoundImport | null> {
    const [found = null] = await FIND_BY_IDEMPOTENCY_KEY.run(this.dataSource, [accountId, key]);
    return found;
  }

  /** When the account first uploaded the file of an import. */
  async firstUpload(accountId: number, { fileHash, createdAt }: FoundImport): Promise<Date> {
    const [found] = await FIRST_UPLOAD.run(this.dataSource, [accountId, fileHash]);
    return found?.at ?? createdAt;
  }

  /** Newest first. */
  async page(accountId: number, limit: number, after = HIGHEST_ID): Promise<Page<FoundImport>> {
    return toPage(await PAGE.run(this.dataSource, [accountId, after, limit + 1]), limit);
  }

  /**
   * Stores errors, up to {@link MAX_STORED_ERRORS} of an import.
   *
   * @param before - the progress before the chunk of the entries
   */
  async addErrors(
    { accountId, id }: JobKey,
    entries: InvalidEntry[],
    before: ImportProgress,
    transaction: EntityManager,
  ): Promise<void> {
    const stored = entries.slice(0, Math.max(0, MAX_STORED_ERRORS - before.invalid));
    if (stored.length > 0) {
      const errors = stored.map((entry) => ({ ...entry, row: before.rows + entry.row }));
      await ADD_ERRORS.run(transaction, [accountId, id, ...ERRORS.values(errors)]);
    }
  }

  /** Yields the errors in the order of the file, in pages of any size. */
  async *readErrors(accountId: number, id: string): AsyncGenerator<StoredError[]> {
    for (let after = '0'; ;) {
      const errors = await READ_ERRORS.run(this.dataSource, [accountId, id, after, ERRORS_AT_ONCE]);
      if (errors.length === 0) {
        return;
      }
      yield errors;
      after = errors.at(-1)!.row;
    }
  }

  /** Returns the entries that were withdrawn after they happened. */
  async findWithdrawn(
    { accountId, topicId, pseudonyms }: Scope,
    reported: ReportedCause[],
    transaction: EntityManager,
  ): Promise<ReportedCause[]> {
    const stored = renameRows(reported, pseudonyms);
    const rows = await FIND_WITHDRAWN.run(transaction, [accountId, topicId, ...REPORTED.values(stored)]);
    return rows.map(({ index }) => reported[index]!);
  }
}
