import { createHmac, randomUUID } from 'node:crypto';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { signReturnPath } from '../../src/inbound/providers/mail-origin.js';
import { emailIdOf } from '../../src/inbound/parsing/report.js';
import { OWN_UUID } from '../support/deliveries.js';
import {
  deliveryStatus,
  failedRecipient,
  feedbackReport,
  gone,
  mail,
  OUR_HEADER,
} from '../support/raw-mail.js';
import {
  createSource,
  postMail,
  readLedger,
  readList,
  takeMail,
  type Headers,
  type TestSource,
} from '../support/sources.js';
import { createWorld, type World } from '../support/world.js';

describe('raw mail to a source', () => {
  let world: World;
  let source: TestSource;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => {
    source = await createSource(world, 'mail', { options: { messageIdDomains: ['example.com'] } });
  });
  afterAll(() => world.close());

  const take = (message: Buffer, headers: Headers = {}) => takeMail(world, source, message, headers);
  const returnPath = (recipient?: string, key = source.secrets.return_path_key!) =>
    `${signReturnPath(key, OWN_UUID, recipient as EmailAddress)}@bounces.example.org`;
  const reasons = async () => {
    const sql = 'SELECT reason FROM delivery_events WHERE source_id = $1 ORDER BY id';
    return (await world.database.query<{ reason: string }>(sql, [source.id])).map(({ reason }) => reason);
  };

  it.each<[string, () => string]>([
    ['another key', () => returnPath(undefined, 'guess')],
    ['another id', () => returnPath().replace('0198a5f2', '0198a5f3')],
    ['a shorter signature', () => returnPath().replace(/.@/, '@')],
    ['another signature', () => returnPath().replace(/.{24}@/, `${'0'.repeat(24)}@`)],
    ['no signature', () => returnPath().replace(/\..{24}@/, '@')],
    ['a hundred signatures', () => Array.from({ length: 100 }, () => returnPath(undefined, 'x')).join(', ')],
  ])('that comes to a return path with %s does nothing', async (_what, make) => {
    expect(await take(gone('forged@example.net', { To: make() }))).toEqual([
      'forged@example.net bounce none: nothing',
    ]);
    expect(await reasons()).toEqual([expect.stringMatching(/^Unproven, .*: the mailbox does not exist\.$/)]);
    expect(await readLedger(world, 'forged@example.net')).toEqual([]);
  });

  it('is stored with its date, the Message-ID, and an email id derived from it', async () => {
    const header = { Date: 'Fri, 20 Nov 2026 10:00:00 +0200 (EET)' };
    await take(gone('dated@example.net', header, OUR_HEADER));
    await take(gone('undated@example.net', { Date: 'yesterday' }, ['Message-ID: <43@news.example.com>']));
    const sql = `SELECT occurred_at, raw_message_id, email_id FROM delivery_events
      WHERE source_id = $1 ORDER BY recipient`;
    expect(await world.database.query(sql, [source.id])).toEqual([
      {
        occurred_at: new Date('2026-11-20T08:00:00Z'),
        raw_message_id: '42@news.example.com',
        email_id: emailIdOf({ provider: 'mail', idKind: 'message-id', id: '42@news.example.com' }),
      },
      { occurred_at: null, raw_message_id: '43@news.example.com', email_id: expect.any(String) },
    ]);
  });

  it('that arrives again, in another form or at the same time, has no further effect', async () => {
    const header = { 'Message-ID': '<report-1@mx.example.net>' };
    const message = gone('twice@example.net', header, OUR_HEADER);
    const withTrace = Buffer.concat([Buffer.from('Received: from a by b; 1 May 2026\r\n'), message]);
    const answers = await Promise.all(
      [message, withTrace, message].map((one) => postMail(world, source, one)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await world.as(world.alice).delete('/suppressions/twice@example.net').expect(200);
    expect(await take(message)).toHaveLength(1);
    expect(await readLedger(world, 'twice@example.net')).toEqual([
      'added bounce by mail',
      'removed bounce by alice',
    ]);
  });

  it('without a Message-ID is recognized by its content, whatever its line endings', async () => {
    const message = gone('same@example.net', {}, OUR_HEADER);
    await take(message);
    expect(await take(Buffer.from(message.toString().replaceAll('\r\n', '\n')))).toHaveLength(1);
    expect(await take(Buffer.concat([message, Buffer.from('another\r\n')]))).toHaveLength(2);
  });

  it('reports each recipient separately', async () => {
    const lines = [
      ...failedRecipient('one@example.net'),
      ...failedRecipient('two@example.net', '5.2.2'),
      ...failedRecipient('three@example.net'),
      ...failedRecipient('no address'),
      'Final-Recipient: rfc822; fine@example.net',
      'Action: delivered',
    ];
    expect((await take(deliveryStatus(lines, OUR_HEADER))).toSorted()).toEqual([
      'one@example.net bounce suppress: added',
      'three@example.net bounce suppress: added',
      'two@example.net bounce watch: counted',
    ]);
  });

  it('reports complaints by the return path that they name', async () => {
    const lines = (type: string, ...more: string[]) => feedbackReport([`Feedback-Type: ${type}`, ...more]);
    const to = 'Original-Rcpt-To: <angry@example.net>';
    const from = `Original-Mail-From: <${returnPath()}>`;
    expect(await take(lines('abuse', to))).toEqual(['angry@example.net complaint none: nothing']);
    expect(await take(lines('abuse', to, from))).toContain('angry@example.net complaint suppress: added');
    expect(await take(lines('not-spam', to, from))).toContain('angry@example.net unknown none: nothing');
  });

  it('that conceals the recipient is stored and has no effect', async () => {
    expect(await take(feedbackReport(['Feedback-Type: abuse'], OUR_HEADER))).toEqual([
      'null complaint none: nothing',
    ]);
    expect(await reasons()).toEqual(['It names no recipient.']);
  });

  it.each<[string, Buffer]>([
    [
      'an auto-reply',
      mail({ From: 'ada@example.com', 'Auto-Submitted': 'auto-replied', Subject: 'Away' }, 'Later'),
    ],
    ['an ordinary mail', mail({ From: 'ada@example.com', Subject: 'Hello' }, '550 5.1.1 no such user')],
    [
      'a delay',
      deliveryStatus(
        ['Final-Recipient: rfc822; a@b.example', 'Action: delayed', 'Status: 4.4.1'],
        OUR_HEADER,
      ),
    ],
    ['binary', Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919) % 256))],
    ['JSON', Buffer.from('[{"event":"bounce","email":"ada@example.com"}]')],
  ])('that is %s leaves nothing', async (_what, message) => {
    expect(await take(message)).toEqual([]);
  });

  it('to a signed return path suppresses, with the email id in it', async () => {
    const message = gone('ada@example.net', { To: returnPath().toUpperCase() });
    expect(await take(message)).toEqual(['ada@example.net bounce suppress: added']);
    const row = (await readList(world)).find(({ email }) => email === 'ada@example.net');
    expect(row).toMatchObject({ cause: 'bounce', email_id: OWN_UUID });
    expect(await readLedger(world, 'ada@example.net')).toEqual(['added bounce by mail']);
  });

  it('is signed as documented', () => {
    const digits = OWN_UUID.replaceAll('-', '');
    const hmac = (text: string) => createHmac('sha256', 'key').update(text).digest('hex').slice(0, 24);
    expect(signReturnPath('key', OWN_UUID)).toBe(`bounce+${digits}.${hmac(digits)}`);
    const bound = signReturnPath('key', OWN_UUID, 'ada@example.com' as EmailAddress);
    expect(bound).toBe(`bounce+${digits}.${hmac(`${digits} ada@example.com`)}`);
    expect(bound).toHaveLength(64);
  });

  it('to a return path for one recipient proves nothing about another', async () => {
    const To = returnPath('eve@example.net');
    const message = deliveryStatus(
      [...failedRecipient('eve@example.net'), ...failedRecipient('victim@example.net')],
      [],
      {
        To,
      },
    );
    expect((await take(message)).toSorted()).toEqual([
      'eve@example.net bounce suppress: added',
      'victim@example.net bounce none: nothing',
    ]);
  });

  it.each([
    ['example.com', 'added'],
    ['NEWS.Example.COM', 'added'],
    ['badexample.com', 'nothing'],
    ['example.com.evil.example', 'nothing'],
    ['com', 'nothing'],
  ])('that returns a Message-ID at %s: %s', async (domain, outcome) => {
    const email = `${randomUUID()}@example.net`;
    const [event] = await take(gone(email, {}, [`Message-ID: <a@b@${domain}>`]));
    expect(event).toMatch(new RegExp(`: ${outcome}$`));
  });

  it('without a proof is believed if the source is configured so', async () => {
    source = await createSource(world, 'mail', { options: { unproven: 'allow' } });
    expect(await take(gone('trusted@example.net'))).toEqual(['trusted@example.net bounce suppress: added']);
  });

  it('without a proof does not count as a soft failure', async () => {
    source = await createSource(world, 'mail', { options: { softLimit: { failures: 1, days: 1 } } });
    const full = deliveryStatus(failedRecipient('full@example.net', '4.2.2'));
    expect(await take(full)).toEqual(['full@example.net bounce none: nothing']);
  });

  it('that is forged does not block the genuine report', async () => {
    const header = { 'Message-ID': '<report-2@mx.example.net>' };
    await take(gone('late@example.net', header));
    expect((await take(gone('late@example.net', header, OUR_HEADER))).toSorted()).toEqual([
      'late@example.net bounce none: nothing',
      'late@example.net bounce suppress: added',
    ]);
  });
});
