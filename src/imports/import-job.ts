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
  type JobKey,
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
/** The most pieces of a file in a chunk, 4 MiB. Rows may be a thousand times as long as usual ones. */
const CHUNK_PIECES = 512;

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
    for await (const ready of readAhead(this.chunksAfter(progress.rows, job, found))) {
      progress = await this.apply(job, found, ready, progress);
    }
    requireValidRow(progress);
    return 'completed';
  }

  async onEnd({ accountId, id }: JobKey, status: JobStatus, transaction: EntityManager): Promise<void> {
    const found = (await this.imports.find(accountId, id, transaction))!;
    if (found.dryRun && status === 'completed') {
      await this.files.keep(accountId, id, transaction);
    }
    const data = new ImportDto(found);
    const type = status === 'failed' ? 'import.failed' : 'import.completed';
    await announceEvent(transaction, accountId, createEvent(type, id, found.completedAt!, data));
  }

  /**
   * Reads the file from its beginning, and skips the rows that were already applied. While a chunk is written, the next one is
   * read, and the records that already cover its addresses are found.
   */
  private async *chunksAfter(
    rows: number,
    { accountId, id, stopping }: RunningJob,
    found: FoundImport,
  ): AsyncGenerator<ReadyChunk> {
    const { plan, defaultCause, topicId } = found;
    const options = { defaultCause, isForTopic: topicId !== null, now: new Date() };
    const knownSince = await this.imports.firstUpload(accountId, found);
    let skipped = 0;
    let pending: NumberedReading[] = [];
    let pieces = 0;
    const takePending = async (): Promise<ReadyChunk> => {
      const chunk = readChunk(pending, { ...plan.dates, now: options.now, knownSince });
      pending = [];
      pieces = 0;
      return { chunk, listed: await this.writer.lookUp(accountId, topicId, chunk.addresses) };
    };
    try {
      for await (const readings of readEntries(this.files.read(accountId, id), plan, options)) {
        await setImmediate();
        if (stopping.aborted) {
          throw new JobInterruptedError();
        }
        pieces++;
        for (const reading of readings) {
          if (skipped < rows) {
            skipped++;
          } else if (pending.push(reading) === CHUNK_ROWS || pieces >= CHUNK_PIECES) {
            yield await takePending();
          }
        }
      }
    } catch (error) {
      yield await takePending();
      throw error instanceof UnreadableFileError
        ? new JobFailedError(error.problem, error.message, error.line)
        : error;
    }
    yield await takePending();
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

const ADVICE: Record<RowError, string> = {
  invalid_email:
    'If the addresses are in another column, name the columns (mapping). Hashes of addresses cannot be imported.',
  unknown_cause:
    'Name the columns without one for the cause (mapping), and the cause of all rows (default_cause).',
  invalid_date:
    'Dates are read in the date_format, if there is one, or as Unix seconds, RFC 2822, or with the year first. Only the ' +
    'expiry of a suppression may be more than a day ahead.',
  ambiguous_date: `Name the form of the dates (date_format): ${DATE_FORMATS.join(', ')}.`,
  malformed_row:
    'A row must have as many fields as the first line, and end in LF or CRLF. An entry of JSON must be an object.',
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
