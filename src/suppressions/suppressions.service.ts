import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { EmailAddress } from '../email-address/email-address.js';
import { requireFound } from '../http/errors/api-error.js';
import { ValidationError } from '../http/errors/errors.js';
import type { Page } from '../http/page.js';
import type { SuppressionChange } from '../ledger/suppression-change.entity.js';
import { SuppressionChangesRepository } from '../ledger/suppression-changes.repository.js';
import { HistoryNotFoundError, SuppressionNotFoundError } from './errors.js';
import { StoredNames } from '../pseudonyms/stored-names.js';
import {
  type CauseDetails,
  CausesRepository,
  type FoundSuppression,
  SuppressionLookup,
} from './suppression-lookup.js';
import { SuppressionPages, type ListFilter } from './suppression-pages.js';
import type { SuppressionRef } from './suppression-ref.js';

export interface SuppressionWithCauses {
  suppression: FoundSuppression;
  causes: CauseDetails[];
}

@Injectable()
export class SuppressionsService {
  constructor(
    private readonly lookup: SuppressionLookup,
    private readonly pages: SuppressionPages,
    private readonly causes: CausesRepository,
    private readonly changes: SuppressionChangesRepository,
    private readonly storedNames: StoredNames,
  ) {}

  /** @throws {SuppressionNotFoundError} */
  async get(accountId: number, ref: SuppressionRef): Promise<FoundSuppression> {
    return asGiven(await this.getStored(accountId, ref), ref);
  }

  /**
   * A record with all its causes, the strongest first.
   *
   * @throws {SuppressionNotFoundError}
   */
  async getWithCauses(accountId: number, ref: SuppressionRef): Promise<SuppressionWithCauses> {
    const stored = await this.getStored(accountId, ref);
    const causes = await this.causes.findAll(accountId, stored.email);
    return { suppression: asGiven(stored, ref), causes };
  }

  /** The causes of an address, which nobody else changes until the transaction ends; none if it is not suppressed. */
  async lockCauses(
    accountId: number,
    email: EmailAddress,
    transaction: EntityManager,
  ): Promise<CauseDetails[]> {
    const stored = await this.storedNames.oneForWriting(accountId, email);
    return this.causes.lockAll(accountId, stored, transaction);
  }

  list(accountId: number, limit: number, filter: ListFilter): Promise<Page<FoundSuppression>> {
    return this.pages.read(accountId, limit, filter);
  }

  /**
   * The changes of an address, newest first. They remain after the address is no longer suppressed.
   *
   * @param after - the id of the change before the page
   * @throws {HistoryNotFoundError} when the address never changed
   * @throws {ValidationError} when `after` is not a change of the address
   */
  async history(
    accountId: number,
    ref: SuppressionRef,
    limit: number,
    after?: string,
  ): Promise<Page<SuppressionChange>> {
    const email =
      'email' in ref
        ? await this.storedNames.oneForReading(accountId, ref.email)
        : await this.changes.findEmail(accountId, ref.id);
    if (!email || !(await this.changes.exists(accountId, email))) {
      throw new HistoryNotFoundError();
    }
    const previous = after && (await this.changes.find(accountId, email, after));
    if (previous === null) {
      throw ValidationError.ofField('after', 'must be the id of a change in this history');
    }
    return this.changes.findPage(accountId, email, limit, previous ? previous.revision : undefined);
  }

  private async getStored(accountId: number, ref: SuppressionRef): Promise<FoundSuppression> {
    const suppression =
      (await this.lookup.find(accountId, ref)) ??
      ('email' in ref ? await this.findErased(accountId, ref.email) : null);
    return requireFound(suppression, SuppressionNotFoundError);
  }

  /** Looks up the pseudonym second, because during an erasure the record may be renamed to it between the two lookups. */
  private async findErased(accountId: number, email: EmailAddress): Promise<FoundSuppression | null> {
    const pseudonym = (await this.storedNames.find(accountId, [email])).get(email);
    return pseudonym ? this.lookup.find(accountId, { email: pseudonym }) : null;
  }
}

/** A record with the address that the caller gave, which may have been erased. */
function asGiven(stored: FoundSuppression, ref: SuppressionRef): FoundSuppression {
  return 'email' in ref ? { ...stored, email: ref.email } : stored;
}
