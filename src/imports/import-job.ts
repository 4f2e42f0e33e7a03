import { setImmediate } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { inDryRun } from '../database/after-commit.js';
import { UnreadableFileError } from '../files/errors.js';
import { JobFailedError } from '../jobs/errors.js';
import { JobFiles } from '../jobs/job-files.js';
import type { JobStatus } from '../jobs/job.entity.js';
import { JobRunner, type JobHandler, type RunningJob } from '../jobs/job-runner.js';
import type { Action } from '../ledger/suppression-change.entity.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
import { PreferencesRepository, type Choice } from '../topics/preferences.repository.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { WebhookDeliveriesService } from '../webhooks/webhook-deliveries.service.js';
import { ImportDto } from './dto/import.dto.js';
import { readEntries, type NumberedReading } from './formats/read-entries.js';
import { sum, type ImportProgress } from './import-progress.js';
import { actorOfImport } from './import-actor.js';
import { ImportsRepository, type FoundImport } from './imports.repository.js';
import { readAhead } from './read-ahead.js';
import { readChunk, type Chunk } from './read-chunk.js';

/** As many as a check takes: the locks of a chunk last for some tens of milliseconds. */
const ROWS_AT_ONCE = 1_000;

/** Applies the rows of a file to the list, chunk by chunk. */
@Injectable()
export class ImportJob implements JobHandler, OnModuleInit {
  constructor(
    private readonly runner: JobRunner,
    private readonly files: JobFiles,
    private readonly imports: ImportsRepository,
    private readonly suppressions: SuppressionsService,
    private readonly preferences: PreferencesRepository,
    private readonly webhooks: WebhookDeliveriesService,
  ) {}

  onModuleInit(): void {
    this.runner.register('import', this);
  }

  async run(job: RunningJob): Promise<JobStatus> {
    const found = (await this.imports.find(job.accountId, job.id))!;
    let progress = job.checkpoint as ImportProgress;
    try {
      for await (const chunk of readAhead(this.chunksAfter(progress.rows, job, found))) {
        progress = await this.apply(job, found, chunk, progress);
      }
    } catch (error) {
      throw error instanceof UnreadableFileError
        ? new JobFailedError(error.problem, error.message, error.line)
        : error;
    }
    return 'completed';
  }

  async ended(accountId: number, id: string, _status: JobStatus, transaction: EntityManager): Promise<void> {
    const found = (await this.imports.find(accountId, id, transaction))!;
    const data = new ImportDto(found);
    await this.webhooks.announce(accountId, 'import.completed', id, found.completedAt!, data, transaction);
  }

  /** Reads the file from its beginning, and passes over the rows that were applied already. */
  private async *chunksAfter(
    rows: number,
    { accountId, id }: RunningJob,
    { plan, defaultCause, topicId }: FoundImport,
  ): AsyncGenerator<Chunk> {
    const options = { defaultCause, isForTopic: topicId !== null, now: new Date() };
    let passed = 0;
    let gathered: NumberedReading[] = [];
    try {
      for await (const readings of readEntries(this.files.read(accountId, id), plan, options)) {
        await setImmediate();
        for (const reading of readings) {
          if (passed < rows) {
            passed++;
          } else if (gathered.push(reading) === ROWS_AT_ONCE) {
            yield readChunk(gathered, options.now);
            gathered = [];
          }
        }
      }
    } catch (error) {
      yield readChunk(gathered, options.now);
      throw error;
    }
    yield readChunk(gathered, options.now);
  }

  private async apply(
    job: RunningJob,
    found: FoundImport,
    chunk: Chunk,
    before: ImportProgress,
  ): Promise<ImportProgress> {
    if (chunk.counts.rows === 0) {
      return before;
    }
    return job.advance(async (transaction) => {
      await this.imports.addErrors(job.accountId, job.id, chunk.invalid, before, transaction);
      const work = () =>
        found.topicId === null
          ? this.suppress(job.accountId, found, chunk, transaction)
          : this.optOut(job.accountId, found, found.topicId, chunk, transaction);
      const changed = await (found.dryRun ? inDryRun(transaction, work) : work());
      const unchanged = chunk.counts.unchanged + changed.unchanged;
      return sum(before, { ...chunk.counts, ...changed, unchanged });
    });
  }

  /** An address counts once, by its strongest cause that changed anything. */
  private async suppress(
    accountId: number,
    found: FoundImport,
    { additions, weaker }: Chunk,
    transaction: EntityManager,
  ): Promise<Changed> {
    const actions = new Map<EmailAddress, Action | null>();
    for (const part of [additions, ...weaker]) {
      const actor = actorOfImport(found);
      const suppressed = await this.suppressions.suppress(accountId, actor, part, transaction);
      suppressed.forEach(({ action }, email) => actions.set(email, actions.get(email) ?? action));
    }
    const all = [...actions.values()];
    const added = all.filter((action) => action === 'added').length;
    const unchanged = all.filter((action) => action === null).length;
    return { added, unchanged, strengthened: all.length - added - unchanged };
  }

  private async optOut(
    accountId: number,
    found: FoundImport,
    topicId: string,
    { additions }: Chunk,
    transaction: EntityManager,
  ): Promise<Changed> {
    const choices = additions.map(({ email, occurredAt, note }): Choice => {
      return { email, topicId, subscription: 'opt_out', emailId: null, occurredAt, eventId: null, note };
    });
    const actor = actorOfImport(found);
    const added = await this.preferences.set(accountId, actor, 'import', choices, transaction);
    return { added, unchanged: choices.length - added, strengthened: 0 };
  }
}

/** What a chunk changed, in addresses. */
type Changed = Pick<ImportProgress, 'added' | 'strengthened' | 'unchanged'>;
