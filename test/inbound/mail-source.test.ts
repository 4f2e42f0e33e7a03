import { createHmac, randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { emailIdOf } from '../../src/inbound/parsing/report.js';
import { signReturnPath } from '../../src/inbound/providers/mail.js';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { basic, OWN_UUID } from '../support/deliveries.js';
import {
  deliveryStatus,
  failedRecipient,
  feedbackReport,
  FROM_DAEMON,
  gone,
  mail,
  OUR_HEADER,
  report,
} from '../support/raw-mail.js';
import {
  createSource,
  type Headers,
  post,
  postMail,
  readInbox,
  readLedger,
  readList,
  takeMail,
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

const MIB = 1024 * 1024;

describe('raw mail to a source', () => {
  let world: World;
  let source: TestSource;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => {
    source = await createSource(world, 'mail', { options: { messageIdDomains: ['example.com'] } });
  });
  afterAll(() => world.close());

  const take = (message: Buffer, headers: Headers = {}) => takeMail(world, source, message, headers);

  it('with endless nesting gets a response', async () => {
    const nested = Array.from(
      { length: 5_000 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}`,
    );
    await take(mail(FROM_DAEMON, ...nested));
    const inner = { type: 'message/rfc822', lines: gone('inner@example.net').toString().split('\r\n') };
    await take(report('delivery-status', [{ type: 'text/plain', lines: ['x'] }, inner]));
    expect(await readLedger(world, 'inner@example.net')).toEqual([]);
  });

  it.each(['text/plain; charset=latin1', 'application/octet-stream', 'application/json', 'multipart/report'])(
    'is read although it says %s',
    async (type) => {
      const { username, password } = source.secrets;
      const credential = basic(username!, password!) as Headers;
      const headers = { ...credential, 'Content-Type': type };
      const { status } = await post(world, source, gone('typed@example.net').toString(), headers);
      expect(status).toBe(200);
      expect(await readInbox(world, source)).toHaveLength(1);
    },
  );

  it('that is empty is malformed', async () => {
    const { status, body } = await postMail(world, source, Buffer.alloc(0));
    expect([status, body.code]).toEqual([400, 'malformed_body']);
  });

  it('with a wrong credential or none is refused and only counted', async () => {
    const message = gone('nobody@example.net', {}, OUR_HEADER);
    const large = Buffer.concat([message, Buffer.alloc(2 * MIB, 'x\r\n')]);
    const wrong = basic(source.secrets.username!, 'guess') as Headers;
    const answers = [
      await post(world, source, message.toString()),
      await postMail(world, source, message, wrong),
      await postMail(world, source, large, wrong),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await readInbox(world, source)).toEqual([]);
    expect(await world.app.get(SourcesService).get(source.id)).toMatchObject({ badSignatures: '3' });
  });

  describe('of a size', () => {
    const padded = (octets: number) => {
      const message = gone('large@example.net', {}, OUR_HEADER);
      return Buffer.concat([message, Buffer.alloc(octets - message.length, 'x\r\n')]);
    };

    it('of 25 MiB is accepted, and a larger one is refused', async () => {
      expect(await take(padded(25 * MIB))).toEqual(['large@example.net bounce suppress: added']);
      const { status, body } = await postMail(world, source, padded(25 * MIB + 1));
      expect([status, body]).toEqual([
        413,
        expect.objectContaining({
          code: 'message_too_large',
          message: 'The message is larger than 25 MiB.',
        }),
      ]);
    });

    it('that is not declared is accepted, and refused as soon as it is too large', async () => {
      const { username, password } = source.secrets;
      const send = (message: Buffer) =>
        new Promise<number | undefined>((resolve, reject) => {
          const headers = { ...basic(username!, password!), 'Transfer-Encoding': 'chunked' };
          const url = new URL(source.path, world.url);
          const sent = httpRequest(url, { method: 'POST', headers }, (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          });
          sent.on('error', reject);
          sent.end(message);
        });
      expect(await send(padded(2 * MIB))).toBe(200);
      expect(await send(padded(26 * MIB))).toBe(413);
    });

    it('larger than 2 MiB is refused by a source of another provider and by an unknown source', async () => {
      const postmark = await createSource(world, 'postmark');
      const { status, body } = await postMail(world, postmark, padded(3 * MIB));
      expect([status, body.message]).toEqual([413, expect.stringMatching(/larger than 2 MiB/)]);
      const nowhere = { ...source, path: `/inbound/${'A'.repeat(32)}` };
      expect((await postMail(world, nowhere, padded(2 * MIB))).status).toBe(404);
    });
  });
});
