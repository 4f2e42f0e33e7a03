import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Identity } from '../audit/request-context.js';
import type { RunningJob } from '../jobs/job-handler.js';
import type { LiftEvidence } from '../ledger/evidence.js';
import { renameInConsent, StoredNames } from '../pseudonyms/stored-names.js';
import { RemovalsRepository } from '../suppressions/removals.repository.js';
import { LiftLinesRepository, type LineResult } from './lift-lines.repository.js';
import type { ApplyProgress, LiftedCause, LiftProgress } from './lift.js';
import type { FoundLift } from './lifts.repository.js';
import { PlannedLinesRepository, type LockedRecord, type PlannedLine } from './planned-lines.repository.js';

const NOTHING: ApplyProgress = { line: 0, applied: 0, skipped: 0 };

/** Lifts the cause of the lines of a plan, except from records that have changed since, and addresses that have bounced again. */
@Injectable()
export class ApplyLift {
  constructor(
    private readonly planned: PlannedLinesRepository,
    private readonly lines: LiftLinesRepository,
    private readonly removals: RemovalsRepository,
    private readonly storedNames: StoredNames,
  ) {}

  async run(job: RunningJob, lift: FoundLift): Promise<void> {
    const { accountId } = job;
    let progress = job.checkpoint as LiftProgress;
    for (;;) {
      const apply = progress.apply ?? NOTHING;
      const lines = await this.planned.page(accountId, lift.id, apply.line);
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

  /** An address that the consent quotes may be erased while the lines are applied. */
  private async identityOf(accountId: number, { id, appliedBy }: FoundLift): Promise<Identity> {
    const { consent } = (appliedBy!.evidence ?? {}) as LiftEvidence;
    const renamed =
      consent && renameInConsent(consent, await this.storedNames.quotedIn(accountId, consent.reference));
    const evidence: LiftEvidence = { ...(renamed && { consent: renamed }), lift: id };
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
    const records = await this.planned.lock(accountId, emails, createdAt, transaction);
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
}

function resultOf(
  { number, revision }: PlannedLine,
  record: LockedRecord | undefined,
  cause: LiftedCause,
): LineResult {
  if (!record?.causes.includes(cause)) {
    return { number, status: 'skipped', reason: 'absent' };
  }
  if (record.revision !== revision) {
    return { number, status: 'skipped', reason: 'changed' };
  }
  return cause === 'bounce' && record.hasFailedAgain
    ? { number, status: 'skipped', reason: 'failed_again' }
    : { number, status: 'applied', reason: null };
}
