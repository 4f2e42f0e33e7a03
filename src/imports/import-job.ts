import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { announceEvent, createEvent } from '../announcements/events.js';
import { runAndRollBack } from '../database/transaction.js';
import { UnreadableFileError } from '../files/errors.js';
import { readAhead } from '../files/streams.js';
import {
  JobFailedError,
  JobInterruptedError,
  type JobHandler,
  type RunningJob,
} from '../jobs/job-handler.js';
import { JobFiles } from '../jobs/job-files.js';
import type { JobStatus } from '../jobs/job.entity.js';
import { JobRunner } from '../jobs/job-runner.js';
import type { PresentSuppression } from '../suppressions/additions/additions.repository.js';
import { renameIn, StoredNames } from '../pseudonyms/stored-names.js';
import { ChunkWriter, withoutSuperseding } from './chunk-writer.js';
import { actorOfImport, ImportDto } from './import.dto.js';
import { readEntries, type NumberedReading } from './formats/formats.js';
import {
  addChunk,
  readChunk,
  type Chunk,
  type ErrorCount,
  type ImportProgress,
  type InvalidEntry,
} from './chunks.js';
import { DATE_FORMATS } from './dates.js';
import type { RowError } from './formats/format.js';
import { ImportsRepository, type FoundImport } from './imports.repository.js';

/** The same number as in a check. A chunk holds its locks for some tens of milliseconds. */
const CHUNK_ROWS = 1_000;
/** Rows may be a thousand times as long as usual ones. */
const CHUNK_LENGTH = 4 * 1024 * 1024;

interface ReadyChunk {
  chunk: Chunk;
  listed: PresentSuppression[] | undefined;
}

@Injectable()
export class ImportJob implements JobHandler {
  constructor(
    runner: JobRunner,
    private readonly files: JobFiles,
    private readonly imports: ImportsRepository,
    private readonly writer: ChunkWriter,
    private readonly storedNames: StoredNames,
  ) {
    runner.register('import', this);
  }

  async run(job: RunningJob): Promise<JobStatus> {
    const found = (await this.imports.find(job.accountId, job.id))!;
    let progress = job.checkpoint as ImportProgress;
    try {
      const knownSince = await this.imports.firstUpload(job.accountId, found);
      const chunks = this.chunksAfter(progress.rows, job, found, knownSince);
      for await (const ready of readAhead(this.withListed(chunks, job, found))) {
        progress = await this.apply(job, found, ready, progress);
      }
    } catch (error) {
      throw error instanceof UnreadableFileError
        ? new JobFailedError(error.problem, error.message, error.line)
        : error;
    }
    requireValidRow(progress);
    return 'completed';
  }

  async onEnd(accountId: number, id: string, status: JobStatus, transaction: EntityManager): Promise<void> {
    const found = (await this.imports.find(accountId, id, transaction))!;
    if (found.dryRun && status === 'completed') {
      await this.files.keep(accountId, id, transaction);
    }
    const data = new ImportDto(found);
    const type = status === 'failed' ? 'import.failed' : 'import.completed';
    await announceEvent(transaction, accountId, createEvent(type, id, found.completedAt!, data));
  }

  /** Reads the file from its beginning, and skips the rows that were already applied. */
  private async *chunksAfter(
    rows: number,
    { accountId, id, stopping }: RunningJob,
    { plan, defaultCause, topicId }: FoundImport,
    knownSince: Date,
  ): AsyncGenerator<Chunk> {
    const options = { defaultCause, isForTopic: topicId !== null, now: new Date() };
    const dates = { ...plan.dates, now: options.now, knownSince };
    let skipped = 0;
    let pending: NumberedReading[] = [];
    let length = 0;
    const pieces = tap(this.files.read(accountId, id), (piece) => (length += piece.length));
    try {
      for await (const readings of readEntries(pieces, plan, options)) {
        await setImmediate();
        if (stopping.aborted) {
          throw new JobInterruptedError();
        }
        for (const reading of readings) {
          if (skipped < rows) {
            skipped++;
          } else if (pending.push(reading) === CHUNK_ROWS || length >= CHUNK_LENGTH) {
            yield readChunk(pending, dates);
            pending = [];
            length = 0;
          }
        }
      }
    } catch (error) {
      yield readChunk(pending, dates);
      throw error;
    }
    yield readChunk(pending, dates);
  }

