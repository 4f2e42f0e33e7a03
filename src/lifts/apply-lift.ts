import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Identity } from '../audit/request-context.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { hideLength } from '../database/rows.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { RunningJob } from '../jobs/job-handler.js';
import { causesIn } from '../ledger/cause.js';
import type { LiftEvidence } from '../ledger/evidence.js';
import { lastRevisionOfRecord } from '../ledger/ledger-sql.js';
import { StoredNames } from '../pseudonyms/stored-names.js';
import { RemovalsRepository } from '../suppressions/removals.repository.js';
import { LIVE_CAUSES } from '../suppressions/suppression.entity.js';
import { LiftLinesRepository, type LineResult } from './lift-lines.repository.js';
import type { ApplyProgress, LiftedCause, LiftProgress } from './lift.js';
import type { FoundLift } from './lifts.repository.js';

const LINES_AT_ONCE = 500;

/** A line that is not applied yet. */
interface PlannedLine {
  number: number;
  email: EmailAddress;
  /** The last revision of the record when it was counted. */
  revision: string;
}

/** The current record of an address, locked. */
interface LockedRecord {
  email: EmailAddress;
  /** A mask. */
  causes: number;
  /** Its last revision. */
  revision: string;
  hasFailedAgain: boolean;
}

const PAGE = new PreparedStatement<PlannedLine>(
  'list-planned-lift-lines',
  `SELECT number, email, revision
  FROM lift_lines
  WHERE account_id = $1 AND lift_id = $2 AND number > $3 AND status = 'planned'
  ORDER BY number
  LIMIT ${LINES_AT_ONCE}`,
);

const LOCK = new PreparedStatement<{ email: EmailAddress }>(
  'lock-records-for-lift',
  `SELECT email
  FROM suppressions
  WHERE account_id = $1 AND email = ANY (${hideLength('$2', 'text')})
  ORDER BY email
  FOR UPDATE`,
);

/** Separate from the lock, so that it sees what was committed before the lock was granted. */
const FIND_LOCKED = new PreparedStatement<LockedRecord>(
  'find-locked-records-for-lift',
  `SELECT
    record.email,
    record.causes,
    ${lastRevisionOfRecord('record.email')} AS revision,
    (
      SELECT true
      FROM delivery_events AS report
      WHERE report.account_id = $1
        AND report.recipient = record.email
        AND report.effect = 'suppress'
        AND report.kind = 'bounce'
        AND coalesce(report.occurred_at, report.received_at) > $3
      LIMIT 1
    ) IS TRUE AS "hasFailedAgain"
  FROM unnest($2::text[] COLLATE "C") AS locked (email)
  CROSS JOIN LATERAL (
    SELECT email, ${LIVE_CAUSES} AS causes FROM suppressions WHERE account_id = $1 AND email = locked.email LIMIT 1
  ) AS record`,
);

const NOTHING: ApplyProgress = { line: 0, applied: 0, skipped: 0 };

/** Lifts the cause of the lines of a plan, except from records that have changed since, and addresses that have bounced again. */
@Injectable()
export class ApplyLift {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lines: LiftLinesRepository,
    private readonly removals: RemovalsRepository,
    private readonly storedNames: StoredNames,
  ) {}

  async run(job: RunningJob, lift: FoundLift): Promise<void> {
    const { accountId } = job;
    let progress = job.checkpoint as LiftProgress;
    for (;;) {
      const apply = progress.apply ?? NOTHING;
      const lines = await PAGE.run(this.dataSource, [accountId, lift.id, apply.line]);
      if (lines.length === 0) {
        return;
      }
      progress = await job.advance(async (transaction) => {
        const identity = await this.identityOf(accountId, lift);
        const applied = await this.apply(identity, lift, lines, transaction);
        return {
          ...progress,
          apply: {
            line: lines.at(-1)!.number,
            applied: apply.applied + applied,
            skipped: apply.skipped + lines.length - applied,
          },
        };
      });
    }
  }

  /**
   * The identity for the changes, with the consent. An address that the consent quotes may be erased while the lines are
   * applied.
   */
  private async identityOf(accountId: number, { id, appliedBy }: FoundLift): Promise<Identity> {
    const { consent } = (appliedBy!.evidence ?? {}) as LiftEvidence;
    const renamed = await this.storedNames.renameInTexts(accountId, consent ? { consent } : {});
    const evidence: LiftEvidence = { ...renamed, lift: id };
    const actor = { ...appliedBy!, evidence };
    return { accountId, actor };
  }

  /** @returns the number of addresses whose cause was lifted */
  private async apply(
    identity: Identity,
    { id, cause, createdAt }: FoundLift,
    lines: PlannedLine[],
    transaction: EntityManager,
  ): Promise<number> {
    const { accountId } = identity;
    const emails = lines.map(({ email }) => email);
    const records = await this.lock(accountId, emails, createdAt, transaction);
    const results = lines.map((line) => resultOf(line, records.get(line.email), cause));
    const applied = emails.filter((_, index) => results[index]!.status === 'applied');
    if (applied.length > 0) {
      const note = `Lifted by query: lift ${id}.`;
      await this.removals.lift(
        identity,
        { emails: applied },
        { cause, note, liftable: [cause] },
        transaction,
      );
    }
    await this.lines.update(accountId, id, results, transaction);
    return applied.length;
  }

  /**
   * Locks the records of addresses until the transaction ends, in the order of the addresses.
   *
   * @param since - bounces after this time count as failures
   */
  private async lock(
    accountId: number,
    emails: EmailAddress[],
    since: Date,
    transaction: EntityManager,
  ): Promise<Map<EmailAddress, LockedRecord>> {
    const locked = (await LOCK.run(transaction, [accountId, emails])).map(({ email }) => email);
    const records = await FIND_LOCKED.run(transaction, [accountId, locked, since]);
    return new Map(records.map((record) => [record.email, record]));
  }
}

function resultOf(
  { number, revision }: PlannedLine,
  record: LockedRecord | undefined,
  cause: LiftedCause,
): LineResult {
  if (!record || !causesIn(record.causes).includes(cause)) {
    return { number, status: 'skipped', reason: 'absent' };
  }
  if (record.revision !== revision) {
    return { number, status: 'skipped', reason: 'changed' };
  }
  return cause === 'bounce' && record.hasFailedAgain
    ? { number, status: 'skipped', reason: 'failed_again' }
    : { number, status: 'applied', reason: null };
}
