import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Identity } from '../audit/request-context.js';
import { hasId } from '../database/has-id.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ERASED_DOMAIN, type EmailAddress } from '../email-address/email-address.js';
import type { RunningJob } from '../jobs/job-handler.js';
import { causesIn, type Cause } from '../ledger/cause.js';
import { emailsOf, renameRows, StoredNames } from '../pseudonyms/stored-names.js';
import {
  newPlaceholder,
  ReservationsRepository,
  type FinalRecord,
  type NewChange,
} from '../suppressions/additions/reservations.repository.js';
import { ExpirySweep } from '../suppressions/expiry-sweep.js';
import { LiftLinesRepository, type LineResult } from './lift-lines.repository.js';
import type { LiftProgress, RevertProgress } from './lift.js';
import type { FoundLift } from './lifts.repository.js';
import { restore, type AddressNow, type AppliedLine } from './restoration.js';

const LINES_AT_ONCE = 500;

/**
 * SQL for when the cause of a change would have expired if the lift had not ended it. A bounce and a manual entry expire together,
 * and an incident, or another bounce, may have changed when.
 */
const EXPIRY = `(
  SELECT last.expires_at
  FROM suppression_changes AS last
  WHERE last.account_id = $1
    AND last.email = change.email
    AND last.suppression_id = change.suppression_id
    AND last.cause IN ('bounce', 'manual')
    AND last.action IN ('added', 'strengthened', 'cause_added')
    AND last.revision < (
      SELECT lifted.revision
      FROM suppression_changes AS lifted
      WHERE lifted.account_id = $1 AND lifted.email = change.email AND lifted.evidence ->> 'lift' = $2::uuid::text
      ORDER BY lifted.revision DESC
      LIMIT 1
    )
  ORDER BY last.revision DESC
  LIMIT 1
)`;

const PAGE = new PreparedStatement<AppliedLine>(
  'list-applied-lift-lines',
  `SELECT
    line.number,
    change.email,
    change.cause,
    change.suppression_id AS "suppressionId",
    change.email_id AS "emailId",
    change.event_id AS "eventId",
    change.note,
    ${EXPIRY} AS "expiresAt",
    least(change.occurred_at, change.created_at) AS "occurredAt",
    change.email LIKE '%@${ERASED_DOMAIN}' AND NOT EXISTS (
      SELECT FROM kept_blocks WHERE account_id = $1 AND pseudonym = change.email
    ) AS "isErased"
  FROM (
    SELECT number, change_id
    FROM lift_lines
    WHERE account_id = $1 AND lift_id = $2 AND number > $3 AND status = 'applied'
    ORDER BY number
    LIMIT ${LINES_AT_ONCE}
  ) AS line
  CROSS JOIN LATERAL (
    SELECT * FROM suppression_changes WHERE account_id = $1 AND ${hasId('line.change_id')}
  ) AS change
  ORDER BY line.number`,
);

interface StateRow {
  email: EmailAddress;
  id: string;
  cause: Cause;
  weakerCauses: number;
  emailId: string | null;
  expiresAt: Date | null;
  isWithdrawn: boolean;
}

const FIND_STATES = new PreparedStatement<StateRow>(
  'find-states-for-revert-of-lift',
  `SELECT
    record.email,
    record.id,
    record.cause,
    record.weaker_causes AS "weakerCauses",
    record.email_id AS "emailId",
    record.expires_at AS "expiresAt",
    (
      SELECT true
      FROM suppression_changes AS later
      WHERE later.account_id = $1
        AND later.email = record.email
        AND later.action IN ('removed', 'cause_removed')
        AND (later.cause = $4 OR later.action = 'removed' AND later.evidence ->> 'lift' IS NULL)
        AND later.revision > (
          SELECT lifted.revision
          FROM suppression_changes AS lifted
          WHERE lifted.account_id = $1 AND lifted.email = record.email AND lifted.evidence ->> 'lift' = $3
          ORDER BY lifted.revision DESC
          LIMIT 1
        )
      ORDER BY later.revision
      LIMIT 1
    ) IS TRUE AS "isWithdrawn"
  FROM unnest($2::text[] COLLATE "C") AS wanted (email)
  CROSS JOIN LATERAL (
    SELECT email, id, cause, weaker_causes, email_id, expires_at
    FROM suppressions
    WHERE account_id = $1 AND email = wanted.email
    LIMIT 1
  ) AS record`,
);

