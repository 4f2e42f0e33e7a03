import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../audit/request-context.js';
import { InvalidEmailAddress } from '../../email-address/invalid-email-address.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { Metrics } from '../../metrics/metrics.js';
import type { AsOf } from '../past/as-of.js';
import { CheckLookup } from './check-lookup.js';
import type { CheckedEmail, RequestedEmail } from './checked-email.js';
import type { Knowledge, RecordWithCauses } from '../knowledge.js';
import { PastLookup } from '../past/past-lookup.js';
import type { RequestedPurpose } from '../requested-purpose.js';
import {
  UnsubscribeLinksService,
  type LinkedEmail,
  type UnsubscribeLink,
} from '../../unsubscribe-links/unsubscribe-links.service.js';
import { matchesFor } from '../verdict.js';

/** Options for the unsubscribe links of the addresses that may be mailed. */
export type RequestedLinks = Pick<LinkedEmail, 'mailto'>;

@Injectable()
export class CheckService {
  constructor(
    private readonly lookup: CheckLookup,
    private readonly past: PastLookup,
    private readonly links: UnsubscribeLinksService,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Whether addresses may be mailed, in the order requested.
   *
   * @param asOf - a time in the past; null for now
   * @throws {TopicNotFoundError}
   * @throws {CursorGoneError}
   */
  async check(
    accountId: number,
    requested: RequestedEmail[],
    purpose: RequestedPurpose,
    asOf: AsOf | null = null,
  ): Promise<CheckedEmail[]> {
    const emails = requested.map(({ address }) => address).filter((address) => typeof address === 'string');
    const knowledge = asOf
      ? await this.past.find(accountId, emails, purpose, asOf)
      : await this.find(accountId, emails, purpose);
    const records = new Map<unknown, RecordWithCauses>(
      knowledge.records.map((found) => [found.record.email, found]),
    );
    const checked = requested.map((email) =>
      checkEmail(email, records.get(email.address) ?? null, knowledge),
    );
    this.metrics.countVerdicts(checked.map(({ verdict }) => verdict));
    return checked;
  }

  private find(accountId: number, emails: EmailAddress[], purpose: RequestedPurpose): Promise<Knowledge> {
    switch (purpose.type) {
      case 'topic':
        return this.lookup.findForTopic(accountId, emails, purpose.topic);
      case 'transactional':
        return this.lookup.findForTransactional(accountId, emails);
      default:
        return this.lookup.find(accountId, emails);
    }
  }

  /**
   * Like {@link check}, with the links of the addresses that may be mailed.
   *
   * @throws {TopicNotFoundError}
   * @throws {UnsubscribeLinksUnavailableError}
   * @throws {UnsubscribeMailboxMissingError}
   */
  async checkWithLinks(
    context: Omit<RequestContext, 'actor'>,
    requested: RequestedEmail[],
    purpose: RequestedPurpose,
    { mailto }: RequestedLinks,
  ): Promise<CheckedEmail[]> {
    const checked = await this.check(context.accountId, requested, purpose);
    const sendable = requested
      .filter((_email, index) => checked[index]!.verdict === 'send')
      .map(({ address }) => address as EmailAddress);
    const linkedEmail = { topic: purpose.type === 'topic' ? purpose.topic : null, emailId: null, mailto };
    const links = await this.links.create(context, [...new Set(sendable)], linkedEmail);
    const byEmail = new Map<unknown, UnsubscribeLink>(links.map((link) => [link.email, link]));
    return checked.map((email, index) => ({ ...email, link: byEmail.get(requested[index]!.address) }));
  }
}

function checkEmail(
  { text, address }: RequestedEmail,
  found: RecordWithCauses | null,
  { purpose, preferences, rules }: Knowledge,
): CheckedEmail {
  if (address instanceof InvalidEmailAddress) {
    return { text, verdict: 'invalid', suppression: null, matches: [] };
  }
  const facts = {
    record: found && { id: found.record.id, causes: found.causes, heldUntil: found.heldUntil ?? null },
    preference: preferences.get(address) ?? null,
    rules: rules.matching(address),
  };
  const matches = matchesFor(address, facts, purpose);
  const verdict = matches[0]?.verdict ?? 'send';
  return { text, verdict, suppression: verdict === 'suppressed' && found ? found.record : null, matches };
}
