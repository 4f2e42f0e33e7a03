import { Injectable } from '@nestjs/common';
import { closestMatch } from 'leven';
import { AccountsService } from '../../../accounts/accounts.service.js';
import { InvalidEmailAddress, type EmailAddress } from '../../../email-address/email-address.js';
import { apiError, requireFound } from '../../../http/errors/api-error.js';
import { ValidationError } from '../../../http/errors/errors.js';
import type { Page } from '../../../http/page.js';
import { EventsService, type ListedEvent } from '../../../inbound/events.service.js';
import type { Cause } from '../../../ledger/cause.js';
import type { SuppressionChange } from '../../../ledger/suppression-change.entity.js';
import type { ProviderList } from '../../../provider-lists/provider-list.entity.js';
import { ProviderListsService } from '../../../provider-lists/provider-lists.service.js';
import { CheckService, type Verdicts } from '../../../suppressions/checks/check.service.js';
import { HistoryNotFoundError, SuppressionNotFoundError } from '../../../suppressions/errors.js';
import { PrefixSearch } from '../../../suppressions/suppression-lookup.js';
import type { SuppressionRef } from '../../../suppressions/suppression-ref.js';
import {
  SuppressionsService,
  type SuppressionWithCauses,
} from '../../../suppressions/suppressions.service.js';
import { STORABLE } from '../../../validation/parsers.js';
import { listOfCauses, listOf } from '../../components/words.js';
import type { Role } from '../../people/roles.js';
import { problemWith, readCopiedAddress, readRef } from './search-text.js';

/** No suppression, past or present, has this id. */
export class UnknownSuppressionError extends apiError(
  404,
  'unknown_suppression',
  'No suppression has ever had this id. Search for the address instead.',
) {}

/** Somebody else lifted it, or it expired, since the page with the form was opened. */
export class AlreadyLiftedError extends apiError(
  404,
  'already_lifted',
  (causes: readonly Cause[]) =>
    `Nothing was changed, because this was lifted before: ${listOfCauses(causes)}. The history below says when, and by whom.`,
) {}

/** Somebody lifted it, and it was recorded again, since the page with the form was opened. */
export class RecordedAgainError extends apiError(
  409,
  'recorded_again',
  (causes: readonly Cause[]) =>
    `Nothing was lifted, because this was recorded again after you opened the page: ${listOfCauses(causes)}. See below what is recorded now.`,
) {}

/** The recipient, or somebody else for the recipient, chose since the page with the form was opened. */
export class ChosenSinceError extends apiError(
  409,
  'chosen_since',
  (topics: readonly string[]) =>
    `Nothing was changed, because the choice changed after you opened the page: ${listOf(topics)}. See below what is chosen now.`,
) {}

/** The recipient unsubscribed, or a person recorded it, since the page with the form was opened. */
export class AlreadyUnsubscribedError extends apiError(
  409,
  'already_unsubscribed',
  'Nothing was changed, because the address was already unsubscribed. The history below says when, and by whom.',
) {}

/** The account guards removals. */
export class LiftNotAllowedError extends apiError(403, 'lift_not_allowed', (role: Role) =>
  role === 'admin'
    ? 'Nothing was lifted: this account guards removals. Lifting a bounce needs a note, and lifting a spam complaint ' +
      'or an unsubscribe needs a record of the recipient’s consent.'
    : 'Nothing was lifted: this account guards removals. Lifting a bounce needs a note. Only an admin lifts a spam ' +
      'complaint or an unsubscribe.',
) {}

const EVENTS = 25;
const CHANGES = 45;
const MAX_NAMESAKES = 100;
/** The most typing mistakes in a domain. Transposed letters count as two. */
const MAX_MISTAKES = 2;
const LETTERS_PER_MISTAKE = 4;

/** Everything that an account knows about an address. */
export interface AddressAnswer extends Verdicts {
  email: EmailAddress;
  record: SuppressionWithCauses | null;
  /** Newest first. */
  events: Page<ListedEvent>;
  /** Whether lifting needs a note or a consent. */
  isGuarded: boolean;
  /** Newest first. */
  changes: Page<SuppressionChange>;
  /** The account's provider lists. */
  providerLists: ProviderList[];
  /** Whether nothing is known about the address. */
  isUnknown: boolean;
  /** For an unknown address: a listed address with the same local part and a similar or longer domain. */
  similar: EmailAddress | null;
}

