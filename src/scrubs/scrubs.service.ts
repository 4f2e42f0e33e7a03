import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { parseEmailAddress } from '../email-address/email-address.js';
import type { CsvRow } from '../files/csv-rows.js';
import { UnreadableFileError } from '../files/errors.js';
import { UnreadableUploadError } from '../http/errors.js';
import { RETENTION_DAYS } from '../jobs/retention.js';
import { CheckService } from '../suppressions/check.service.js';
import type { CheckedEmail } from '../suppressions/checked-email.js';
import type { RequestedPurpose } from '../suppressions/requested-purpose.js';
import { lowestIdAt } from '../suppressions/suppression-id.js';
import type { Verdict } from '../suppressions/verdict.js';
import { ScrubNotFoundError } from './errors.js';
import {
  addressOf,
  append,
  isBlank,
  isRecipient,
  readFirstLine,
  type RecipientFile,
} from './recipient-file.js';
import { Scrub, type ScrubStatus } from './scrub.entity.js';

export const SCRUB_MODES = ['filter', 'annotate'] as const;

export type ScrubMode = (typeof SCRUB_MODES)[number];

export interface ScrubOptions {
  mode: ScrubMode;
  column: string | undefined;
  purpose: RequestedPurpose;
}

/** The connection of a scrub is closed after this time. */
export const SCRUB_TIME_LIMIT_MS = 60 * 60 * 1000;
const RETENTION_MS = RETENTION_DAYS * 24 * 60 * 60 * 1000;
const ABANDONED = 'The service stopped before the end of the file. Send it again.';
/** As many as a check takes. */
const ROWS_AT_ONCE = 1_000;
/** Enough for the longest first line. */
const HEAD_LENGTH = 64 * 1024;
const UTF16_BOM = /^(?:\u00ff\u00fe|\u00fe\u00ff)/;

type Counts = Record<Verdict, number>;

@Injectable()
export class ScrubsService {
  constructor(
    @InjectRepository(Scrub) private readonly scrubs: Repository<Scrub>,
    private readonly checks: CheckService,
  ) {}

  /** @throws {ScrubNotFoundError} */
  async get(accountId: number, id: string): Promise<Scrub> {
    const found = await this.scrubs.findOneBy({ accountId, id });
    if (!found) {
      throw new ScrubNotFoundError();
    }
    return isAbandoned(found) ? { ...found, status: 'failed', problem: ABANDONED } : found;
  }

  /**
   * Checks the recipients of a file while it arrives, and passes it on without those that must not be mailed, or with what
   * was found out. The counts are stored under the id.
   *
   * @throws {UnknownColumnError | TopicNotFoundError | UnreadableUploadError}
   */
  async *scrub(
    accountId: number,
    id: string,
    file: AsyncIterable<Buffer>,
    { mode, column, purpose }: ScrubOptions,
  ): AsyncGenerator<Buffer> {
    await this.scrubs.delete({ accountId, id: LessThan(lowestIdAt(Date.now() - RETENTION_MS)) });
    await this.scrubs.insert({ accountId, id });
    const counts: Counts = { send: 0, suppressed: 0, invalid: 0 };
    const end = { status: 'failed' as ScrubStatus, problem: null as string | null };
    try {
      const { head, texts } = await withHead(file);
      const recipients = readFirstLine(head, column);
      const write = mode === 'filter' ? filterRow : annotateRow;
      for await (const chunk of this.checkChunks(accountId, texts, recipients, purpose)) {
        yield toBytes(chunk, recipients, counts, write);
      }
      end.status = 'completed';
    } catch (error) {
      if (error instanceof UnreadableFileError) {
        end.problem = error.message;
        throw new UnreadableUploadError(error.message);
      }
      throw error;
    } finally {
      await this.scrubs.update({ accountId, id }, { ...end, ...toColumns(counts), completedAt: new Date() });
    }
  }

