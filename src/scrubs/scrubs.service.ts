import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { parametersOf, recordAudit } from '../audit/record-audit.js';
import type { Identity } from '../audit/request-context.js';
import { inStep, transactionBefore } from '../database/transaction.js';
import { UnreadableFileError } from '../files/errors.js';
import { ApiError, requireFound } from '../http/errors/api-error.js';
import { UnreadableUploadError } from '../http/errors/body-errors.js';
import { FILE_TIME_LIMIT_MS } from '../http/route.js';
import { CheckService, type RequestedEmail } from '../suppressions/checks/check.service.js';
import type { RequestedPurpose } from '../suppressions/checks/check-request.js';
import { ScrubNotFoundError } from './errors.js';
import {
  ADDED_COLUMNS,
  annotateRow,
  checkInChunks,
  filterRow,
  requireValidAddress,
  toBytes,
  type VerdictCounts,
} from './checked-rows.js';
import { decode, readFirstRow, readHead } from './recipient-file.js';
import { Scrub, type ScrubStatus } from './scrub.entity.js';

export const SCRUB_MODES = ['filter', 'annotate'] as const;

export type ScrubMode = (typeof SCRUB_MODES)[number];

export interface ScrubOptions {
  mode: ScrubMode;
  column: string | undefined;
  purpose: RequestedPurpose;
}

/** The subject in the audit log, which records scrubs because they reveal who is on the list. */
const SUBJECT = 'recipients';

const UNREAD =
  'The client sent the file without reading the response, which is written meanwhile, so both waited. Use curl, or another ' +
  'client that reads while it sends.';
const ABANDONED = 'The service stopped before the end of the file. Send it again.';

@Injectable()
export class ScrubsService {
  private readonly logger = new Logger(ScrubsService.name);

  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Scrub) private readonly scrubs: Repository<Scrub>,
    private readonly checks: CheckService,
  ) {}

  /** @throws {ScrubNotFoundError} */
  async get(accountId: number, id: string): Promise<Scrub> {
    const found = requireFound(await this.scrubs.findOneBy({ accountId, id }), ScrubNotFoundError);
    return isAbandoned(found) ? { ...found, status: 'failed', problem: ABANDONED } : found;
  }

  /**
   * Checks the recipients of a file while it arrives, and passes the file on without those that must not be mailed, or with the
   * verdicts. The counts are stored under the id.
   *
   * @param upload - `unread` is aborted if the caller does not read the result
   * @throws {UnknownColumnError | TopicNotFoundError | UnreadableUploadError | NoValidAddressError}
   */
  async *scrub(
    identity: Identity,
    { id, file, unread }: { id: string; file: AsyncIterable<Buffer>; unread: AbortSignal },
    { mode, column, purpose }: ScrubOptions,
  ): AsyncGenerator<Buffer> {
    const counts: VerdictCounts = { send: 0, suppressed: 0, invalid: 0 };
    const end = { status: 'failed' as ScrubStatus, problem: null as string | null };
    try {
      const decoded = await decode(file);
      const { head, texts } = await readHead(decoded.file);
      const recipients = readFirstRow(head, column, mode === 'annotate' ? ADDED_COLUMNS : []);
      await this.open(identity, id, { mode, ...namesOf(purpose) });
      const write = mode === 'filter' ? filterRow : annotateRow;
      const check = (requested: RequestedEmail[]) =>
        this.checks.check(identity.accountId, requested, purpose);
      const checked = checkInChunks(texts, recipients, check);
      const chunks = mode === 'filter' ? requireValidAddress(checked, recipients) : checked;
      for await (const chunk of chunks) {
        yield decoded.encode(toBytes(chunk, recipients, counts, write));
      }
      end.status = 'completed';
    } catch (error) {
      if (error instanceof UnreadableFileError) {
        end.problem = error.message;
        throw new UnreadableUploadError(error.message);
      }
      if (error instanceof ApiError && error.statusCode < 500) {
        end.problem = error.message;
      }
      throw error;
    } finally {
      end.problem = unread.aborted ? UNREAD : end.problem;
      await this.storeResult(identity.accountId, id, { ...end, ...counts, completedAt: new Date() });
    }
  }

  private open(identity: Identity, id: string, parameters: object): Promise<void> {
    const { accountId } = identity;
    return transactionBefore(this.dataSource, inStep(accountId), async (transaction) => {
      await transaction.insert(Scrub, { accountId, id });
      const subject = { id, name: SUBJECT };
      await recordAudit(transaction, identity, 'scrub.started', subject, parametersOf(parameters));
    });
  }

  /**
   * Stores the result of a scrub. If this fails after a failed scrub, it only logs a warning, so that the error of the scrub is
   * thrown.
   */
  private async storeResult(accountId: number, id: string, result: Partial<Scrub>): Promise<void> {
    try {
      await this.scrubs.update({ accountId, id }, result);
    } catch (error) {
      if (result.status === 'completed') {
        throw error;
      }
      this.logger.warn(`the result of the failed scrub ${id} was not stored: ${(error as Error).name}`);
    }
  }
}

/** A purpose as the audit log records it: a topic by the id or the key that the caller used. */
function namesOf(purpose: RequestedPurpose): { purpose: RequestedPurpose['type']; topic?: string } {
  const { type } = purpose;
  return type === 'topic'
    ? { purpose: type, topic: 'id' in purpose.topic ? purpose.topic.id : purpose.topic.key }
    : { purpose: type };
}

/** Whether the instance that ran the scrub was killed. */
function isAbandoned({ status, createdAt }: Scrub): boolean {
  return status === 'running' && createdAt.getTime() < Date.now() - FILE_TIME_LIMIT_MS;
}
