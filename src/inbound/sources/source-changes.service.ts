import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { POSTED_EVENTS } from '../../audit/actor.js';
import { recordAudit } from '../../audit/record-audit.js';
import type { Identity, OperatorContext } from '../../audit/request-context.js';
import { transactionBefore } from '../../database/transaction.js';
import { isId } from '../../validation/parsers.js';
import { providerOf } from '../providers/providers.js';
import { InvalidSourceError, SourceNotFoundError } from './errors.js';
import { requireValidSecrets } from './new-source.js';
import { SourceEventsRepository } from './source-events.repository.js';
import { SourceSecrets } from './source-secrets.js';
import { requireNoMoves } from './source-topics.service.js';
import { Source } from './source.entity.js';

/** Stands for a secret in the audit log. */
const HIDDEN = { from: '(hidden)', to: '(hidden)' };

@Injectable()
export class SourceChangesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: SourceSecrets,
    private readonly events: SourceEventsRepository,
  ) {}

  /**
   * Sets secrets, and replaces those of the same names.
   *
   * @throws {SourceNotFoundError}
   * @throws {InvalidSourceError} when the provider has no such secrets
   * @throws {SecretsKeyMissingError}
   */
  setSecrets(context: OperatorContext, id: string, secrets: Record<string, string>): Promise<Source> {
    return this.change(context, id, async (source, identity, transaction) => {
      if (source.provider === POSTED_EVENTS) {
        throw new InvalidSourceError(
          'Events that your own mailers post come with an API key. This source has no secrets.',
        );
      }
      requireValidSecrets(providerOf(source.provider), secrets);
      const encrypted = this.secrets.encrypt(id, secrets);
      await transaction.update(Source, keyOf(source), { secrets: { ...source.secrets, ...encrypted } });
      const names = Object.keys(secrets);
      const changes = Object.fromEntries(names.map((name) => [`secrets.${name}`, HIDDEN]));
      await recordAudit(transaction, identity, 'source.updated', source, changes);
    });
  }

  /**
   * Makes a source refuse deliveries until it is resumed. A source that is paused already keeps the time of its pause.
   *
   * @throws {SourceNotFoundError}
   */
  pause(context: OperatorContext, id: string): Promise<Source> {
    return this.change(context, id, async (source, identity, transaction) => {
      if (!source.pausedAt) {
        await transaction.update(Source, keyOf(source), { pausedAt: new Date() });
        await recordAudit(transaction, identity, 'source.paused', source);
      }
    });
  }

  /** @throws {SourceNotFoundError} */
  resume(context: OperatorContext, id: string): Promise<Source> {
    return this.change(context, id, async (source, identity, transaction) => {
      if (source.pausedAt) {
        await transaction.update(Source, keyOf(source), { pausedAt: null });
        await recordAudit(transaction, identity, 'source.resumed', source);
      }
    });
  }

  /**
   * Deletes a source and its events. What they changed on the list stays. The source is paused first, so that no events
   * arrive meanwhile.
   *
   * @throws {SourceNotFoundError}
   * @throws {InvalidSourceError} while opt-outs move to a topic of the source
   * @throws {DeadlineExceededError} some events are deleted; calling it again continues
   */
  async delete(context: OperatorContext, id: string): Promise<void> {
    const source = await this.pause(context, id);
    await requireNoMoves(source, this.dataSource.manager);
    await this.events.delete(source, context);
    await this.deleteWithoutEvents(context, source);
  }

  /** Deletes a source that has no events. */
  async deleteWithoutEvents(
    { actor, deadline }: OperatorContext,
    { accountId, id, name }: Source,
  ): Promise<void> {
    await transactionBefore(this.dataSource, { accountId, deadline }, async (transaction) => {
      await requireNoMoves({ accountId, id }, transaction);
      const { affected } = await transaction.delete(Source, { accountId, id });
      if (affected) {
        await recordAudit(transaction, { accountId, actor }, 'source.deleted', { id, name });
      }
    });
  }

  private change(
    context: OperatorContext,
    id: string,
    work: (source: Source, identity: Identity, transaction: EntityManager) => Promise<void>,
  ): Promise<Source> {
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const { accountId } = context;
      const lock = { mode: 'for_no_key_update' } as const;
      const where = { id, ...(accountId !== undefined && { accountId }) };
      const source = isId(id) ? await transaction.findOne(Source, { where, lock }) : null;
      if (!source) {
        throw new SourceNotFoundError(id);
      }
      await work(source, { ...context, accountId: source.accountId }, transaction);
      return transaction.findOneByOrFail(Source, keyOf(source));
    });
  }
}

function keyOf({ accountId, id }: Source): Pick<Source, 'accountId' | 'id'> {
  return { accountId, id };
}
