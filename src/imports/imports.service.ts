import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidV7 } from 'uuid';
import type { AccountContext, Identity, RequestContext } from '../audit/request-context.js';
import { isUniqueViolation } from '../database/errors.js';
import { inStep, transactionBefore } from '../database/transaction.js';
import { requireFound } from '../http/errors/api-error.js';
import { ServiceUnavailableError, ValidationError } from '../http/errors/errors.js';
import { checkIdempotencyKey } from '../http/idempotency.js';
import type { Page } from '../http/page.js';
import { hashOf, JobFiles, type StoredFile } from '../jobs/job-files.js';
import type { JobKey } from '../jobs/job-handler.js';
import { JobRunner } from '../jobs/job-runner.js';
import { JobsRepository } from '../jobs/jobs.repository.js';
import { TOPIC_EXPORT } from './formats/own-export.js';
import {
  ImportNotFoundError,
  ImportStatusError,
  MAX_PENDING_IMPORTS,
  RefusedFileError,
  TooManyImportsError,
} from './errors.js';
import { TopicsService } from '../topics/topics.service.js';
import { NO_PROGRESS, type RevertProgress } from './chunks.js';
import { Import } from './import.entity.js';
import { ImportsRepository, type FoundImport, type StoredError } from './imports.repository.js';
import { openUpload, planOf, requireSame, type NewImport } from './new-import.js';

const FILE_IS_GONE =
  'Nothing was imported: the checked file is no longer stored, or its import has begun. Choose the file again.';

type Upload = Pick<Import, 'bytes' | 'fileHash' | 'idempotencyKey'>;

