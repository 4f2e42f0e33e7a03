import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../../accounts/accounts.service.js';
import type { EmailAddress } from '../../../email-address/email-address.js';
import { EventsService, type ListedEvent } from '../../../inbound/events.service.js';
import type { Page } from '../../../http/page.js';
import type { SuppressionChange } from '../../../ledger/suppression-change.entity.js';
import { HistoryNotFoundError, SuppressionNotFoundError } from '../../../suppressions/errors.js';
import type { SuppressionRef } from '../../../suppressions/suppression-ref.js';
import {
  SuppressionsService,
  type SuppressionWithCauses,
} from '../../../suppressions/suppressions.service.js';
import { VerdictsService, type Verdicts } from '../../../suppressions/checks/verdicts.service.js';
import { UnknownSuppressionError } from './errors.js';

const EVENTS = 25;
const CHANGES = 50;

/** Everything that an account knows about an address. */
export interface AddressAnswer extends Verdicts {
  email: EmailAddress;
  found: SuppressionWithCauses | null;
  /** Newest first. */
  events: Page<ListedEvent>;
  /** Whether lifting needs a note or a consent. */
  isGuarded: boolean;
  /** Newest first. */
  changes: Page<SuppressionChange>;
}

/** Answers why somebody gets no email. */
@Injectable()
export class AddressAnswers {
  constructor(
    private readonly suppressions: SuppressionsService,
    private readonly verdicts: VerdictsService,
    private readonly events: EventsService,
    private readonly accounts: AccountsService,
  ) {}

  /** @throws {UnknownSuppressionError} if no suppression ever had this id */
  async find(accountId: number, ref: SuppressionRef): Promise<AddressAnswer> {
    const email = 'email' in ref ? ref.email : await this.emailOf(accountId, ref);
    const [found, verdicts, events, changes, { removal }] = await Promise.all([
      this.findRecord(accountId, email),
      this.verdicts.explain(accountId, email),
      this.events.list(accountId, { email, limit: EVENTS }),
      this.history(accountId, email),
      this.accounts.getById(accountId),
    ]);
    return {
      ...verdicts,
      email,
      found,
      events,
      isGuarded: removal === 'guarded',
      changes,
    };
  }

  private async emailOf(accountId: number, ref: SuppressionRef): Promise<EmailAddress> {
    const history = await this.suppressions.history(accountId, ref, 1).catch(nullIf(HistoryNotFoundError));
    if (!history) {
      throw new UnknownSuppressionError();
    }
    return history.elements[0]!.email;
  }

  private findRecord(accountId: number, email: EmailAddress): Promise<SuppressionWithCauses | null> {
    return this.suppressions.getWithCauses(accountId, { email }).catch(nullIf(SuppressionNotFoundError));
  }

  private async history(accountId: number, email: EmailAddress): Promise<Page<SuppressionChange>> {
    const page = await this.suppressions
      .history(accountId, { email }, CHANGES)
      .catch(nullIf(HistoryNotFoundError));
    return page ?? { elements: [], hasMore: false };
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
