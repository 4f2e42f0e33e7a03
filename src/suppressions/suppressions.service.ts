import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { WriteContext } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { ServiceUnavailableError, ValidationError } from '../http/errors.js';
import type { Actor } from '../ledger/actor.js';
import { Metrics } from '../metrics/metrics.js';
import { byHand, type Addition } from './addition.js';
import { BatchAddedDto } from './dto/add.dto.js';
import { CheckedDto, CheckedEmailDto, type AskedEmail } from './dto/check.dto.js';
import { HistoryPageDto, type HistoryDto } from './dto/history.dto.js';
import { ListPageDto, type ListDto } from './dto/list.dto.js';
import { BatchRemovedDto, RemovedDto, type BatchRemoveDto } from './dto/remove.dto.js';
import { SuppressionDto } from './dto/suppression.dto.js';
import { HistoryNotFoundError, SuppressionNotFoundError } from './errors.js';
import { SuppressionChangesRepository } from '../ledger/suppression-changes.repository.js';
import { SuppressionLookup, type FoundSuppression } from './suppression-lookup.js';
import { SuppressionPages } from './suppression-pages.js';
import type { SuppressionRef } from './suppression-ref.js';
import { SuppressionsRepository, type ChangedSuppression } from './suppressions.repository.js';

/** An address is missed once when another request adds it at the same time, twice when one also removes it. */
const MAX_ROUNDS = 10;

/** The record that an address has after {@link SuppressionsService.suppress}. */
export interface Suppressed {
  id: string;
  /** Null if the record stayed as it was. */
  action: ChangedSuppression['action'] | null;
}

@Injectable()
export class SuppressionsService {
  constructor(
    private readonly lookup: SuppressionLookup,
    private readonly pages: SuppressionPages,
    private readonly suppressions: SuppressionsRepository,
    private readonly changes: SuppressionChangesRepository,
    private readonly metrics: Metrics,
  ) {}

  /** @throws {SuppressionNotFoundError} */
  async get(accountId: number, ref: SuppressionRef): Promise<SuppressionDto> {
    const suppression = await this.lookup.find(accountId, ref);
    if (!suppression) {
      throw new SuppressionNotFoundError();
    }
    return new SuppressionDto(suppression);
  }

  /** A page of the list, newest first. */
  async list(
    accountId: number,
    { limit, created_after, created_before, ...filter }: ListDto,
  ): Promise<ListPageDto> {
    const page = await this.pages.read(accountId, limit, {
      ...filter,
      createdFrom: created_after && created_after.floor + 1,
      createdBefore: created_before?.ceil,
    });
    return new ListPageDto(page);
  }

  /** Tells of each address, in the order asked, whether it may be mailed. */
  async check(accountId: number, asked: AskedEmail[]): Promise<CheckedDto> {
    const emails = asked.map(({ email }) => email).filter((email) => typeof email === 'string');
    const found = new Map<unknown, FoundSuppression>();
    for (const suppression of await this.lookup.findAll(accountId, emails)) {
      found.set(suppression.email, suppression);
    }
    const checked = asked.map((one) => new CheckedEmailDto(one, found.get(one.email)));
    this.metrics.countVerdicts(checked.map(({ verdict }) => verdict));
    return new CheckedDto(checked);
  }

  /** Suppresses an address by hand. */
  async add(
    accountId: number,
    actor: Actor,
    email: EmailAddress,
    note: string | null,
    deadline: number,
  ): Promise<Suppressed> {
    const suppressed = await this.suppress(accountId, actor, [byHand(email, note)], { deadline });
    return suppressed.get(email)!;
  }

  /** Suppresses addresses by hand; the response has one id for each element asked, in the order asked. */
  async batchAdd(
    accountId: number,
    actor: Actor,
    emails: EmailAddress[],
    note: string | null,
    deadline: number,
  ): Promise<BatchAddedDto> {
    const additions = [...new Set(emails)].map((email) => byHand(email, note));
    const suppressed = await this.suppress(accountId, actor, additions, { deadline });
    return new BatchAddedDto(emails.map((email) => suppressed.get(email)!.id));
  }