@Injectable()
export class ImportsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly imports: ImportsRepository,
    private readonly jobs: JobsRepository,
    private readonly files: JobFiles,
    private readonly runner: JobRunner,
    private readonly topics: TopicsService,
  ) {}

  /**
   * Stores a file and queues its import. A repeated idempotency key leads to the same import.
   *
   * @param upload - the file as it arrives
   * @throws {InvalidIdempotencyKeyError}
   * @throws {TopicNotFoundError}
   * @throws {TooManyImportsError}
   * @throws {IdempotencyConflictError} when the key was used with another file or other parameters
   */
  async create(
    { accountId, actor: createdBy }: Identity,
    options: NewImport,
    upload: AsyncIterable<Buffer>,
    idempotencyKey?: string,
  ): Promise<FoundImport> {
    checkIdempotencyKey(idempotencyKey);
    const topicId = options.topic && (await this.topics.get(accountId, options.topic)).id;
    const earlier = idempotencyKey && (await this.imports.findByIdempotencyKey(accountId, idempotencyKey));
    const { head, file } = await openUpload(upload);
    if (earlier) {
      requireSame(earlier, options, { topicId, head, hash: await hashOf(file) });
      return earlier;
    }
    const { name, filename = null, defaultCause, dryRun } = options;
    const plan = planOf(head, options);
    if (plan.format === TOPIC_EXPORT && !topicId) {
      throw RefusedFileError.withoutTopic();
    }
    const stated = { name, filename, plan, defaultCause, topicId, dryRun };
    const newImport = { accountId, id: uuidV7(), ...stated, createdBy };
    await transactionBefore(this.dataSource, inStep(accountId), (transaction) =>
      this.open(newImport, transaction),
    );
    let stored: StoredFile | null = null;
    try {
      stored = await this.files.write(accountId, newImport.id, file);
      if (!stored) {
        throw TooManyImportsError.ofFiles();
      }
      const { bytes, hash: fileHash } = stored;
      const arrived = { bytes: String(bytes), fileHash, idempotencyKey: idempotencyKey ?? null };
      const queued = await this.enqueue(newImport, arrived);
      this.runner.wake();
      return queued;
    } catch (error) {
      const isAbandoned = await this.jobs.abandonUpload(accountId, newImport.id);
      const queued = isAbandoned ? null : await this.imports.find(accountId, newImport.id);
      if (queued) {
        return queued;
      }
      if (stored && idempotencyKey && isUniqueViolation(error)) {
        const other = (await this.imports.findByIdempotencyKey(accountId, idempotencyKey))!;
        requireSame(other, options, { topicId, head, hash: stored.hash });
        return other;
      }
      throw error;
    }
  }

  /**
   * Imports the file of a check with the options of the check, without storing it again. The file is kept for an hour, unless
   * the account checks another one.
   *
   * @throws {ImportNotFoundError | TooManyImportsError}
   * @throws {ValidationError} if the file is no longer kept
   */
  async importChecked(context: RequestContext, id: string): Promise<FoundImport> {
    const { accountId, actor } = context;
    const { name, filename, plan, defaultCause, topicId, bytes, fileHash } = await this.get(accountId, id);
    const options = { name, filename, plan, defaultCause, topicId, dryRun: false };
    const newImport = { accountId, id: uuidV7(), ...options, createdBy: actor };
    const queued = await transactionBefore(this.dataSource, context, async (transaction) => {
      await this.open(newImport, transaction);
      if (!(await this.files.move(accountId, id, newImport.id, transaction))) {
        throw ValidationError.ofRequest(FILE_IS_GONE);
      }
      return this.complete(newImport, { bytes, fileHash, idempotencyKey: null }, transaction);
    });
    this.runner.wake();
    return queued;
  }

  async get(accountId: number, id: string): Promise<FoundImport> {
    return requireFound(await this.imports.find(accountId, id), ImportNotFoundError);
  }

  list(accountId: number, limit: number, after?: string): Promise<Page<FoundImport>> {
    return this.imports.page(accountId, limit, after);
  }

  async errors(accountId: number, id: string): Promise<AsyncIterable<StoredError[]>> {
    await this.get(accountId, id);
    return this.imports.readErrors(accountId, id);
  }

  /**
   * Stops an import, unless it has ended. The changes that it made stay.
   *
   * @throws {ImportNotFoundError | ImportStatusError}
   */
  async cancel(context: AccountContext, id: string): Promise<FoundImport> {
    await this.jobs.cancel(context, id, 'import');
    const found = await this.get(context.accountId, id);
    if (isBeingReverted(found)) {
      throw new ImportStatusError('The import is being reverted. A revert cannot be cancelled.');
    }
    return found;
  }

  /**
   * Reverts the changes of an import, except where somebody has changed the address since. Repeating the request has no further
   * effect.
   *
   * @throws {ImportNotFoundError | ImportStatusError}
   */
  async revert(context: RequestContext, id: string): Promise<FoundImport> {
    const { accountId, actor: by } = context;
    const { dryRun, completedAt } = await this.get(accountId, id);
    const endedAt = (completedAt ?? new Date()).toISOString();
    const checkpoint = { revert: { by, reverted: 0, endedAt } satisfies RevertProgress };
    const isQueued =
      !dryRun && (await this.jobs.requeue({ accountId, id, kind: 'revert', checkpoint }, context));
    const found = await this.get(accountId, id);
    if (!isQueued && found.status !== 'reverted' && !isBeingReverted(found)) {
      throw new ImportStatusError(
        dryRun
          ? 'The import was a dry run: there is nothing to revert.'
          : `The import is ${found.status}: wait for its end, or cancel it, before you revert it.`,
      );
    }
    this.runner.wake();
    return found;
  }

  /** @throws {TooManyImportsError} */
  private async open(newImport: Omit<Import, keyof Upload>, transaction: EntityManager): Promise<void> {
    if ((await this.jobs.countPending(newImport.accountId, 'import', transaction)) >= MAX_PENDING_IMPORTS) {
      throw new TooManyImportsError();
    }
    const { accountId, id } = newImport;
    await this.jobs.open({ accountId, id, kind: 'import', checkpoint: NO_PROGRESS }, transaction);
    await transaction.insert(Import, newImport);
  }

  private enqueue(key: JobKey, upload: Upload): Promise<FoundImport> {
    return transactionBefore(this.dataSource, inStep(key.accountId), (transaction) =>
      this.complete(key, upload, transaction),
    );
  }

  private async complete(
    { accountId, id }: JobKey,
    upload: Upload,
    transaction: EntityManager,
  ): Promise<FoundImport> {
    await transaction.update(Import, { accountId, id }, upload);
    if (!(await this.jobs.enqueue(accountId, id, transaction))) {
      throw new ServiceUnavailableError('The upload took too long. Send the file again.');
    }
    return (await this.imports.find(accountId, id, transaction))!;
  }
}

function isBeingReverted({ kind, status }: FoundImport): boolean {
  return kind === 'revert' && ['queued', 'running'].includes(status);
}
