import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { WriteContext } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { ServiceUnavailableError, ValidationError } from '../http/errors.js';
import type { Page } from '../http/page.js';
import type { Actor } from '../ledger/actor.js';
import type { SuppressionChange } from '../ledger/suppression-change.entity.js';
import { SuppressionChangesRepository } from '../ledger/suppression-changes.repository.js';
import { byHand, presenceOf, type Addition, type ManualEntry } from './addition.js';
import type { ChangedSuppression } from './addition-statement.js';
import { CauseNotFoundError, HistoryNotFoundError, SuppressionNotFoundError } from './errors.js';
import { ExpiryRepository } from './expiry.repository.js';
import { SuppressionLookup, type FoundSuppression } from './suppression-lookup.js';
import { SuppressionPages, type ListFilter } from './suppression-pages.js';
import type { SuppressionRef, SuppressionRefs } from './suppression-ref.js';
import {
  SuppressionsRepository,
  type KnownCause,
  type PresentSuppression,
} from './suppressions.repository.js';
import { liftableCauses, type Removal } from './removal.js';
import type { NamedSuppression } from './suppression.entity.js';
import type { LiftedSuppression } from './removal-statements.js';

/** An address is missed once if another request adds it at the same time, and again if it is also removed. */
const MAX_ROUNDS = 10;

/** The record that an address has after {@link SuppressionsService.suppress}. */
export interface Suppressed {
  id: string;
  /** Null if the record stayed as it was. */
  action: ChangedSuppression['action'] | null;
}

/** A record, and why the address is suppressed. */
export interface SuppressionWithCauses {
  suppression: FoundSuppression;
  causes: KnownCause[];
}

@Injectable()
export class SuppressionsService {
  constructor(
    private readonly lookup: SuppressionLookup,
    private readonly pages: SuppressionPages,
    private readonly suppressions: SuppressionsRepository,
    private readonly expiry: ExpiryRepository,
    private readonly changes: SuppressionChangesRepository,
  ) {}

  /** @throws {SuppressionNotFoundError} */
  async get(accountId: number, ref: SuppressionRef): Promise<FoundSuppression> {
    const suppression = await this.lookup.find(accountId, ref);
    if (!suppression) {
      throw new SuppressionNotFoundError();
    }
    return suppression;
  }

  /**
   * A record with all its causes, the strongest first.
   *
   * @throws {SuppressionNotFoundError}
   */
  async getWithCauses(accountId: number, ref: SuppressionRef): Promise<SuppressionWithCauses> {
    const suppression = await this.get(accountId, ref);
    return { suppression, causes: await this.suppressions.findCauses(accountId, suppression.email) };
  }

  /** A page of the list, newest first. */
  list(accountId: number, limit: number, filter: ListFilter): Promise<Page<FoundSuppression>> {
    return this.pages.read(accountId, limit, filter);
  }

  /** Suppresses an address by hand. */
  async add(
    accountId: number,
    actor: Actor,
    email: EmailAddress,
    entry: ManualEntry,
    deadline: number,
  ): Promise<Suppressed> {
    const suppressed = await this.suppress(accountId, actor, [byHand(email, entry)], { deadline });
    return suppressed.get(email)!;
  }

  /**
   * Suppresses addresses by hand.
   *
   * @returns the ids of their records, in the order of the addresses
   */
  async batchAdd(
    accountId: number,
    actor: Actor,
    emails: EmailAddress[],
    entry: ManualEntry,
    deadline: number,
  ): Promise<string[]> {
    const additions = [...new Set(emails)].map((email) => byHand(email, entry));
    const suppressed = await this.suppress(accountId, actor, additions, { deadline });
    return emails.map((email) => suppressed.get(email)!.id);
  }

