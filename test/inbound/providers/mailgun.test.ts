import { createHmac } from 'node:crypto';
import { v5 as uuidv5 } from 'uuid';
import { mailgun } from '../../../src/inbound/providers/mailgun.js';
import { delivery, inShort, NOW_SECONDS, OWN_UUID, source } from '../../support/deliveries.js';

const HOUR = 60 * 60;
const KEY = 'key-of-these-tests';
const TOKEN = 'a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0';
const SOURCE = source({ signing_key: KEY });

function proof({ timestamp = NOW_SECONDS, token = TOKEN, key = KEY } = {}) {
  const signature = createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex');
  return { timestamp: String(timestamp), token, signature };
}

const verify = (body: unknown, headers = {}) => mailgun.verify(delivery(body, headers), SOURCE);
const read = (event: unknown, options = {}) =>
  mailgun.read({ signature: proof(), 'event-data': event }, source({}, options));

const failed = (fields: Record<string, unknown>) => ({
  event: 'failed',
  severity: 'permanent',
  reason: 'bounce',
  id: 'pl271FzxTTmGRW8Uj3dUWw',
  timestamp: 1_763_632_740.818328,
  recipient: 'ada@example.com',
  'delivery-status': {
    code: 550,
    'enhanced-code': '5.1.1',
    message: '550 5.1.1 no such user',
    description: '',
  },
  message: { headers: { 'message-id': '20261120@mail.example.org', to: 'all@example.com' } },
  ...fields,
});

describe('a delivery of Mailgun', () => {
  it('is verified by its signature, and has a single-use token for each token and signing key of Mailgun', async () => {
    const { singleUseToken } = await verify({ signature: proof() });
    const again = await verify({ signature: proof({ timestamp: NOW_SECONDS - HOUR }) });
    const otherToken = await verify({ signature: proof({ token: TOKEN.replace('a', 'b') }) });
    const otherKey = await mailgun.verify(
      delivery({ signature: proof({ key: 'another' }) }),
      source({ signing_key: 'another' }),
    );
    expect(again.singleUseToken).toBe(singleUseToken);
    expect(new Set([singleUseToken, otherToken.singleUseToken, otherKey.singleUseToken]).size).toBe(3);
    expect(singleUseToken).not.toContain(TOKEN);
  });

  it('is verified eight hours later, because Mailgun retries for that long', async () => {
    const signature = proof({ timestamp: NOW_SECONDS - 8 * HOUR });
    await expect(verify({ signature })).resolves.toEqual({ singleUseToken: expect.any(String) });
  });

  it('of a subaccount is verified by the signature of the main account', async () => {
    const own = proof({ key: 'of the subaccount' });
    const signature = { ...own, 'parent-signature': proof().signature };
    await expect(verify({ signature })).resolves.toEqual({ singleUseToken: expect.any(String) });
  });

  it.each<[string, unknown]>([
    ['with another key', { signature: proof({ key: 'another' }) }],
    ['with another token', { signature: { ...proof(), token: TOKEN.replace('a', 'b') } }],
    [
      'with a digit moved',
      { signature: { ...proof({ token: `1${TOKEN}` }), timestamp: `${NOW_SECONDS}1`, token: TOKEN } },
    ],
    ['ten hours old', { signature: proof({ timestamp: NOW_SECONDS - 10 * HOUR }) }],
    ['an hour in the future', { signature: proof({ timestamp: NOW_SECONDS + HOUR }) }],
    ['without a token', { signature: proof({ token: '' }) }],
    ['without a signature', { signature: { ...proof(), signature: undefined } }],
    ['without a proof', {}],
    ['with a proof in the prototype', JSON.parse('{"__proto__":{"signature":{}}}')],
    ['as an array', []],
  ])('is refused %s', async (_how, body) => {
    await expect(verify(body)).rejects.toMatchObject({ code: 'invalid_signature', statusCode: 401 });
  });

  it('is refused when the source has no key', async () => {
    const signature = proof({ key: '' });
    await expect(mailgun.verify(delivery({ signature }), source({ signing_key: '' }))).rejects.toMatchObject({
      statusCode: 401,
    });
  });

  it('is malformed when it is cut off', async () => {
    const cutOff = JSON.stringify({ signature: proof() }).slice(0, -1);
    await expect(verify(cutOff)).rejects.toMatchObject({ code: 'malformed_body', statusCode: 400 });
  });

  it.each(['application/x-www-form-urlencoded', 'Multipart/form-data; boundary=b1', 'multipart/form-data'])(
    'of the legacy kind, as %s, gets a response that ends the retries of Mailgun, and is not read',
    async (type) => {
      const given = verify('event=bounced', { 'content-type': type });
      await expect(given).rejects.toMatchObject({ code: 'legacy_webhook', statusCode: 406 });
    },
  );
});

