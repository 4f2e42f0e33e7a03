import { randomUUID } from 'node:crypto';
import { FIRST_ABSENT, emailOf } from '../records.js';
import { absent, addedByHand, below, fresh } from './addresses.js';

/** Every other event is a delivery. */
const OTHER_KINDS = ['deferred', 'bounced', 'complained', 'deferred', 'bounced'] as const;

/** Few, so that several emails to each of them are deferred. */
const DEFERRED_ADDRESSES = 20_000;

export interface MailEvent {
  id: string;
  kind: 'delivered' | (typeof OTHER_KINDS)[number];
  email: string;
}

let nextEvent = 0;

export function nextEvents(rows: number, count: number): MailEvent[] {
  return Array.from({ length: count }, () => {
    const number = nextEvent++;
    const kind = number % 2 === 0 ? 'delivered' : OTHER_KINDS[((number - 1) / 2) % OTHER_KINDS.length]!;
    return { id: randomUUID(), kind, email: EMAILS[kind](rows) };
  });
}

const EMAILS: Readonly<Record<MailEvent['kind'], (rows: number) => string>> = {
  delivered: () => emailOf(absent()),
  deferred: () => emailOf(FIRST_ABSENT + below(DEFERRED_ADDRESSES)),
  bounced: () => fresh(1)[0]!,
  complained: (rows) => addedByHand(rows, 1)[0]!,
};

const FIELDS: Readonly<Record<MailEvent['kind'], string>> = {
  delivered: '"type":"delivery"',
  deferred: '"type":"bounce","bounce_class":"22","raw_reason":"452 4.2.2 mailbox full"',
  bounced: '"type":"bounce","bounce_class":"10","raw_reason":"550 5.1.1 user unknown"',
  complained: '"type":"spam_complaint","fbtype":"abuse"',
};

export function sparkpostBody(events: MailEvent[]): string {
  const timestamp = Math.floor(Date.now() / 1000);
  const elements = events.map(
    ({ id, kind, email }) =>
      `{"msys":{"message_event":{${FIELDS[kind]},"event_id":"${id}","message_id":"${id}",` +
      `"timestamp":"${timestamp}","raw_rcpt_to":"${email}"}}}`,
  );
  return `[${elements.join(',')}]`;
}
