import type { EmailAddress } from '../../email-address/email-address.js';
import { readTypedAddress } from './address-text.js';
import { byName, readFieldGroups } from './header-fields.js';
import type { Report } from './report.js';

/** A `message/feedback-report` part (RFC 5965). */
export interface FeedbackReport {
  /** In lower case. */
  feedbackType: string;
  /** Often concealed. */
  recipients: EmailAddress[];
  /** The return path of the reported mail (RFC 5965, section 3.2). */
  mailFrom: EmailAddress | undefined;
}

export const MAX_RECIPIENTS = 100;

type Meaning = Pick<Report, 'kind' | 'verdict' | 'reason'>;

/** RFC 5965, section 7.3, with the registrations of RFC 6430 and RFC 6591, and what providers add to them. */
const MEANINGS: Record<string, Meaning> = {
  abuse: { kind: 'complaint', verdict: 'suppress', reason: 'the recipient called the mail spam' },
  fraud: { kind: 'complaint', verdict: 'suppress', reason: 'the recipient called the mail a fraud' },
  other: { kind: 'complaint', verdict: 'suppress', reason: 'the recipient complained about the mail' },
  miscategorized: {
    kind: 'complaint',
    verdict: 'suppress',
    reason: 'the recipient called the mail wrongly sorted',
  },
  'opt-out': { kind: 'unsubscribe', verdict: 'suppress', reason: 'the recipient wants no more such mail' },
  'opt-out-list': {
    kind: 'unsubscribe',
    verdict: 'suppress',
    reason: 'the recipient wants no more mail of the list',
  },
  'not-spam': {
    kind: 'complaint',
    verdict: 'ignore',
    reason: 'the recipient said that the mail is not spam',
  },
  'auth-failure': {
    kind: 'complaint',
    verdict: 'ignore',
    reason: 'the report is on authentication, no complaint',
  },
  dmarc: { kind: 'complaint', verdict: 'ignore', reason: 'the report is on authentication, no complaint' },
  virus: { kind: 'complaint', verdict: 'ignore', reason: 'the report is on a virus, no complaint' },
};
const UNKNOWN: Meaning = {
  kind: 'complaint',
  verdict: 'ignore',
  reason: 'the type of the report is unknown',
};

/** What a type of feedback means for its recipient. */
export function meaningOf(feedbackType: string): Meaning {
  return Object.hasOwn(MEANINGS, feedbackType) ? MEANINGS[feedbackType]! : UNKNOWN;
}

export function readFeedbackReport(text: string): FeedbackReport {
  const fields = readFieldGroups(text).flat();
  const named = byName(fields);
  const feedbackType = /[\w-]{1,40}/.exec(named.get('feedback-type') ?? '')?.[0].toLowerCase() ?? '';
  const recipients = fields
    .filter(({ name }) => name === 'original-rcpt-to' || name === 'removal-recipient')
    .slice(0, MAX_RECIPIENTS)
    .map(({ value }) => readTypedAddress(value))
    .filter((address) => address !== undefined);
  const mailFrom = readTypedAddress(named.get('original-mail-from'));
  return { feedbackType, recipients: [...new Set(recipients)], mailFrom };
}