const NOTHING: RevertProgress = { line: 0, reverted: 0 };

/** Restores the causes that a lift removed, with their dates, where they are still absent. */
@Injectable()
export class RevertLift {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lines: LiftLinesRepository,
    private readonly reservations: ReservationsRepository,
    private readonly expiry: ExpirySweep,
    private readonly storedNames: StoredNames,
  ) {}

  async run(job: RunningJob, lift: FoundLift): Promise<void> {
    const { accountId } = job;
    const actor = { ...lift.revertedBy!, evidence: { reverted_lift: lift.id } };
    let progress = job.checkpoint as LiftProgress;
    for (;;) {
      const revert = progress.revert ?? NOTHING;
      const lines = await PAGE.run(this.dataSource, [accountId, lift.id, revert.line]);
      if (lines.length === 0) {
        return;
      }
      progress = await job.advance(async (transaction) => {
        const reverted = await this.revert({ accountId, actor }, lift, lines, transaction);
        const { number: line } = lines.at(-1)!;
        return { ...progress, revert: { line, reverted: revert.reverted + reverted } };
      });
    }
  }

  /**
   * Reserves the addresses before reading their states, so that they do not change in between.
   *
   * @returns the number of addresses whose cause was restored
   * @throws {AddressBeingErasedError | KeptBlocksUnreadableError}
   */
  private async revert(
    identity: Identity,
    { id, cause }: FoundLift,
    read: AppliedLine[],
    transaction: EntityManager,
  ): Promise<number> {
    const { accountId } = identity;
    const lines = renameRows(read, await this.storedNames.forWriting(accountId, emailsOf(read)));
    const emails = lines.map(({ email }) => email);
    await this.expiry.endExpiredCauses(accountId, emails, transaction);
    const placeholders = emails.map((email) => newPlaceholder(email, cause));
    const inserted = await this.reservations.reserve(accountId, placeholders, transaction);
    const unlisted = new Set(inserted.map(({ email }) => email));
    const states = await this.findStates(accountId, { id, cause }, emails, transaction);
    const now = new Date();
    const records: FinalRecord[] = [];
    const changes: NewChange[] = [];
    const results: LineResult[] = [];
    for (const line of lines) {
      const { number, email } = line;
      const state = states.get(email)!;
      const isPlaceholder = unlisted.has(email);
      const restoration = restore(line, state, isPlaceholder, now);
      if ('change' in restoration) {
        records.push(restoration.record);
        changes.push(restoration.change);
        results.push({ number, status: 'reverted', reason: null });
      } else {
        if (isPlaceholder) {
          records.push({ email, reservation: state.record.id, record: null });
        }
        results.push({ number, status: 'applied', reason: restoration.reason });
      }
    }
    await this.reservations.settle(identity, records, changes, transaction);
    await this.lines.update(accountId, id, results, transaction);
    return changes.length;
  }

  /** The states of reserved addresses. */
  private async findStates(
    accountId: number,
    { id, cause }: Pick<FoundLift, 'id' | 'cause'>,
    emails: EmailAddress[],
    transaction: EntityManager,
  ): Promise<Map<EmailAddress, AddressNow>> {
    const rows = await FIND_STATES.run(transaction, [accountId, emails, id, cause]);
    return new Map(
      rows.map(({ email, isWithdrawn, weakerCauses, ...record }) => [
        email,
        { email, isWithdrawn, record: { ...record, weakerCauses: causesIn(weakerCauses) } },
      ]),
    );
  }
}
