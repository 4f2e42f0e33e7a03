import { Injectable } from '@nestjs/common';
import { InvalidEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { Metrics } from '../metrics/metrics.js';
import type { TopicRef } from '../topics/topic-ref.js';
import { CheckLookup, type Knowledge } from './check-lookup.js';
import type { CheckedEmail, RequestedEmail } from './checked-email.js';
import type { FoundSuppression } from './suppression-lookup.js';
import { matchesFor, type Match } from './verdict.js';

@Injectable()
export class CheckService {
  constructor(
    private readonly lookup: CheckLookup,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Whether addresses may be mailed, in the order requested.
   *
   * @param topic - of the mail; null for mail without a stated purpose
   * @throws {TopicNotFoundError}
   */
  async check(
    accountId: number,
    requested: RequestedEmail[],
    topic: TopicRef | null,
  ): Promise<CheckedEmail[]> {
    const emails = requested.map(({ address }) => address).filter((address) => typeof address === 'string');
    const knowledge = topic
      ? await this.lookup.findForTopic(accountId, emails, topic)
      : await this.lookup.find(accountId, emails);
    const records = new Map<unknown, FoundSuppression>(
      knowledge.records.map((record) => [record.email, record]),
    );
    const checked = requested.map((email) =>
      checkEmail(email, records.get(email.address) ?? null, knowledge),
    );
    this.metrics.countVerdicts(checked.map(({ verdict }) => verdict));
    return checked;
  }
}

function checkEmail(
  { text, address }: RequestedEmail,
  record: FoundSuppression | null,
  knowledge: Knowledge,
): CheckedEmail {
  if (address instanceof InvalidEmailAddress) {
    return { text, verdict: 'invalid', suppression: null, matches: [] };
  }
  const matches = findMatches(address, record, knowledge);
  const verdict = matches[0]?.verdict ?? 'send';
  return { text, verdict, suppression: verdict === 'suppressed' ? record : null, matches };
}

function findMatches(
  email: EmailAddress,
  record: FoundSuppression | null,
  { purpose, preferences, rules }: Knowledge,
): Match[] {
  const facts = {
    record: record && { id: record.id, causes: [record.cause] },
    preference: preferences.get(email) ?? null,
    rules: rules.matching(email),
  };
  return matchesFor(email, facts, purpose, 'all');
}