  /** A chunk is checked while the one before is passed on. */
  private async *checkChunks(
    accountId: number,
    texts: AsyncIterable<string>,
    recipients: RecipientFile,
    purpose: RequestedPurpose,
  ): AsyncGenerator<CheckedChunk> {
    let previous: Promise<CheckedChunk> | undefined;
    const check = async (rows: CsvRow[]): Promise<CheckedChunk> => {
      const requested = rows
        .filter((row) => isRecipient(row, recipients))
        .map((row) => addressOf(row, recipients))
        .map((text) => ({ text, address: parseEmailAddress(text) }));
      return {
        rows,
        checked: await this.checks.check(accountId, requested, purpose),
      };
    };
    try {
      for await (const rows of chunksOf(texts, recipients)) {
        const next = check(rows);
        next.catch(() => undefined);
        if (previous) {
          yield await previous;
        }
        previous = next;
      }
      if (previous) {
        yield await previous;
      }
    } finally {
      await previous?.catch(() => undefined);
    }
  }
}

/** The instance that ran the scrub was killed. */
function isAbandoned({ status, createdAt }: Scrub): boolean {
  return status === 'running' && createdAt.getTime() < Date.now() - SCRUB_TIME_LIMIT_MS;
}

interface CheckedChunk {
  rows: CsvRow[];
  /** Of the rows that are recipients. */
  checked: CheckedEmail[];
}

type WriteRow = (row: CsvRow, checked: CheckedEmail | null, file: RecipientFile) => string;

const filterRow: WriteRow = (row, checked) => (checked === null || checked.verdict === 'send' ? row.raw : '');

const annotateRow: WriteRow = (row, checked, file) => {
  if (checked === null) {
    return isBlank(row) ? row.raw : append(row, file, ['verdict', 'cause']);
  }
  const [decided] = checked.verdict === 'suppressed' ? checked.matches : [];
  const cause = decided?.type === 'suppression' ? decided.cause : (decided?.type ?? '');
  return append(row, file, [checked.verdict, cause]);
};

function toBytes(
  { rows, checked }: CheckedChunk,
  file: RecipientFile,
  counts: Counts,
  write: WriteRow,
): Buffer {
  const results = checked.values();
  const text = rows.map((row) => {
    const result = isRecipient(row, file) ? results.next().value! : null;
    if (result) {
      counts[result.verdict]++;
    }
    return write(row, result, file);
  });
  return Buffer.from(text.join(''), 'latin1');
}

async function* chunksOf(texts: AsyncIterable<string>, { rows }: RecipientFile): AsyncGenerator<CsvRow[]> {
  let chunk: CsvRow[] = [];
  for await (const text of texts) {
    for (const row of rows.read(text)) {
      if (chunk.push(row) === ROWS_AT_ONCE) {
        yield chunk;
        chunk = [];
      }
    }
  }
  chunk.push(...rows.end());
  if (chunk.length > 0) {
    yield chunk;
  }
}

/** Reads the beginning of a file, and returns all of it, in Latin-1. */
async function withHead(
  file: AsyncIterable<Buffer>,
): Promise<{ head: string; texts: AsyncIterable<string> }> {
  const pieces = file[Symbol.asyncIterator]();
  let head = '';
  while (head.length < HEAD_LENGTH && !head.includes('\n')) {
    const { value, done } = await pieces.next();
    if (done) {
      break;
    }
    head += value.toString('latin1');
  }
  if (head.trim() === '') {
    throw new UnreadableUploadError(
      'The file is empty. Send the recipients as the body of the request, for example with curl -T campaign.csv.',
    );
  }
  if (UTF16_BOM.test(head)) {
    throw new UnreadableUploadError('The file is UTF-16. Save it as UTF-8.');
  }
  if (head.includes('\0')) {
    throw new UnreadableUploadError(
      'The file is not text. Save a spreadsheet as CSV, and send gzip with the header Content-Encoding: gzip.',
    );
  }
  return { head, texts: joined(head, pieces) };
}

async function* joined(head: string, rest: AsyncIterator<Buffer>): AsyncGenerator<string> {
  yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    yield next.value.toString('latin1');
  }
}

function toColumns({ send, suppressed, invalid }: Counts): Pick<Scrub, 'send' | 'suppressed' | 'invalid'> {
  return { send: String(send), suppressed: String(suppressed), invalid: String(invalid) };
}