/** Answers why a person gets no email. */
@Injectable()
export class AddressAnswers {
  constructor(
    private readonly suppressions: SuppressionsService,
    private readonly checks: CheckService,
    private readonly events: EventsService,
    private readonly accounts: AccountsService,
    private readonly prefixes: PrefixSearch,
    private readonly providerLists: ProviderListsService,
  ) {}

  async find(accountId: number, email: EmailAddress): Promise<AddressAnswer> {
    const [record, verdicts, events, history, { removal }, providerLists] = await Promise.all([
      this.findRecord(accountId, email),
      this.checks.explain(accountId, email),
      this.events.list(accountId, { email, limit: EVENTS }),
      this.history(accountId, { email }, CHANGES),
      this.accounts.getById(accountId),
      this.providerLists.findAll(accountId),
    ]);
    const isUnknown =
      !record &&
      events.elements.length === 0 &&
      !history &&
      verdicts.topics.every(({ chosenAt }) => !chosenAt);
    return {
      ...verdicts,
      email,
      record,
      events,
      isGuarded: removal === 'guarded',
      changes: history ?? { elements: [], hasMore: false },
      providerLists,
      isUnknown,
      similar: isUnknown ? await this.findSimilar(accountId, email) : null,
    };
  }

  /** Finds the address that was probably meant if the end of the domain is missing, or the domain is mistyped. */
  private async findSimilar(accountId: number, email: EmailAddress): Promise<EmailAddress | null> {
    const at = email.lastIndexOf('@') + 1;
    const domain = email.slice(at);
    const namesakes = await this.prefixes.find(accountId, email.slice(0, at), MAX_NAMESAKES);
    const meant = closestMatch(
      domain,
      namesakes.map((namesake) => namesake.email.slice(at)),
      { maxDistance: Math.min(MAX_MISTAKES, Math.floor(domain.length / LETTERS_PER_MISTAKE)) },
    );
    const similar =
      namesakes.find((namesake) => namesake.email.startsWith(email)) ??
      namesakes.find((namesake) => namesake.email.slice(at) === meant);
    return similar?.email ?? null;
  }

  /**
   * The address that a text stands for: an address, or the id of a suppression.
   *
   * @throws {ValidationError} if it is neither
   * @throws {UnknownSuppressionError} if no suppression ever had this id
   */
  async emailOf(accountId: number, text: string): Promise<EmailAddress> {
    const email = await this.findEmail(accountId, text);
    if (email instanceof InvalidEmailAddress) {
      throw ValidationError.ofRequest(problemWith(text, email));
    }
    return email;
  }

  /**
   * Like {@link emailOf}. A text that is not an address can still be in the history, because earlier versions accepted
   * punctuation in domains.
   *
   * @throws {UnknownSuppressionError} if no suppression ever had this id
   */
  async findEmail(accountId: number, text: string): Promise<EmailAddress | InvalidEmailAddress> {
    const ref = readRef(text);
    if (ref instanceof InvalidEmailAddress) {
      const email = text as EmailAddress;
      const isKnown =
        text.includes('@') && STORABLE.test(text) && (await this.history(accountId, { email }, 1));
      return isKnown ? email : readCopiedAddress(text);
    }
    if ('email' in ref) {
      return ref.email;
    }
    const history = requireFound(await this.history(accountId, ref, 1), UnknownSuppressionError);
    return history.elements[0]!.email;
  }

  private findRecord(accountId: number, email: EmailAddress): Promise<SuppressionWithCauses | null> {
    return this.suppressions.getWithCauses(accountId, { email }).catch(nullIf(SuppressionNotFoundError));
  }

  /** Null if nothing has ever changed. */
  private history(
    accountId: number,
    ref: SuppressionRef,
    limit: number,
  ): Promise<Page<SuppressionChange> | null> {
    return this.suppressions.history(accountId, ref, limit).catch(nullIf(HistoryNotFoundError));
  }
}

function nullIf(errorClass: new () => Error): (error: unknown) => null {
  return (error) => {
    if (error instanceof errorClass) {
      return null;
    }
    throw error;
  };
}
