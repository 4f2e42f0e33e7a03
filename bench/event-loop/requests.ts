import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';

/** A request that is as expensive as the limits of its route allow. */
export interface WorstRequest {
  title: string;
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body: string;
  /** The status that shows that the service did the work. */
  status: number;
  /** Whether the response is a job, whose end belongs to the work. */
  isJob?: boolean;
}

/** A source of events, and how a request to it proves itself. */
export interface Target {
  path: string;
  authorization: string;
}

export interface Targets {
  brevo: Target;
  sparkpost: Target;
  mail: Target;
  sendgrid: Target;
}

const MEBIBYTE = 1024 * 1024;
const EVENTS = 5_000;
const JSON_TYPE = { 'Content-Type': 'application/json' };

const sendgridKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const SENDGRID_KEY = sendgridKeys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

/** @returns the requests, with new addresses and events each time */
export function worstRequests(apiKey: string, targets: Targets): WorstRequest[] {
  const run = randomUUID().slice(0, 8);
  const post = (
    title: string,
    path: string,
    body: unknown,
    status: number,
    method = 'POST',
  ): WorstRequest => ({
    title,
    path,
    method,
    headers: { ...JSON_TYPE, Authorization: `Bearer ${apiKey}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    status,
  });
  const deliver = (
    title: string,
    { path, authorization }: Target,
    body: string,
    status = 200,
  ): WorstRequest => ({
    title,
    path,
    headers: { ...JSON_TYPE, Authorization: authorization },
    body,
    status,
  });
  const upload = (title: string, path: string, body: string, status: number): WorstRequest => ({
    title,
    path,
    headers: { 'Content-Type': 'text/csv', Authorization: `Bearer ${apiKey}` },
    body,
    status,
  });
  return [
    post(
      'check of 1,000 addresses, explained',
      '/suppressions/check?explain=true',
      { emails: many(1_000, (i) => `${run}.${i}@example.com`) },
      200,
    ),
    post(
      'check of 1,000 long international addresses',
      '/suppressions/check',
      { emails: many(1_000, (i) => `${'Ǟ'.repeat(100)}${i}@${internationalDomain(i)}`) },
      200,
    ),
    post(
      'batch add of 100 new addresses',
      '/suppressions/batch/add',
      { emails: many(100, (i) => `${run}-${i}@example.com`) },
      201,
    ),
    post(
      'batch add of 100 hostile addresses of 10 KB',
      '/suppressions/batch/add',
      { emails: many(100, (i) => `${'ﷺ'.repeat(1_700)}@${'ä.'.repeat(1_500)}${i}`) },
      400,
    ),
    post(
      'batch add with 500,000 numbers',
      '/suppressions/batch/add',
      `{"emails":[${'1,'.repeat(500_000)}1]}`,
      400,
    ),
    post('check with 9,000 numbers', '/suppressions/check', `{"emails":[${'1,'.repeat(9_000)}1]}`, 400),
    post('an array of 1 MiB', '/suppressions/check', `[${'{},'.repeat(340_000)}{}]`, 400),
    post('80,000 unknown fields', '/suppressions', unknownFields(80_000), 400),
    post('9,000 unknown fields of our own operation', '/rules', unknownFields(9_000), 400),
    post('9,000 unknown fields of Resend’s operation', '/topics', unknownFields(9_000), 400),
    post('9,900 fields with long names', '/suppressions', unknownFields(9_900, 'n'.repeat(90)), 400),
    post(
      'colons after a text of 500 KB',
      '/suppressions',
      `["${'x'.repeat(500_000)}",${'[:],'.repeat(130_000)}1]`,
      400,
    ),
    post(
      'JSON nested 100,000 levels deep',
      '/suppressions',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      400,
    ),
    post('9,000 values nested 31 levels deep', '/suppressions', nestedValues(), 400),
    post(
      '100 choices of topics',
      '/contacts/ada@example.com/topics',
      many(100, () => randomUUID()).map((id) => ({ id, subscription: 'opt_in' })),
      404,
      'PATCH',
    ),
    post(
      'a rule with a pattern of 1 MB',
      '/rules',
      { pattern: `*.${'a.'.repeat(500_000)}com`, effect: 'block' },
      400,
    ),
    post(
      '100 reported events with long answers',
      '/events',
      many(100, (i) => ({ type: 'bounce', email: `${run}.e${i}@example.com`, diagnostic: hostileText(990) })),
      200,
    ),
    deliver(
      '5,000 Brevo events',
      targets.brevo,
      JSON.stringify(many(EVENTS, (i) => brevoEvent(`${run}.b${i}@example.com`))),
    ),
    deliver(
      '5,000 Brevo events of one address',
      targets.brevo,
      JSON.stringify(many(EVENTS, (i) => brevoEvent(`${run}@example.com`, i))),
    ),
    deliver(
      '700 SparkPost events with long answers',
      targets.sparkpost,
      JSON.stringify(many(700, (i) => sparkpostEvent(`${run}.s${i}@example.com`))),
    ),
    sendgrid(
      targets.sendgrid,
      JSON.stringify(
        many(EVENTS, (i) => ({
          email: `${run}.g${i}@example.com`,
          event: i % 5 === 0 ? 'bounce' : 'delivered',
          status: '5.1.1',
          sg_event_id: `${run}${i}`,
        })),
      ),
    ),
    upload('a scrub of 8 MiB in short rows', '/scrubs', `email\n${'a@b.c\n'.repeat(1_400_000)}`, 200),
    upload(
      'a scrub of 8 MiB in rows of 1 MB',
      '/scrubs',
      `email\na@b.c\n${`"${'a'.repeat(1_000_000)}"\n`.repeat(8)}`,
      200,
    ),
    deliver('a raw email of 1 MiB', targets.mail, rawEmail(), 200),
    {
      ...upload('an import of 20,000 rows', '/imports', `email,cause\n${importRows(run, 20_000)}`, 202),
      isJob: true,
    },
  ];
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function importRows(run: string, count: number): string {
  return many(count, (index) => `${run}.i${index}@example.com,bounce\n`).join('');
}

function internationalDomain(index: number): string {
  return `${'ü'.repeat(30)}.${'ß'.repeat(30)}${index}.example`;
}

function unknownFields(count: number, prefix = 'f'): string {
  return `{${Array.from({ length: count }, (_, index) => `"${prefix}${index}":1`).join(',')}}`;
}

function nestedValues(): string {
  const branch = `${'['.repeat(29)}1${']'.repeat(29)}`;
  return `{"emails":[${Array.from({ length: 300 }, () => branch).join(',')}]}`;
}

/** Words that many patterns of the bounce policy begin to match. */
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

function sendgrid({ path }: Target, body: string): WorstRequest {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = sign('sha256', Buffer.from(timestamp + body), sendgridKeys.privateKey).toString('base64');
  return {
    title: '5,000 SendGrid events',
    path,
    headers: {
      ...JSON_TYPE,
      'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
      'X-Twilio-Email-Event-Webhook-Signature': signature,
    },
    body,
    status: 200,
  };
}

/** A bounce in words, with as many lines as fit that name an address and a reason. */
function rawEmail(): string {
  const head = 'From: MAILER-DAEMON@example.com\r\nTo: us@example.org\r\nSubject: Undelivered Mail\r\n\r\n';
  const line = `<ada@example.com>: host mx.example.com said: ${hostileText(90)}\r\n`;
  return head + line.repeat(Math.floor((MEBIBYTE - head.length) / line.length));
}