  /**
   * Suppresses addresses: adds records, and strengthens those with a weaker cause. It removes and weakens nothing, so that
   * it can be repeated. Whatever adds to the list calls it, but for sources, which decide under a reservation.
   *
   * @param additions - at most one for each address
   * @returns the record of each address
   * @throws {ServiceUnavailableError} when other requests keep adding and removing the same addresses
   */
  async suppress(
    accountId: number,
    actor: Actor,
    additions: Addition[],
    context: WriteContext,
  ): Promise<Map<EmailAddress, Suppressed>> {
    const suppressed = new Map<EmailAddress, Suppressed>();
    let missing = additions;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const asked = new Map(missing.map(({ email, cause }) => [email, cause]));
      const present = await this.suppressions.findAsStrong(accountId, asked, transactionOf(context));
      present.forEach(({ id, email }) => suppressed.set(email, { id, action: null }));
      missing = missing.filter(({ email }) => !suppressed.has(email));
      if (missing.length === 0) {
        return suppressed;
      }
      const changed = await this.suppressions.addOrStrengthen(accountId, actor, missing, context);
      changed.forEach(({ id, email, action }) => suppressed.set(email, { id, action }));
      missing = missing.filter(({ email }) => !suppressed.has(email));
      if (missing.length === 0) {
        return suppressed;
      }
    }
    throw new ServiceUnavailableError(
      'Other requests keep changing the same addresses. Try again in a moment.',
    );
  }

  /** @throws {SuppressionNotFoundError} */
  async remove(
    accountId: number,
    actor: Actor,
    ref: SuppressionRef,
    note: string | null,
    deadline: number,
  ): Promise<RemovedDto> {
    const [removed] =
      'id' in ref
        ? await this.suppressions.removeByIds(accountId, actor, [ref.id], note, { deadline })
        : await this.suppressions.removeByEmails(accountId, actor, [ref.email], note, { deadline });
    if (!removed) {
      throw new SuppressionNotFoundError();
    }
    return new RemovedDto(removed.id, true);
  }

  /** Removes what is there, by ids or by addresses. */
  async batchRemove(
    accountId: number,
    actor: Actor,
    { ids, emails = [], note = null }: BatchRemoveDto,
    deadline: number,
  ): Promise<BatchRemovedDto> {
    if (ids) {
      const removed = await this.suppressions.removeByIds(accountId, actor, ids, note, { deadline });
      const removedIds = new Set(removed.map(({ id }) => id));
      return new BatchRemovedDto(ids.map((id) => new RemovedDto(id, removedIds.has(id))));
    }
    const removed = await this.suppressions.removeByEmails(accountId, actor, emails, note, { deadline });
    const idOf = new Map(removed.map(({ id, email }) => [email, id]));
    const present = emails.filter((email) => idOf.has(email));
    return new BatchRemovedDto(present.map((email) => new RemovedDto(idOf.get(email)!, true)));
  }

  /**
   * What happened to an address, newest first, also when it is suppressed no longer.
   *
   * @throws {HistoryNotFoundError} when nothing ever happened to it
   * @throws {ValidationError} when `after` is no change of the address
   */
  async history(
    accountId: number,
    ref: SuppressionRef,
    { limit, after }: HistoryDto,
  ): Promise<HistoryPageDto> {
    const email = 'email' in ref ? ref.email : await this.changes.findEmail(accountId, ref.id);
    if (!email || !(await this.changes.existsBy({ accountId, email }))) {
      throw new HistoryNotFoundError();
    }
    const before = after && (await this.changes.findOneBy({ accountId, email, id: after }));
    if (before === null) {
      throw ValidationError.ofFields([
        { path: 'after', message: 'must be the id of a change in this history' },
      ]);
    }
    return new HistoryPageDto(
      await this.changes.findPage(accountId, email, limit, before ? before.revision : undefined),
    );
  }
}

function transactionOf(context: WriteContext): EntityManager | undefined {
  return 'deadline' in context ? undefined : context;
}