describe('an event of Mailgun', () => {
  const soft = { 'delivery-status': { code: 452, 'enhanced-code': '4.2.2', message: 'mailbox full' } };

  it.each<[string, Record<string, unknown>, string]>([
    ['a bounce of an unknown mailbox', {}, 'bounce suppress'],
    ['a permanent failure that is not hard', soft, 'bounce watch'],
    [
      'a missing mailbox whose reply code is in a field of its own',
      {
        'delivery-status': { code: 550, message: 'Requested action not taken: mailbox unavailable' },
      },
      'bounce suppress',
    ],
    [
      'a refusal of the sender whose reply code is in a field of its own',
      { 'delivery-status': { code: 550, message: 'no MX record for domain sender.example' } },
      'bounce none',
    ],
    [
      'a login that failed, by the reply code alone',
      { 'delivery-status': { code: 535, message: 'user unknown' } },
      'bounce none',
    ],
    [
      'a bounce that came later',
      { reason: 'generic', flags: { 'is-delayed-bounce': true } },
      'bounce suppress',
    ],
    ['a generic failure', { reason: 'generic' }, 'bounce watch'],
    ['a message that became too old', { reason: 'old' }, 'bounce watch'],
    ['a block', { reason: 'espblock' }, 'bounce none'],
    ['a reason of the future', { reason: 'moon' }, 'unknown none'],
    ['no reason', { reason: undefined }, 'unknown none'],
    ['a temporary failure', { severity: 'temporary' }, 'unknown none'],
    ['a failure of an unknown severity', { severity: undefined }, 'unknown none'],
    ['an address that bounced before', { reason: 'suppress-bounce' }, 'bounce suppress-if-absent'],
    ['an address that complained before', { reason: 'suppress-complaint' }, 'complaint suppress-if-absent'],
    [
      'an address that unsubscribed before',
      { reason: 'suppress-unsubscribe' },
      'unsubscribe suppress-if-absent',
    ],
    [
      'a code of its own',
      { reason: 'generic', 'delivery-status': { code: 606 } },
      'unsubscribe suppress-if-absent',
    ],
    ['a complaint', { event: 'complained' }, 'complaint suppress'],
    ['an unsubscribe', { event: 'unsubscribed' }, 'unsubscribe suppress'],
    ['a delivery', { event: 'delivered' }, 'delivered success'],
    ['another type', { event: 'opened' }, 'unknown none'],
  ])('about %s', (_what, fields, expected) => {
    expect(inShort(read(failed(fields)))).toEqual([`ada@example.com ${expected}`]);
  });

  it('in test mode does nothing', () => {
    const flags = { 'is-test-mode': true };
    expect(inShort(read(failed({ flags })))).toEqual(['ada@example.com bounce none']);
    expect(inShort(read(failed({ flags, event: 'complained' })))).toEqual(['ada@example.com complaint none']);
  });

  it('keeps its key, email id, timestamp and diagnostic', () => {
    expect(read(failed({}))).toMatchObject([
      {
        key: 'pl271FzxTTmGRW8Uj3dUWw 1763632740.818328',
        emailId: uuidv5(
          'mailgun\0message-id\x0020261120@mail.example.org',
          '947dfe23-d495-420a-bc5a-101721e3c797',
        ),
        rawMessageId: '20261120@mail.example.org',
        occurredAt: new Date(1_763_632_740_818),
        status: '5.1.1',
        diagnostic: '550 5.1.1 no such user',
      },
    ]);
    const bracketed = { headers: { 'message-id': '<20261120@mail.example.org>' } };
    expect(read(failed({ message: bracketed }))[0]!.emailId).toBe(read(failed({}))[0]!.emailId);
  });

  it("has the sender's own UUID from a user variable", () => {
    const event = failed({ 'user-variables': { mail: OWN_UUID } });
    expect(read(event, { emailIdField: 'mail' })[0]!.emailId).toBe(OWN_UUID);
  });

  it.each([null, [], {}, 'text', { 'event-data': {} }, { 'event-data': [{ event: 'failed' }] }])(
    'is malformed as %j',
    (body) => {
      expect(() => mailgun.read(body, SOURCE)).toThrow(expect.objectContaining({ code: 'malformed_body' }));
    },
  );
});
