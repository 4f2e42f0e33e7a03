import { v5 as uuidv5 } from 'uuid';
import { mailjet } from '../../../src/inbound/providers/mailjet.js';
import { inShort, OWN_UUID, source } from '../../support/deliveries.js';

const NAMESPACE = '947dfe23-d495-420a-bc5a-101721e3c797';
const GUID = '1ab23cd4-e567-4890-a1b2-c3d4e5f60718';

const read = (body: unknown, options = {}) => mailjet.read(body, source({}, options));
const event = (fields: Record<string, unknown>) => ({
  event: 'bounce',
  time: 1_763_632_740,
  Message_GUID: GUID,
  email: 'ada@example.com',
  blocked: false,
  hard_bounce: true,
  error_related_to: 'recipient',
  error: 'user unknown',
  comment: '',
  ...fields,
});

describe('an event of Mailjet', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ error: 'user unknown' }, 'bounce suppress'],
    [{ error: 'mailbox inactive' }, 'bounce suppress'],
    [{ error: 'invalid domain' }, 'bounce suppress'],
    [{ error: 'no mail host' }, 'bounce suppress'],
    [{ error: 'typofix' }, 'bounce suppress'],
    [{ error: 'user unknown', hard_bounce: false, comment: '4.2.2' }, 'bounce watch'],
    [{ error: 'user unknown', hard_bounce: 'true', comment: '4.2.2' }, 'bounce watch'],
    [{ error: 'typofix', hard_bounce: false, comment: '4.4.4' }, 'bounce watch'],
    [{ error: 'quota exceeded' }, 'bounce watch'],
    [{ error: 'sender blocked' }, 'bounce none'],
    [{ error: 'content blocked' }, 'bounce none'],
    [{ error: 'policy issue' }, 'bounce none'],
    [{ error: 'relay/access denied' }, 'bounce none'],
    [{ error: 'gremlins' }, 'unknown none'],
    [{ error: undefined }, 'unknown none'],
    [{ event: 'blocked', error: 'preblocked' }, 'bounce suppress-if-absent'],
    [{ event: 'blocked', error: 'user unknown' }, 'bounce suppress-if-absent'],
    [{ event: 'blocked', error: 'typofix' }, 'bounce suppress-if-absent'],
    [{ event: 'blocked', error: 'spam reporter' }, 'complaint suppress-if-absent'],
    [{ event: 'blocked', error: 'blacklisted' }, 'manual suppress-if-absent'],
    [{ event: 'blocked', error: 'duplicate in campaign' }, 'bounce none'],
    [{ event: 'spam', source: 'JMRPP' }, 'complaint suppress'],
    [{ event: 'unsub', mj_list_id: 1 }, 'unsubscribe suppress'],
    [{ event: 'sent' }, 'delivered success'],
    [{ event: 'open' }, 'unknown none'],
  ])('%j is %s', (fields, expected) => {
    expect(inShort(read(event(fields)))).toEqual([`ada@example.com ${expected}`]);
  });

  it.each<[number[] | undefined, unknown, string]>([
    [undefined, 7, 'unsubscribe suppress'],
    [[7, 8], 7, 'unsubscribe suppress'],
    [[8], 7, 'unsubscribe opt-out'],
    [[8], '7', 'unsubscribe opt-out'],
    [[8], 0, 'unsubscribe suppress'],
    [[8], undefined, 'unsubscribe suppress'],
  ])(
    'of a source that names the lists %j, with an unsubscribe from the list %j, is %s',
    (lists, list, expected) => {
      const options = lists && { contactLists: lists };
      const body = event({ event: 'unsub', mj_list_id: list });
      expect(inShort(read(body, options))).toEqual([`ada@example.com ${expected}`]);
    },
  );

  it('keeps its email id, timestamp and diagnostic', () => {
    expect(read(event({ comment: '550 5.1.1' }))).toMatchObject([
      {
        emailId: GUID,
        rawMessageId: GUID,
        occurredAt: new Date(1_763_632_740_000),
        diagnostic: 'user unknown: 550 5.1.1',
      },
    ]);
  });

  it('has a derived email id if its GUID is invalid, as in the documentation', () => {
    const Message_GUID = '1ab23cd4-e567-8901-2345-6789f0gh1i2j';
    const expected = uuidv5(`mailjet\0Message_GUID\0${Message_GUID}`, NAMESPACE);
    expect(read(event({ Message_GUID }))[0]).toMatchObject({
      emailId: expected,
      rawMessageId: Message_GUID,
    });
  });

  it('never takes an id that JSON has rounded', () => {
    const rounded = JSON.parse('{"MessageID":13792286917004491}') as Record<string, unknown>;
    expect(read(event({ Message_GUID: undefined, ...rounded }))[0]).toMatchObject({
      emailId: null,
      rawMessageId: null,
    });
    const text = { mj_message_id: '13792286917004491' };
    expect(read(event({ Message_GUID: undefined, ...rounded, ...text }))[0]).toMatchObject({
      emailId: uuidv5('mailjet\0MessageID\x0013792286917004491', NAMESPACE),
      rawMessageId: '13792286917004491',
    });
  });

  it.each([
    ['CustomID', { CustomID: OWN_UUID }],
    ['Payload', { Payload: OWN_UUID }],
    ['mail', { Payload: JSON.stringify({ mail: OWN_UUID }) }],
  ])("has the sender's own UUID from %s", (emailIdField, fields) => {
    expect(read(event(fields), { emailIdField })[0]!.emailId).toBe(OWN_UUID);
  });

  it('is identified by its type, recipient, and time', () => {
    const keys = [
      {},
      { time: 1 },
      { email: 'b@example.com' },
      { event: 'spam' },
      { Message_GUID: OWN_UUID },
      { mj_list_id: 2 },
    ].map((fields) => read(event(fields))[0]!.key);
    expect(new Set(keys).size).toBe(6);
    expect(read(event({ CustomID: 'told again' }))[0]!.key).toBe(keys[0]);
  });

  it('without a time is identified by its whole content', () => {
    const keyOf = (fields: object) => read(event({ time: null, ...fields }))[0]!.key;
    expect(keyOf({})).toBe(keyOf({}));
    expect(keyOf({})).not.toBe(keyOf({ comment: 'another' }));
  });

  it('may come alone or with others, and does not affect them', () => {
    const body = ['text', event({ event: 'spam' }), event({ email: null }), event({})];
    expect(inShort(read(body))).toEqual([
      'null unknown none',
      'ada@example.com complaint suppress',
      'null bounce none',
      'ada@example.com bounce suppress',
    ]);
  });

  it.each([null, 'text', 7])('is malformed as %j', (body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'malformed_body' }));
  });
});
