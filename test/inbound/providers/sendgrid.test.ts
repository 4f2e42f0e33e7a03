import { generateKeyPairSync, sign } from 'node:crypto';
import { v5 as uuidv5 } from 'uuid';
import { sendgrid } from '../../../src/inbound/providers/sendgrid.js';
import { delivery, inShort, NOW_SECONDS, OWN_UUID, source } from '../../support/deliveries.js';

const HOUR = 60 * 60;
const SIGNATURE = 'x-twilio-email-event-webhook-signature';
const TIMESTAMP = 'x-twilio-email-event-webhook-timestamp';
const NAMESPACE = '947dfe23-d495-420a-bc5a-101721e3c797';
const MESSAGE_ID = '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0';

const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const otherKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const VERIFICATION_KEY = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const SOURCE = source({ verification_key: VERIFICATION_KEY });

function signed(body: unknown, { timestamp = NOW_SECONDS, key = keys.privateKey } = {}) {
  const text = JSON.stringify(body);
  const signature = sign('sha256', Buffer.from(`${timestamp}${text}`), key).toString('base64');
  return delivery(text, { [SIGNATURE]: signature, [TIMESTAMP]: String(timestamp) });
}

const verify = (request: ReturnType<typeof delivery>, settings = SOURCE) =>
  sendgrid.verify(request, settings);
const read = (body: unknown, options = {}) => sendgrid.read(body, source({}, options));
const event = (fields: Record<string, unknown>) => ({
  email: 'ada@example.com',
  timestamp: 1_763_632_740,
  sg_event_id: '6g4ZI7SA-xmRDv57GoPIPw==',
  sg_message_id: MESSAGE_ID,
  ...fields,
});
const bounce = (fields: Record<string, unknown>) => event({ event: 'bounce', type: 'bounce', ...fields });

describe('a delivery of SendGrid', () => {
  it('is verified by its signature', async () => {
    await expect(verify(signed([]))).resolves.toEqual({});
  });

  it('is verified by a key in PEM', async () => {
    const pem = keys.publicKey.export({ format: 'pem', type: 'spki' }).toString();
    await expect(verify(signed([]), source({ verification_key: pem }))).resolves.toEqual({});
  });

  it('is verified a few hours later, because SendGrid retries for a day', async () => {
    await expect(verify(signed([], { timestamp: NOW_SECONDS - 20 * HOUR }))).resolves.toEqual({});
  });

  it.each<[string, () => ReturnType<typeof delivery>]>([
    ['with another key', () => signed([], { key: otherKeys.privateKey })],
    ['25 hours old', () => signed([], { timestamp: NOW_SECONDS - 25 * HOUR })],
    ['an hour in the future', () => signed([], { timestamp: NOW_SECONDS + HOUR })],
    ['without a signature', () => delivery([], { [TIMESTAMP]: String(NOW_SECONDS) })],
    ['with a signature that is none', () => delivery([], { ...signed([]).headers, [SIGNATURE]: 'AAAA' })],
    ['without a timestamp', () => delivery([], { [SIGNATURE]: 'AAAA' })],
    [
      'with another timestamp',
      () => delivery([], { ...signed([]).headers, [TIMESTAMP]: String(NOW_SECONDS - 1) }),
    ],
    ['with other bytes', () => ({ ...signed([]), rawBody: Buffer.from('[ ]') })],
  ])('is refused %s', async (_how, request) => {
    await expect(verify(request())).rejects.toMatchObject({ code: 'invalid_signature', statusCode: 401 });
  });

  it.each(['', 'no key', VERIFICATION_KEY.slice(0, 60)])('is refused when the key is %j', async (key) => {
    await expect(verify(signed([]), source({ verification_key: key }))).rejects.toMatchObject({
      statusCode: 401,
    });
    expect(sendgrid.secrets[0].problemWith(key)).toMatch(/public key/);
  });
});

