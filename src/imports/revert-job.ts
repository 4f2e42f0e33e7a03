import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Identity } from '../audit/request-context.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { hideLength } from '../database/rows.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { JobStatus } from '../jobs/job.entity.js';
import type { JobHandler, RunningJob } from '../jobs/job-handler.js';
import { JobRunner } from '../jobs/job-runner.js';
import { CAUSES, type Cause } from '../ledger/cause.js';
import { LedgerScan, rangeBetween } from '../ledger/suppression-changes.repository.js';
import { RemovalsRepository } from '../suppressions/removals.repository.js';
import { PreferencesRepository } from '../topics/preferences.repository.js';
import type { ImportProgress } from './chunks.js';
import { ImportsRepository, type FoundImport } from './imports.repository.js';

const CHANGES_AT_ONCE = 500;

/** An address that nobody has changed or confirmed since an import. */
interface UntouchedAddress {
  email: EmailAddress;
  /** The causes that the import added, without those whose expiry it only changed. */
  causes: Cause[];
}

/** The lines that an import wrote. */
const SCAN = new LedgerScan<{ id: string; email: EmailAddress }>(
  'list-import-changes',
  'id, email',
  `actor_type = 'import' AND actor_id = $4 AND action IN ('added', 'strengthened', 'cause_added', 'opted_out')`,
  CHANGES_AT_ONCE,
);

const LOCK = new PreparedStatement<Record<string, never>>(
  'lock-records-of-import',
  `SELECT
  FROM suppressions
  WHERE account_id = $1 AND import_id = $2 AND email = ANY (${hideLength('$3', 'text')})
  ORDER BY email
  FOR UPDATE`,
);

const FIND_UNTOUCHED = new PreparedStatement<UntouchedAddress>(
  'find-addresses-untouched-since-import',
  `SELECT record.email, imported.causes
  FROM suppressions AS record
  CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT cause::text) AS causes
    FROM suppression_changes AS line
    WHERE account_id = $1
      AND email = record.email
      AND suppression_id = record.id
      AND actor_id = $2
      AND action IN ('added', 'strengthened', 'cause_added')
      AND NOT coalesce((
        SELECT earlier.action IN ('added', 'strengthened', 'cause_added')
        FROM suppression_changes AS earlier
        WHERE earlier.account_id = $1
          AND earlier.email = record.email
          AND earlier.suppression_id = record.id
          AND earlier.cause = line.cause
          AND earlier.actor_id IS DISTINCT FROM $2
          AND earlier.revision < line.revision
        ORDER BY earlier.revision DESC
        LIMIT 1
      ), false)
  ) AS imported
  WHERE record.account_id = $1
    AND record.email = ANY (${hideLength('$3', 'text')})
    AND record.import_id = $2
    AND imported.causes IS NOT NULL`,
);

@Injectable()
export class RevertJob implements JobHandler {
  constructor(
    private readonly dataSource: DataSource,
    runner: JobRunner,
    private readonly imports: ImportsRepository,
    private readonly removals: RemovalsRepository,
    private readonly preferences: PreferencesRepository,
  ) {
    runner.register('revert', this);
  }

  async run(job: RunningJob): Promise<JobStatus> {
    const found = (await this.imports.find(job.accountId, job.id))!;
    const progress = job.checkpoint as ImportProgress;
    let revert = progress.revert!;
    const identity = {
      accountId: job.accountId,
      actor: { ...revert.by, evidence: { reverted_import: found.id } },
    };
    const range = rangeBetween(found.startedAt!.getTime(), Date.parse(revert.endedAt));
    for (;;) {
      const { position: from = range.position } = revert;
      const page = await SCAN.next(this.dataSource, job.accountId, { ...range, position: from }, [found.id]);
      if (!page) {
        return 'reverted';
      }
      ({ revert } = await job.advance(async (transaction) => {
        const emails = [...new Set(page.lines.map(({ email }) => email))];
        const count = await this.revert(identity, found, emails, transaction);
        const { position } = page;
        return { ...progress, revert: { ...revert, reverted: revert.reverted + count, position } };
      }));
    }
  }

  /** @returns the number of addresses reverted */
  private revert(
    identity: Identity,
    { id, topicId }: FoundImport,
    emails: EmailAddress[],
    transaction: EntityManager,
  ): Promise<number> {
    if (emails.length === 0) {
      return Promise.resolve(0);
    }
    return topicId
      ? this.preferences.revert(identity, { topicId, importId: id, note: noteOf(id) }, emails, transaction)
      : this.revertCauses(identity, id, emails, transaction);
  }

  /** Locks the records before it reads their changes, so that nobody changes them in between. */
  private async revertCauses(
    identity: Identity,
    id: string,
    emails: EmailAddress[],
    transaction: EntityManager,
  ): Promise<number> {
    const values = [identity.accountId, id, emails];
    await LOCK.run(transaction, values);
    const untouched = await FIND_UNTOUCHED.run(transaction, values);
    for (const cause of CAUSES) {
      const imported = untouched.filter(({ causes }) => causes.includes(cause)).map(({ email }) => email);
      if (imported.length > 0) {
        const removal = { cause, note: noteOf(id), liftable: CAUSES };
        await this.removals.lift(identity, { emails: imported }, removal, transaction);
      }
    }
    return untouched.length;
  }
}

function noteOf(id: string): string {
  return `The import ${id} was reverted.`;
}
