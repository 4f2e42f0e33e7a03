import { v5 as uuidv5 } from 'uuid';
import { brevo } from '../../../src/inbound/providers/brevo.js';
import { inShort, OWN_UUID, source } from '../../support/deliveries.js';

const read = (body: unknown, options = {}) => brevo.read(body, source({}, options));
const event = (fields: Record<string, unknown>) => ({
  event: 'hard_bounce',
  email: 'ada@example.com',
  id: 123,
  'message-id': '<202611200959.1@smtp-relay.mailin.fr>',
  ts_epoch: 1_763_632_740_000,
  reason: '550 5.1.1 unknown',
  ...fields,
});

describe('an event of Brevo', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ event: 'hard_bounce' }, 'bounce suppress'],
    [{ event: 'hard_bounce', reason: undefined }, 'bounce suppress'],
    [{ event: 'soft_bounce', reason: '452 4.2.2 full' }, 'bounce watch'],
    [{ event: 'soft_bounce', reason: '550 5.1.1 unknown' }, 'bounce suppress'],
    [{ event: 'invalid_email' }, 'bounce suppress'],
    [{ event: 'blocked' }, 'manual suppress-if-absent'],
    [{ event: 'spam' }, 'complaint suppress'],
    [{ event: 'complaint' }, 'complaint suppress'],
    [{ event: 'unsubscribe' }, 'unsubscribe suppress'],
    [{ event: 'unsubscribed' }, 'unsubscribe suppress'],
    [{ event: 'delivered' }, 'delivered success'],
    [{ event: 'deferred' }, 'unknown none'],
    [{ event: 'error' }, 'unknown none'],
    [{ event: 'proxy_open' }, 'unknown none'],
  ])('%j is %s', (fields, expected) => {
    expect(inShort(read(event(fields)))).toEqual([`ada@example.com ${expected}`]);
  });

  it('keeps its email id, timestamp and diagnostic', () => {
    expect(read(event({}))).toMatchObject([
      {
        emailId: uuidv5(
          'brevo\0message-id\x00202611200959.1@smtp-relay.mailin.fr',
          '947dfe23-d495-420a-bc5a-101721e3c797',
        ),
        rawMessageId: '202611200959.1@smtp-relay.mailin.fr',
        occurredAt: new Date(1_763_632_740_000),
        diagnostic: '550 5.1.1 unknown',
      },
    ]);
  });

  it('has its time in milliseconds, or in seconds, as in some examples of Brevo', () => {
    expect(read(event({ ts_epoch: 1_763_632_740 }))[0]!.occurredAt).toEqual(new Date(1_763_632_740_000));
  });

  it('is identified by its type, recipient, and time, not by its id, which is the id of the webhook', () => {
    const [first] = read(event({}));
    const same = { id: 456, date: 'in another time zone' };
    expect(read(event(same))[0]!.key).toBe(first!.key);
    const others = [
      { ts_epoch: 1 },
      { email: 'b@example.com' },
      { event: 'spam' },
      { 'message-id': '<2@x>' },
    ];
    const keys = others.map((fields) => read(event(fields))[0]!.key);
    expect(new Set([first!.key, ...keys]).size).toBe(5);
  });

  it.each(['ts_event', 'ts', 'date', 'date_event'])(
    'is distinguished by %s if it has no ts_epoch',
    (field) => {
      const keyOf = (moment: unknown, fields = {}) =>
        read(event({ ts_epoch: undefined, [field]: moment, ...fields }))[0]!.key;
      expect(keyOf(1_763_632_740, { id: 456 })).toBe(keyOf(1_763_632_740));
      expect(keyOf(1_763_632_740)).not.toBe(keyOf(1_763_632_741));
    },
  );

  it('without a time is identified by its whole content', () => {
    const keyOf = (fields: object) => read(event({ ts_epoch: null, ...fields }))[0]!.key;
    expect(keyOf({})).toBe(keyOf({}));
    expect(keyOf({})).not.toBe(keyOf({ camp_id: 2 }));
  });

  it.each([
    OWN_UUID,
    ` ${OWN_UUID.toUpperCase()} `,
    JSON.stringify({ mail: OWN_UUID }),
    `order:7|mail:${OWN_UUID}`,
    `mail: ${OWN_UUID}|order:7`,
  ])("has the sender's own UUID from the custom header %j", (custom) => {
    const [read1] = read(event({ 'X-Mailin-custom': custom }), { emailIdField: 'mail' });
    expect(read1!.emailId).toBe(OWN_UUID);
  });

  it.each([
    ['spam', 'complaint suppress'],
    ['hard_bounce', 'bounce suppress'],
    ['unsubscribe', 'unsubscribe suppress'],
  ])('of a campaign has no id of an email: %s is %s', (type, expected) => {
    const fields = { 'message-id': undefined, ts_epoch: undefined, ts_event: 1_763_632_740, camp_id: 7 };
    const [one] = read(event({ event: type, ...fields }));
    expect(inShort([one!])).toEqual([`ada@example.com ${expected}`]);
    expect(one).toMatchObject({ emailId: null, occurredAt: new Date(1_763_632_740_000) });
  });

  it('may come alone or with others, and does not affect them', () => {
    const body = [null, event({}), [], event({ email: 'nobody' }), event({ event: 'spam' })];
    expect(inShort(read(body))).toEqual([
      'null unknown none',
      'ada@example.com bounce suppress',
      'null unknown none',
      'null bounce none',
      'ada@example.com complaint suppress',
    ]);
  });

  it.each([null, 'text', 7, true])('is malformed as %j', (body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'malformed_body' }));
  });
});