describe('an event of SendGrid', () => {
  it.each<[string | undefined, string | undefined, string]>([
    ['Invalid Address', '5.1.1', 'suppress'],
    ['INVALID ADDRESS', undefined, 'suppress'],
    ['Mailbox Unavailable', '5.1.1', 'suppress'],
    ['Mailbox Unavailable', '4.2.2', 'watch'],
    ['Unclassified', '5.1.1', 'suppress'],
    [undefined, '5.1.1', 'suppress'],
    [undefined, '4.2.2', 'watch'],
    ['Content', '5.1.1', 'none'],
    ['Reputation', '5.1.1', 'none'],
    ['Frequency or Volume Too High', '5.1.1', 'none'],
    ['Frequency/Volume', '5.1.1', 'none'],
    ['Technical Failure', '5.1.1', 'watch'],
    ['Technical', '5.1.1', 'watch'],
    ['Something New', '5.1.1', 'suppress'],
    ['Something New', '5.7.1', 'none'],
  ])('bounced as %s with the status %s has the effect %s', (bounce_classification, status, effect) => {
    expect(read([bounce({ bounce_classification, status })])).toMatchObject([
      { kind: expect.anything(), effect },
    ]);
  });

  it('blocked never suppresses at once, and may lack a status', () => {
    const blocked = {
      type: 'blocked',
      reason: '452 4.2.2 try again',
      bounce_classification: 'Invalid Address',
    };
    expect(inShort(read([bounce(blocked)]))).toEqual(['ada@example.com bounce watch']);
    const unknown = { ...blocked, status: '5.1.1', reason: '550 5.1.1 user unknown' };
    expect(inShort(read([bounce(unknown)]))).toEqual(['ada@example.com bounce watch']);
  });

  it.each([
    ['Bounced Address', 'bounce suppress-if-absent'],
    ['Invalid', 'bounce suppress-if-absent'],
    ['Spam Reporting Address', 'complaint suppress-if-absent'],
    ['Unsubscribed Address', 'unsubscribe suppress-if-absent'],
    ['Spam Content', 'bounce none'],
    ['Recipient List over Package Quota', 'bounce none'],
    ['Something New', 'unknown none'],
  ])('dropped as "%s" is %s', (reason, expected) => {
    expect(inShort(read([event({ event: 'dropped', reason })]))).toEqual([`ada@example.com ${expected}`]);
  });

  it('dropped because the recipient had unsubscribed may be about the group of the message only', () => {
    const drop = (reason: string) => event({ event: 'dropped', reason, asm_group_id: 10 });
    expect(inShort(read([drop('Unsubscribed Address'), drop('Bounced Address')]))).toEqual([
      'ada@example.com unsubscribe none',
      'ada@example.com bounce suppress-if-absent',
    ]);
  });

  it.each([
    ['spamreport', 'complaint suppress'],
    ['unsubscribe', 'unsubscribe suppress'],
    ['delivered', 'delivered success'],
    ['deferred', 'unknown none'],
    ['open', 'unknown none'],
    ['constructor', 'unknown none'],
  ])('%s is %s', (type, expected) => {
    expect(inShort(read([event({ event: type })]))).toEqual([`ada@example.com ${expected}`]);
  });

  it('of an unsubscribe group is about that group', () => {
    const body = ['group_unsubscribe', 'group_resubscribe'].map((type) =>
      event({ event: type, asm_group_id: 10 }),
    );
    expect(inShort(read(body))).toEqual([
      'ada@example.com unsubscribe opt-out',
      'ada@example.com resubscribe opt-in',
    ]);
    expect(read(body).map(({ units }) => units)).toEqual([
      [{ kind: 'group', name: '10' }],
      [{ kind: 'group', name: '10' }],
    ]);
    expect(inShort(read([event({ event: 'group_unsubscribe' })]))).toEqual(['ada@example.com unknown none']);
  });

  it('keeps its id, email id, timestamp and diagnostic', () => {
    const [read1] = read([bounce({ status: '5.1.1', reason: '550 5.1.1 unknown' })]);
    expect(read1).toMatchObject({
      key: '6g4ZI7SA-xmRDv57GoPIPw==',
      emailId: uuidv5('sendgrid\0sg_message_id\x0014c5d75ce93.dfd.64b469', NAMESPACE),
      rawMessageId: MESSAGE_ID,
      occurredAt: new Date(1_763_632_740_000),
      status: '5.1.1',
      diagnostic: '550 5.1.1 unknown',
    });
  });

  it("has the sender's own UUID from a unique argument, when the source names it", () => {
    const body = [event({ event: 'spamreport', mail: OWN_UUID })];
    expect(read(body, { emailIdField: 'mail' })[0]!.emailId).toBe(OWN_UUID);
    expect(read(body)[0]!.emailId).not.toBe(OWN_UUID);
  });

  it('that is not an event does not affect the others', () => {
    const body = [
      null,
      'text',
      {},
      event({ event: 'spamreport', email: 'nobody' }),
      event({ event: 'spamreport' }),
    ];
    expect(inShort(read(body))).toEqual([
      'null unknown none',
      'null unknown none',
      'null unknown none',
      'null complaint none',
      'ada@example.com complaint suppress',
    ]);
  });

  it('is the same in any order, and however often it is delivered', () => {
    const first = event({ event: 'spamreport', sg_event_id: 'a' });
    const second = event({ event: 'delivered', sg_event_id: 'b' });
    expect(read([second, first])).toEqual(read([first, second]).toReversed());
    expect(read([first, first]).map(({ key }) => key)).toEqual(['a', 'a']);
  });

  it('without an id has a key derived from its content', () => {
    const [one, same, another] = read([
      event({ event: 'spamreport', sg_event_id: undefined }),
      event({ event: 'spamreport', sg_event_id: undefined }),
      event({ event: 'delivered', sg_event_id: undefined }),
    ]);
    expect(one!.key).toBe(same!.key);
    expect(one!.key).not.toBe(another!.key);
  });

  it.each([null, {}, 'text', event({ event: 'spamreport' }), Array.from({ length: 5_001 }, () => 0)])(
    'is malformed unless it is in an array of limited size',
    (body) => {
      expect(() => read(body)).toThrow(expect.objectContaining({ code: 'malformed_body', statusCode: 400 }));
    },
  );
});
