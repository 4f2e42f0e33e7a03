import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { EmailAddress } from '../email-address/email-address.js';
import type { JobStatus } from '../jobs/job.entity.js';
import { JobRunner, type JobHandler, type RunningJob } from '../jobs/job-runner.js';
import type { Cause } from '../ledger/cause.js';
import {
  ReservationsRepository,
  type FinalRecord,
  type NewChange,
} from '../suppressions/reservations.repository.js';
import { actorOfImport } from './import-actor.js';
import type { ImportProgress } from './import-progress.js';
import { ImportChangesRepository, type TouchedAddress } from './import-changes.repository.js';
import { ImportsRepository, type FoundImport } from './imports.repository.js';

const NOTE = 'The import was reverted.';

/** Takes back what an import did to addresses that nobody has changed since. */
@Injectable()
export class RevertJob implements JobHandler, OnModuleInit {
  constructor(
    private readonly runner: JobRunner,
    private readonly imports: ImportsRepository,
    private readonly changes: ImportChangesRepository,
    private readonly reservations: ReservationsRepository,
  ) {}

  onModuleInit(): void {
    this.runner.register('revert', this);
  }

  async run(job: RunningJob): Promise<JobStatus> {
    const found = (await this.imports.find(job.accountId, job.id))!;
    const progress = job.checkpoint as ImportProgress;
    const range = progress.revert ?? (await this.changes.range(found));
    for (let { position } = range; ;) {
      const changed = await this.changes.page(job.accountId, found.id, position, range.end);
      const last = changed.at(-1);
      if (!last) {
        return 'reverted';
      }
      const causes = new Map(changed.map(({ email, cause }) => [email, cause]));
      await job.advance(async (transaction) => {
        await this.takeBack(job.accountId, found, causes, transaction);
        return { ...progress, revert: { ...range, position: last.id } };
      });
      position = last.id;
    }
  }

  /** Reserves the addresses before it reads what happened to them, so that nobody changes them in between. */
  private async takeBack(
    accountId: number,
    found: FoundImport,
    causes: Map<EmailAddress, Cause>,
    transaction: EntityManager,
  ): Promise<void> {
    const placeholders = await this.reservations.reserve(accountId, causes, transaction);
    const touched = await this.changes.findUntouched(accountId, found.id, [...causes.keys()], transaction);
    const records: FinalRecord[] = [
      ...[...placeholders].map((reservation) => ({ reservation, record: null })),
      ...touched.map(toFinalRecord),
    ];
    const changes = touched.flatMap(toChanges);
    await this.reservations.settle(accountId, actorOfImport(found), records, changes, transaction);
  }
}

function toFinalRecord({ suppressionId: id, before }: TouchedAddress): FinalRecord {
  return { reservation: id, record: before && { id, ...before } };
}

/** A record that was strengthened is removed from the ledger's view, and added as it was before. */
function toChanges({ suppressionId, email, cause, emailId, before }: TouchedAddress): NewChange[] {
  const change = { suppressionId, email, occurredAt: null, eventId: null, note: NOTE };
  const removed: NewChange = { ...change, action: 'removed', cause, emailId };
  return before ? [removed, { ...change, action: 'added', ...before }] : [removed];
}
