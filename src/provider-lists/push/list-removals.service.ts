import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Account } from '../../accounts/account.entity.js';
import { parametersOf, recordAudits } from '../../audit/record-audit.js';
import type { RequestContext } from '../../audit/request-context.js';
import { transactionBefore } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { Consent } from '../../ledger/evidence.js';
import { StoredNames } from '../../pseudonyms/stored-names.js';
import { RemovalNotAllowedError } from '../../suppressions/errors.js';
import type { ProviderList } from '../provider-list.entity.js';
import { lockList } from '../provider-lists.service.js';
import type { ListProvider } from '../providers/provider.js';
import { listProviderOf } from '../providers/providers.js';
import { RemovalsImpossibleError, SharedListError, TooManyRemovalsError } from '../errors.js';
import { isRemovable, isToBeListed, type Push } from './push-decisions.js';
import { ListRemovalsRepository, type Known } from './list-removals.repository.js';
import { PushStatesRepository } from './push-states.repository.js';
import { MAX_CONFIRMED } from './push-conditions.js';

export const REMOVAL_STATUS_MEANINGS = {
  queued: 'the provider gets a request for each entry that it may have',
  suppressed:
    'nothing happens: the address is suppressed here (an unsubscribe counts only if the list pushes unsubscribes). Lift it first',
  erased: 'nothing happens: the address was erased here, and is not stored again. Remove it at the provider',
  cannot: 'nothing happens: the provider does not allow the removal of this kind of entry',
  compare_first:
    'nothing happens: no plan has read an entry of the address, and this service has put none there, so it is not known whether ' +
    'the provider has one, or how it spells it. Make a plan, and confirm the removal again if the plan has the address',
} as const;

export type ListRemovalStatus = keyof typeof REMOVAL_STATUS_MEANINGS;

export interface ListRemoval {
  email: EmailAddress;
  status: ListRemovalStatus;
  /** The provider's names of the lists. */
  lists: string[];
}

export interface NewListRemovals {
  emails: EmailAddress[];
  consent: Consent;
  /** Whether the caller may lift complaints and unsubscribes. */
  mayLift: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Queues removals at a provider that a person confirmed. */
@Injectable()
export class ListRemovalsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly repository: ListRemovalsRepository,
    private readonly states: PushStatesRepository,
    private readonly storedNames: StoredNames,
  ) {}

  /**
   * Queues the removal of all entries that the provider has for some addresses, whatever their causes.
   *
   * @throws {ProviderListNotFoundError | SharedListError | RemovalsImpossibleError | TooManyRemovalsError}
   * @throws {AddressBeingErasedError | KeptBlocksUnreadableError}
   * @throws {RemovalNotAllowedError} if the account guards removals, and the caller may not lift complaints and unsubscribes
   */
  async remove(context: RequestContext, listId: string, removals: NewListRemovals): Promise<ListRemoval[]> {
    const { accountId } = context;
    const emails = [...new Set(removals.emails)];
    const pseudonyms = await this.storedNames.forWriting(accountId, emails);
    const { consent } = await this.storedNames.renameInTexts(accountId, removals, pseudonyms);
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const list = await lockList(accountId, listId, transaction);
      const provider = listProviderOf(list.provider);
      await requireAllowed(list, provider, removals, transaction);
      const stored = emails.map((email) => pseudonyms.get(email) ?? email);
      const known = await this.repository.findKnown(list, stored, transaction);
      const byName = new Map(known.map((address) => [address.email, address]));
      const planned = emails.map((email, index) => plan(email, byName.get(stored[index]!)!, list, consent));
      const queued = planned.filter(({ pushes }) => pushes.length > 0);
      if (queued.length > 0) {
        await this.requireFew(list, queued, transaction);
        const pushes = queued.flatMap((removal) => removal.pushes);
        await this.states.insert(list, pushes, transaction);
        const changes = queued.map(({ removal: { lists }, record }) =>
          parametersOf({ record, lists, consent: consent.kind }),
        );
        await recordAudits(transaction, context, 'provider_list.removals_confirmed', list, changes);
      }
      return planned.map(({ removal }) => removal);
    });
  }

  /** Limits the confirmed addresses of a day. Confirming an address again replaces its earlier confirmation. */
  private async requireFew(
    list: ProviderList,
    queued: PlannedRemoval[],
    transaction: EntityManager,
  ): Promise<void> {
    const confirmed = await this.repository.findConfirmed(list, transaction);
    const asked = new Set(queued.map(({ removal }) => removal.email));
    const others = confirmed.filter(({ email }) => !asked.has(email));
    const excess = others.length + asked.size - MAX_CONFIRMED;
    if (excess > 0) {
      throw new TooManyRemovalsError(new Date(others[excess - 1]!.at.getTime() + DAY_MS));
    }
  }
}

interface PlannedRemoval extends Pick<Known, 'record'> {
  removal: ListRemoval;
  pushes: Push[];
}

/**
 * Plans the removal of an address from all lists. On a list without a known entry, one may have appeared since, so the address
 * is removed in its spelling here, unless the provider finds addresses only in its own spelling.
 */
function plan(
  email: EmailAddress,
  { email: stored, causes, entries, record }: Known,
  { provider: name, lastSuccessAt, pushUnsubscribes }: ProviderList,
  consent: Consent,
): PlannedRemoval {
  const provider = listProviderOf(name);
  const nothing = (status: ListRemovalStatus) => ({
    removal: { email, status, lists: [] },
    pushes: [],
    record,
  });
  if (isToBeListed(causes, { pushUnsubscribes })) {
    return nothing('suppressed');
  }
  if (stored !== email) {
    return nothing('erased');
  }
  if (lastSuccessAt === null || (provider.find?.isCaseExact && entries.length === 0)) {
    return nothing('compare_first');
  }
  const pushes = provider.removals.flatMap(({ list }) => {
    const known = entries.filter((entry) => entry.list === list);
    const possible = known.filter(({ cause }) => cause === null || isRemovable(provider, list, cause));
    const addresses = known.length > 0 ? possible : [{ address: email, cause: null }];
    return addresses.map(({ address, cause }) => ({
      email,
      list,
      address,
      action: 'remove' as const,
      cause: cause ?? 'manual',
      since: new Date(),
      consent,
      waits: false,
    }));
  });
  const lists = [...new Set(pushes.map(({ list }) => list))];
  return pushes.length > 0
    ? { removal: { email, status: 'queued', lists }, pushes, record }
    : nothing('cannot');
}

async function requireAllowed(
  { accountId, shared }: ProviderList,
  { removals }: ListProvider,
  { mayLift }: NewListRemovals,
  transaction: EntityManager,
): Promise<void> {
  if (shared) {
    throw new SharedListError();
  }
  if (removals.length === 0) {
    throw new RemovalsImpossibleError();
  }
  const { removal } = await transaction.findOneByOrFail(Account, { id: accountId });
  if (removal === 'guarded' && !mayLift) {
    throw new RemovalNotAllowedError(['complaint', 'unsubscribe']);
  }
}
