import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { ApiRequest } from '../api-client.js';
import type { EventSource } from '../load/job.js';

/** A request that is as expensive as the limits of its route allow. */
export interface WorstRequest extends ApiRequest {
  title: string;
  path: string;
}

export type Targets = Record<'brevo' | 'sparkpost' | 'mail' | 'sendgrid', EventSource>;

const MEBIBYTE = 1024 * 1024;
const EVENTS = 5_000;
const JSON_TYPE = { 'Content-Type': 'application/json' };

const sendgridKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const SENDGRID_KEY = sendgridKeys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

/** @returns the requests, with new addresses and events each time */
export function worstRequests({ brevo, sparkpost, mail, sendgrid }: Targets): WorstRequest[] {
  const run = randomUUID().slice(0, 8);
  const requests: WorstRequest[] = [];
  const send = (title: string, path: string, body: unknown, status = 200, method = 'POST') => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    requests.push({ title, path, method, headers: JSON_TYPE, body: text, status });
  };
  const deliver = (title: string, { path, authorization }: EventSource, body: unknown) => {
    send(title, path, body);
    requests.at(-1)!.headers = { ...JSON_TYPE, Authorization: authorization };
  };
  const upload = (title: string, path: string, body: string, status: number) =>
    requests.push({ title, path, headers: { 'Content-Type': 'text/csv' }, body, status });

  const check = '/suppressions/check';
  const add = '/suppressions/batch/add';
  const plain = { emails: many(1_000, (i) => `${run}.${i}@example.com`) };
  send('check of 1,000 addresses, explained', `${check}?explain=true`, plain);
  const domain = `${'ü'.repeat(30)}.${'ß'.repeat(30)}`;
  const international = { emails: many(1_000, (i) => `${'Ǟ'.repeat(100)}${i}@${domain}${i}.example`) };
  send('check of 1,000 long international addresses', check, international);
  send('batch add of 100 new addresses', add, { emails: many(100, (i) => `${run}-${i}@example.com`) }, 201);
  const hostile = { emails: many(100, (i) => `${'ﷺ'.repeat(1_700)}@${'ä.'.repeat(1_500)}${i}`) };
  send('batch add of 100 hostile addresses of 10 KB', add, hostile, 400);
  send('batch add with 500,000 numbers', add, `{"emails":[${'1,'.repeat(500_000)}1]}`, 400);
  send('check with 9,000 numbers', check, `{"emails":[${'1,'.repeat(9_000)}1]}`, 400);
  send('an array of 1 MiB', check, `[${'{},'.repeat(340_000)}{}]`, 400);
  send('80,000 unknown fields', '/suppressions', unknownFields(80_000), 400);
  send('9,000 unknown fields of our own operation', '/rules', unknownFields(9_000), 400);
  send('9,000 unknown fields of Resend’s operation', '/topics', unknownFields(9_000), 400);
  send('9,900 fields with long names', '/suppressions', unknownFields(9_900, 'n'.repeat(90)), 400);
  const colons = `["${'x'.repeat(500_000)}",${'[:],'.repeat(130_000)}1]`;
  send('colons after a text of 500 KB', '/suppressions', colons, 400);
  send('JSON nested 100,000 levels deep', '/suppressions', nested(100_000), 400);
  const branches = many(300, () => nested(29, '1'));
  send('9,000 values nested 31 levels deep', '/suppressions', `{"emails":[${branches.join(',')}]}`, 400);
  const choices = many(100, () => ({ id: randomUUID(), subscription: 'opt_in' }));
  send('100 choices of topics', '/contacts/ada@example.com/topics', choices, 404, 'PATCH');
  const rule = { pattern: `*.${'a.'.repeat(500_000)}com`, effect: 'block' };
  send('a rule with a pattern of 1 MB', '/rules', rule, 400);
  const diagnostic = hostileText(990);
  const reported = many(100, (i) => ({ type: 'bounce', email: `${run}.e${i}@example.com`, diagnostic }));
  send('100 reported events with long answers', '/events', reported);

  const brevoEvents = many(EVENTS, (i) => brevoEvent(`${run}.b${i}@example.com`));
  deliver('5,000 Brevo events', brevo, brevoEvents);
  const repeated = many(EVENTS, (i) => brevoEvent(`${run}@example.com`, i));
  deliver('5,000 Brevo events of one address', brevo, repeated);
  const sparkpostEvents = many(700, (i) => sparkpostEvent(`${run}.s${i}@example.com`));
  deliver('700 SparkPost events with long answers', sparkpost, sparkpostEvents);
  send(
    '5,000 SendGrid events',
    sendgrid.path,
    many(EVENTS, (i) => sendgridEvent(`${run}${i}`, i % 5 === 0)),
  );
  requests.at(-1)!.headers = { ...JSON_TYPE, ...sendgridSignature(requests.at(-1)!.body!) };
  deliver('a raw email of 1 MiB', mail, rawEmail());
  const groups = `From: MAILER-DAEMON@example.com\r\nTo: ${':'.repeat(256_000)}`;
  deliver('a raw email with 256,000 groups of addresses', mail, groups);
  const fields = `To: ${': '.repeat(990)}\r\n`.repeat(125);
  deliver('a raw email with 125 fields of groups', mail, `From: MAILER-DAEMON@example.com\r\n${fields}`);

  const short = `email\n${'a@b.c\n'.repeat(1_400_000)}`;
  upload('a scrub of 8 MiB in short rows', '/scrubs', short, 200);
  const long = `email\na@b.c\n${`"${'a'.repeat(1_000_000)}"\n`.repeat(8)}`;
  upload('a scrub of 8 MiB in rows of 1 MB', '/scrubs', long, 200);
  const imported = many(20_000, (i) => `${run}.i${i}@example.com,bounce\n`).join('');
  upload('an import of 20,000 rows', '/imports', `email,cause\n${imported}`, 202);
  return requests;
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function unknownFields(count: number, prefix = 'f'): string {
  return `{${many(count, (index) => `"${prefix}${index}":1`).join(',')}}`;
}

function nested(levels: number, value = ''): string {
  return `${'['.repeat(levels)}${value}${']'.repeat(levels)}`;
}

/** Words with which many patterns of the bounce policy begin. */
function hostileText(length: number): string {
  return '550 5.7.1 user mailbox not address recipient '.repeat(length / 45);
}

function brevoEvent(email: string, id = 0): object {
  return { event: 'soft_bounce', email, ts_epoch: 1_700_000_000_000 + id, reason: '452 mailbox full' };
}

function sparkpostEvent(email: string): object {
  const event = { type: 'bounce', bounce_class: '10', raw_rcpt_to: email, raw_reason: hostileText(1_300) };
  return { msys: { message_event: { ...event, event_id: randomUUID() } } };
}

function sendgridEvent(id: string, isBounce: boolean): object {
  const event = isBounce ? 'bounce' : 'delivered';
  return { email: `${id}@example.com`, event, status: '5.1.1', sg_event_id: id };
}

function sendgridSignature(body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = sign('sha256', Buffer.from(timestamp + body), sendgridKeys.privateKey).toString('base64');
  return {
    'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
    'X-Twilio-Email-Event-Webhook-Signature': signature,
  };
}

/** A bounce in plain text, with as many lines as fit. */
function rawEmail(): string {
  const head = 'From: MAILER-DAEMON@example.com\r\nTo: us@example.org\r\nSubject: Undelivered Mail\r\n\r\n';
  const line = `<ada@example.com>: host mx.example.com said: ${hostileText(90)}\r\n`;
  return head + line.repeat(Math.floor((MEBIBYTE - head.length) / line.length));
}
