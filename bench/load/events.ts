import { randomUUID } from 'node:crypto';
import { FIRST_ABSENT, emailOf } from '../records.js';
import { absent, below, fresh, settled } from './addresses.js';

/** What happened to a mail: five of ten arrive, two are deferred, two bounce for good, and one meets a complaint. */
const KINDS = [
  'delivered',
  'deferred',
  'delivered',
  'bounced',
  'delivered',
  'complained',
  'delivered',
  'deferred',
  'delivered',
  'bounced',
] as const;

/** Few enough that several mails to each of them are deferred. */
const DEFERRED_ADDRESSES = 20_000;

export interface MailEvent {
  id: string;
  kind: (typeof KINDS)[number];
  email: string;
}

let nextKind = 0;

/** A provider's next events, none of which was delivered before. */
export function nextEvents(rows: number, count: number): MailEvent[] {
  return Array.from({ length: count }, () => {
    const kind = KINDS[nextKind++ % KINDS.length]!;
    return { id: randomUUID(), kind, email: emailFor(kind, rows) };
  });
}

function emailFor(kind: MailEvent['kind'], rows: number): string {
  switch (kind) {
    case 'bounced':
      return fresh(1)[0]!;
    case 'complained':
      return settled(rows, 1)[0]!;
    case 'deferred':
      return emailOf(FIRST_ABSENT + below(DEFERRED_ADDRESSES));
    case 'delivered':
      return emailOf(absent());
  }
}

const FIELDS: Readonly<Record<MailEvent['kind'], string>> = {
  delivered: '"type":"delivery"',
  deferred: '"type":"bounce","bounce_class":"22","raw_reason":"452 4.2.2 mailbox full"',
  bounced: '"type":"bounce","bounce_class":"10","raw_reason":"550 5.1.1 user unknown"',
  complained: '"type":"spam_complaint","fbtype":"abuse"',
};

/** The body of a webhook of SparkPost. */
export function sparkpostBody(events: MailEvent[]): string {
  const timestamp = Math.floor(Date.now() / 1000);
  const elements = events.map(
    ({ id, kind, email }) =>
      `{"msys":{"message_event":{${FIELDS[kind]},"event_id":"${id}","message_id":"${id}",` +
      `"timestamp":"${timestamp}","raw_rcpt_to":"${email}"}}}`,
  );
  return `[${elements.join(',')}]`;
}
