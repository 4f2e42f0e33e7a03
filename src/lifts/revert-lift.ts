import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Identity } from '../audit/request-context.js';
import type { RunningJob } from '../jobs/job-handler.js';
import { canExpire, isStronger, type Cause } from '../ledger/cause.js';
import { emailsOf, renameRows, StoredNames } from '../pseudonyms/stored-names.js';
import {
  newPlaceholder,
  ReservationsRepository,
  type FinalRecord,
  type NewChange,
  type ReservedRecord,
} from '../suppressions/additions/reservations.repository.js';
import { ExpiryRepository } from '../suppressions/expiry.repository.js';
import { AppliedLinesRepository, type AddressNow, type AppliedLine } from './applied-lines.repository.js';
import { LiftLinesRepository, type LineResult } from './lift-lines.repository.js';
import type { LiftProgress, LineReason, RevertProgress } from './lift.js';
import type { FoundLift } from './lifts.repository.js';

const NOTHING: RevertProgress = { line: 0, reverted: 0 };

/** Puts back what a lift removed, with its cause and its date, where it is still absent. */
@Injectable()
export class RevertLift {
  constructor(
    private readonly applied: AppliedLinesRepository,
    private readonly lines: LiftLinesRepository,
    private readonly reservations: ReservationsRepository,
    private readonly expiry: ExpiryRepository,
    private readonly storedNames: StoredNames,
  ) {}

  async run(job: RunningJob, lift: FoundLift): Promise<void> {
    const { accountId } = job;
    const actor = { ...lift.revertedBy!, evidence: { reverted_lift: lift.id } };
    let progress = job.checkpoint as LiftProgress;
    for (;;) {
      const revert = progress.revert ?? NOTHING;
      const lines = await this.applied.page(accountId, lift.id, revert.line);
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
   * Reserves the addresses before it reads their states, so that nobody changes them in between.
   *
   * @returns the number of addresses that got their cause again
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
    await this.expiry.end(accountId, emails, transaction);
    const placeholders = emails.map((email) => newPlaceholder(email, cause));
    const inserted = await this.reservations.reserve(accountId, placeholders, transaction);
    const unlisted = new Set(inserted.map(({ email }) => email));
    const states = await this.applied.findStates(accountId, { id, cause }, emails, transaction);
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
}

/** What the revert of a lift does with an address: a change, or the reason why it leaves the address as it is. */
export type Restoration = { record: FinalRecord; change: NewChange } | { reason: LineReason };

/**
 * Puts a cause back.
 *
 * @param isPlaceholder - whether the address has no record
 */
function restore(
  line: AppliedLine,
  { record, isWithdrawn }: AddressNow,
  isPlaceholder: boolean,
  now: Date,
): Restoration {
  if (line.isErased) {
    return { reason: 'erased' };
  }
  if (!isPlaceholder && causesOf(record).includes(line.cause)) {
    return { reason: 'listed' };
  }
  if (isWithdrawn) {
    return { reason: 'removed' };
  }
  if (line.expiresAt && line.expiresAt <= now) {
    return { reason: 'expired' };
  }
  return isPlaceholder ? addAgain(line, record.id) : addTo(record, line);
}

/** The record gets its id again, and with it its time of creation. */
function addAgain(line: AppliedLine, reservation: string): Restoration {
  const { email, suppressionId: id, cause, emailId, expiresAt } = line;
  return {
    record: { email, reservation, record: { id, cause, weakerCauses: [], emailId, expiresAt } },
    change: changeOf(line, 'added', id, expiresAt),
  };
}

function addTo(before: ReservedRecord, line: AppliedLine): Restoration {
  const { email, cause, emailId } = line;
  const expiresAt = causesOf(before).some(canExpire)
    ? later(before.expiresAt, line.expiresAt)
    : line.expiresAt;
  const isNowStrongest = isStronger(cause, before.cause);
  const record: ReservedRecord = isNowStrongest
    ? { ...before, cause, weakerCauses: causesOf(before), emailId, expiresAt }
    : { ...before, weakerCauses: [...before.weakerCauses, cause], expiresAt };
  return {
    record: { email, reservation: before.id, record },
    change: changeOf(line, isNowStrongest ? 'strengthened' : 'cause_added', before.id, expiresAt),
  };
}

function changeOf(
  { email, cause, emailId, occurredAt, eventId, note }: AppliedLine,
  action: NewChange['action'],
  suppressionId: string,
  expiresAt: Date | null,
): NewChange {
  return { action, suppressionId, email, cause, emailId, occurredAt, eventId, note, expiresAt };
}

function causesOf({ cause, weakerCauses }: ReservedRecord): readonly Cause[] {
  return [cause, ...weakerCauses];
}

/** A bounce and a manual entry expire together. Null is never. */
function later(one: Date | null, other: Date | null): Date | null {
  return one && other ? new Date(Math.max(one.getTime(), other.getTime())) : null;
}
