import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Identity } from '../audit/request-context.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { JobStatus } from '../jobs/job.entity.js';
import type { JobHandler, RunningJob } from '../jobs/job-handler.js';
import { JobRunner } from '../jobs/job-runner.js';
import { CAUSES, type Cause } from '../ledger/cause.js';
import { rangeBetween } from '../ledger/suppression-changes.repository.js';
import { ReservationsRepository, newPlaceholder } from '../suppressions/additions/reservations.repository.js';
import { RemovalsRepository } from '../suppressions/removals.repository.js';
import type { ChangeActor } from '../ledger/evidence.js';
import { PreferencesRepository } from '../topics/preferences.repository.js';
import { ImportChangesRepository, type ImportChange } from './import-changes.repository.js';
import type { ImportProgress } from './import-progress.js';
import { ImportsRepository, type FoundImport } from './imports.repository.js';

@Injectable()
export class RevertJob implements JobHandler, OnModuleInit {
  constructor(
    private readonly runner: JobRunner,
    private readonly imports: ImportsRepository,
    private readonly changes: ImportChangesRepository,
    private readonly reservations: ReservationsRepository,
    private readonly removals: RemovalsRepository,
    private readonly preferences: PreferencesRepository,
  ) {}

  onModuleInit(): void {
    this.runner.register('revert', this);
  }

  async run(job: RunningJob): Promise<JobStatus> {
    const found = (await this.imports.find(job.accountId, job.id))!;
    const progress = job.checkpoint as ImportProgress;
    let revert = progress.revert!;
    const range = rangeBetween(found.startedAt!.getTime(), Date.parse(revert.endedAt));
    for (;;) {
      const from = revert.position ?? range.position;
      const page = await this.changes.next(job.accountId, found.id, { ...range, position: from });
      if (!page) {
        return 'reverted';
      }
      ({ revert } = await job.advance(async (transaction) => {
        const count = await this.revert(
          { accountId: job.accountId, actor: revert.by },
          found,
          page.lines,
          transaction,
        );
        const { position } = page;
        return { ...progress, revert: { ...revert, reverted: revert.reverted + count, position } };
      }));
    }
  }

  /** @returns the number of addresses reverted */
  private async revert(
    identity: Identity,
    { id, topicId }: FoundImport,
    changed: ImportChange[],
    transaction: EntityManager,
  ): Promise<number> {
    if (changed.length === 0) {
      return 0;
    }
    const actor: ChangeActor = { ...identity.actor, evidence: { reverted_import: id } };
    if (topicId) {
      const emails = changed.map(({ email }) => email);
      return this.preferences.revert(
        { accountId: identity.accountId, actor },
        { topicId, importId: id, note: noteOf(id) },
        emails,
        transaction,
      );
    }
    const causes = new Map(changed.map(({ email, cause }) => [email, cause!]));
    return this.revertCauses({ accountId: identity.accountId, actor }, id, causes, transaction);
  }

  /** Reserves the addresses before it reads their changes, so that nobody changes them in between. */
  private async revertCauses(
    identity: Identity,
    id: string,
    causes: Map<EmailAddress, Cause>,
    transaction: EntityManager,
  ): Promise<number> {
    const placeholders = [...causes].map(([email, cause]) => newPlaceholder(email, cause));
    const inserted = await this.reservations.reserve(identity.accountId, placeholders, transaction);
    const untouched = await this.changes.findUntouched(
      identity.accountId,
      id,
      [...causes.keys()],
      transaction,
    );
    const released = inserted.map(({ id: reservation, email }) => ({ reservation, email, record: null }));
    await this.reservations.settle(identity, released, [], transaction);
    for (const cause of CAUSES) {
      const emails = untouched.filter((address) => address.causes.includes(cause)).map(({ email }) => email);
      if (emails.length > 0) {
        const removal = { cause, note: noteOf(id), liftable: CAUSES };
        await this.removals.lift(identity, { emails }, removal, transaction);
      }
    }
    return untouched.length;
  }
}

function noteOf(id: string): string {
  return `The import ${id} was reverted.`;
}