  /** Adds the records that already cover addresses of a chunk, while the chunk before is written. */
  private async *withListed(
    chunks: AsyncIterable<Chunk>,
    { accountId }: RunningJob,
    { topicId }: FoundImport,
  ): AsyncGenerator<ReadyChunk> {
    for await (const chunk of chunks) {
      yield { chunk, listed: await this.writer.lookUp(accountId, topicId, chunk.addresses) };
    }
  }

  private async apply(
    job: RunningJob,
    found: FoundImport,
    { chunk, listed }: ReadyChunk,
    before: ImportProgress,
  ): Promise<ImportProgress> {
    if (chunk.counts.rows === 0) {
      return before;
    }
    const identity = { accountId: job.accountId, actor: actorOfImport(found) };
    const { topicId, dryRun } = found;
    const { addresses, counts } = chunk;
    const invalid = await this.withPseudonyms(job.accountId, chunk.invalid);
    return withoutSuperseding((superseded) =>
      job.advance(async (transaction) => {
        await this.imports.addErrors(job, invalid, before, transaction);
        const present = superseded.size === 0 ? listed : undefined;
        const entries = { topicId, addresses, superseded, listed: present };
        const work = () => this.writer.write(identity, entries, transaction);
        return addChunk(before, counts, await (dryRun ? runAndRollBack(transaction, work) : work()));
      }),
    );
  }

  /** Replaces the erased addresses that invalid entries quote. */
  private async withPseudonyms(accountId: number, invalid: InvalidEntry[]): Promise<InvalidEntry[]> {
    const emails = invalid.flatMap(({ email }) => email ?? []);
    const pseudonyms = await this.storedNames.forWriting(accountId, emails);
    return invalid.map((entry) => {
      const pseudonym = entry.email && pseudonyms.get(entry.email);
      return pseudonym
        ? { ...entry, value: renameIn(entry.value, new Map([[entry.email!, pseudonym]]))! }
        : entry;
    });
  }
}

async function* tap<Value>(values: AsyncIterable<Value>, see: (value: Value) => void): AsyncGenerator<Value> {
  for await (const value of values) {
    see(value);
    yield value;
  }
}

const ADVICE: Record<RowError, string> = {
  invalid_email: 'If the addresses are in another column, name the columns (mapping).',
  unknown_cause:
    'Name the columns without one for the cause (mapping), and the cause of all rows (default_cause).',
  invalid_date:
    'Dates are read in the date_format, if there is one, or as Unix seconds, RFC 2822, or with the year first.',
  ambiguous_date: `Name the form of the dates (date_format): ${DATE_FORMATS.join(', ')}.`,
  malformed_row: 'A row must have as many fields as the first line, and end in LF or CRLF.',
};

/**
 * Checks the progress of an import that has reached the end of its file.
 *
 * @throws {JobFailedError} if all rows that were to be imported are invalid, since `completed` would mislead
 */
function requireValidRow({ rows, invalid, errors = {}, ...counts }: ImportProgress): void {
  const { added, strengthened, unchanged, skipped } = counts;
  const valid = added + strengthened + unchanged + (skipped.removed_since ?? 0);
  const [mostFrequent] = (Object.entries(errors) as [RowError, ErrorCount][]).sort(mostRowsFirst);
  if (valid > 0 || !mostFrequent) {
    return;
  }
  const [code, { firstLine }] = mostFrequent;
  const [only, all] =
    invalid < rows
      ? ['The only row that was not skipped', 'rows that were not skipped']
      : ['The only row', 'rows'];
  const subject = invalid === 1 ? `${only} is` : `All ${invalid.toLocaleString('en')} ${all} are`;
  const message = `${subject} invalid. The most frequent error is ${code}, first in line ${firstLine}. ${ADVICE[code]}`;
  throw new JobFailedError('no_valid_row', message, firstLine);
}

function mostRowsFirst([, one]: [RowError, ErrorCount], [, other]: [RowError, ErrorCount]): number {
  return other.rows - one.rows || one.firstLine - other.firstLine;
}
