import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { inDryRun } from '../database/after-commit.js';
import { UnreadableFileError } from '../files/errors.js';
import { JobFailedError } from '../jobs/errors.js';
import { JobFiles } from '../jobs/job-files.js';
import type { JobStatus } from '../jobs/job.entity.js';
import { JobRunner, type JobHandler, type RunningJob } from '../jobs/job-runner.js';
import type { Action } from '../ledger/suppression-change.entity.js';
import type { Addition } from '../suppressions/addition.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
import { WebhookDeliveriesService } from '../webhooks/webhook-deliveries.service.js';
import { ImportDto } from './dto/import.dto.js';
import { readEntries, type NumberedReading } from './formats/read-entries.js';
import { sum, type ImportProgress } from './import-progress.js';
import { actorOfImport } from './import-actor.js';
import { ImportsRepository, type FoundImport } from './imports.repository.js';
import { readChunk } from './read-chunk.js';

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
    private readonly webhooks: WebhookDeliveriesService,
  ) {}

  onModuleInit(): void {
    this.runner.register('import', this);
  }

  async run(job: RunningJob): Promise<JobStatus> {
    const found = (await this.imports.find(job.accountId, job.id))!;
    let progress = job.checkpoint as ImportProgress;
    try {
      for await (const readings of this.chunksAfter(progress.rows, job, found)) {
        progress = await this.apply(job, found, readings, progress);
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
    { plan, defaultCause }: FoundImport,
  ): AsyncGenerator<NumberedReading[]> {
    const options = { defaultCause, now: new Date() };
    let passed = 0;
    let chunk: NumberedReading[] = [];
    try {
      for await (const readings of readEntries(this.files.read(accountId, id), plan, options)) {
        for (const reading of readings) {
          if (passed < rows) {
            passed++;
          } else if (chunk.push(reading) === ROWS_AT_ONCE) {
            yield chunk;
            chunk = [];
          }
        }
      }
    } catch (error) {
      yield chunk;
      throw error;
    }
    yield chunk;
  }

  private async apply(
    job: RunningJob,
    found: FoundImport,
    readings: NumberedReading[],
    before: ImportProgress,
  ): Promise<ImportProgress> {
    if (readings.length === 0) {
      return before;
    }
    const { additions, invalid, counts } = readChunk(readings, new Date());
    return job.advance(async (transaction) => {
      await this.imports.addErrors(job.accountId, job.id, invalid, before, transaction);
      const actions = await this.suppress(job.accountId, found, additions, transaction);
      return sum(before, { ...counts, ...countActions(actions, counts.unchanged) });
    });
  }

  private async suppress(
    accountId: number,
    found: FoundImport,
    additions: Addition[],
    transaction: EntityManager,
  ): Promise<(Action | null)[]> {
    const suppress = () =>
      this.suppressions.suppress(accountId, actorOfImport(found), additions, transaction);
    const suppressed = await (found.dryRun ? inDryRun(transaction, suppress) : suppress());
    return [...suppressed.values()].map(({ action }) => action);
  }
}

function countActions(
  actions: (Action | null)[],
  unchanged: number,
): Pick<ImportProgress, 'added' | 'strengthened' | 'unchanged'> {
  const count = (action: Action | null) => actions.filter((one) => one === action).length;
  return {
    added: count('added'),
    strengthened: count('strengthened') + count('cause_added'),
    unchanged: unchanged + count(null),
  };
}