  /**
   * Suppresses addresses: adds records, adds causes to records, and extends causes that would end earlier. It removes and
   * weakens nothing, so it can be repeated. Every writer that adds to the list calls it, except for sources, which reserve addresses before they decide.
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
      const wanted = new Map(missing.map((addition) => [addition.email, presenceOf(addition)]));
      const found = await this.suppressions.findWithCauses(accountId, wanted, transactionOf(context));
      const present = await this.confirm(accountId, actor, found, context);
      present.forEach(({ id, email }) => suppressed.set(email, { id, action: null }));
      missing = missing.filter(({ email }) => !suppressed.has(email));
      if (missing.length === 0) {
        return suppressed;
      }
      const changed = await this.suppressions.add(accountId, actor, missing, context);
      changed.forEach(({ id, email, action }) => suppressed.set(email, { id, action }));
      missing = missing.filter(({ email }) => !suppressed.has(email));
      if (missing.length === 0) {
        return suppressed;
      }
      await this.expiry.end(
        accountId,
        missing.map(({ email }) => email),
        context,
      );
    }
    throw new ServiceUnavailableError(
      'Other requests keep changing the same addresses. Try again in a moment.',
    );
  }

  /** A record that an import added and somebody else reports again must outlive a revert of that import. */
  private async confirm(
    accountId: number,
    actor: Actor,
    found: PresentSuppression[],
    context: WriteContext,
  ): Promise<NamedSuppression[]> {
    const isImported = ({ importId }: PresentSuppression) => importId !== null && importId !== actor.id;
    const imported = found.filter(isImported).map(({ email }) => email);
    return imported.length === 0
      ? found
      : [
          ...found.filter((one) => !isImported(one)),
          ...(await this.suppressions.confirm(accountId, imported, context)),
        ];
  }

  /**
   * Removes a record, or one of its causes.
   *
   * @throws {SuppressionNotFoundError}
   * @throws {CauseNotFoundError}
   * @throws {RemovalNotAllowedError}
   */
  async remove(
    accountId: number,
    actor: Actor,
    ref: SuppressionRef,
    removal: Removal,
    deadline: number,
  ): Promise<LiftedSuppression> {
    const refs = 'id' in ref ? { ids: [ref.id] } : { emails: [ref.email] };
    const [lifted] = await this.lift(accountId, actor, refs, removal, { deadline });
    if (!lifted) {
      throw removal.cause ? new CauseNotFoundError() : new SuppressionNotFoundError();
    }
    return lifted;
  }

  /**
   * Removes the records that exist, or one of their causes.
   *
   * @returns what was removed, in the order of the references
   * @throws {RemovalNotAllowedError} if any of them is guarded; then none is removed
   */
  async batchRemove(
    accountId: number,
    actor: Actor,
    refs: SuppressionRefs,
    removal: Removal,
    context: WriteContext,
  ): Promise<LiftedSuppression[]> {
    const lifted = await this.lift(accountId, actor, refs, removal, context);
    const byRef = new Map<string, LiftedSuppression>(
      lifted.map((one) => ['ids' in refs ? one.id : one.email, one]),
    );
    const requested = new Set('ids' in refs ? refs.ids : refs.emails);
    return [...requested].flatMap((ref) => byRef.get(ref) ?? []);
  }

  private lift(
    accountId: number,
    actor: Actor,
    refs: SuppressionRefs,
    removal: Removal,
    context: WriteContext,
  ): Promise<LiftedSuppression[]> {
    const { consent } = removal;
    const entitled = consent ? { ...actor, evidence: { consent } } : actor;
    const liftable = liftableCauses(removal);
    return this.suppressions.lift(accountId, entitled, refs, removal, liftable, context);
  }

  /**
   * The changes of an address, newest first. They remain when it is no longer suppressed.
   *
   * @param after - the id of the change before the page
   * @throws {HistoryNotFoundError} when the address never changed
   * @throws {ValidationError} when `after` is no change of the address
   */
  async history(
    accountId: number,
    ref: SuppressionRef,
    limit: number,
    after?: string,
  ): Promise<Page<SuppressionChange>> {
    const email = 'email' in ref ? ref.email : await this.changes.findEmail(accountId, ref.id);
    if (!email || !(await this.changes.exists(accountId, email))) {
      throw new HistoryNotFoundError();
    }
    const previous = after && (await this.changes.find(accountId, email, after));
    if (previous === null) {
      throw ValidationError.ofFields([
        { path: 'after', message: 'must be the id of a change in this history' },
      ]);
    }
    return this.changes.findPage(accountId, email, limit, previous ? previous.revision : undefined);
  }
}

function transactionOf(context: WriteContext): EntityManager | undefined {
  return 'deadline' in context ? undefined : context;
}
