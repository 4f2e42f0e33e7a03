import { v5 as uuidv5 } from 'uuid';
import { postmark } from '../../../src/inbound/providers/postmark.js';
import { inShort, OWN_UUID, source } from '../../support/deliveries.js';

const MESSAGE_ID = '883953f4-6105-42a2-a16a-77a8eac79483';
const NIL = '00000000-0000-0000-0000-000000000000';

const read = (body: unknown, options = {}) => postmark.read(body, source({}, options));

const bounce = (fields: Record<string, unknown>) => ({
  RecordType: 'Bounce',
  ID: 42,
  Type: 'HardBounce',
  MessageID: MESSAGE_ID,
  Email: 'ada@example.com',
  BouncedAt: '2026-11-20T05:28:10.2735393-04:00',
  Inactive: false,
  Details: 'Test bounce details',
  ...fields,
});

const change = (fields: Record<string, unknown>) => ({
  RecordType: 'SubscriptionChange',
  MessageID: MESSAGE_ID,
  Recipient: 'ada@example.com',
  Origin: 'Recipient',
  SuppressSending: true,
  SuppressionReason: 'ManualSuppression',
  ChangedAt: '2026-11-20T09:53:34Z',
  ...fields,
});

describe('a record of Postmark', () => {
  it.each([
    ['HardBounce', 'bounce suppress'],
    ['BadEmailAddress', 'bounce suppress'],
    ['SpamComplaint', 'complaint suppress'],
    ['Unsubscribe', 'unsubscribe suppress'],
    ['ManuallyDeactivated', 'manual suppress'],
    ['SoftBounce', 'bounce watch'],
    ['Transient', 'bounce watch'],
    ['DnsError', 'bounce watch'],
    ['Blocked', 'bounce none'],
    ['DMARCPolicy', 'bounce none'],
    ['SpamNotification', 'bounce none'],
    ['AutoResponder', 'unknown none'],
    ['SomethingNew', 'unknown none'],
  ])('of a bounce of the type %s is %s', (Type, expected) => {
    expect(inShort(read(bounce({ Type, Details: '451 4.2.2' })))).toEqual([`ada@example.com ${expected}`]);
  });

  it('suppresses when Postmark has deactivated the address, unless the type blames the sender', () => {
    expect(inShort(read(bounce({ Type: 'SoftBounce', Inactive: true })))).toEqual([
      'ada@example.com bounce suppress',
    ]);
    expect(inShort(read(bounce({ Type: 'SpamComplaint', Inactive: true })))).toEqual([
      'ada@example.com complaint suppress',
    ]);
    expect(inShort(read(bounce({ Type: 'Blocked', Inactive: true })))).toEqual([
      'ada@example.com bounce none',
    ]);
  });

  it('keeps the email id, the timestamp and the diagnostic', () => {
    expect(read(bounce({}))).toMatchObject([
      {
        key: 'Bounce:42',
        emailId: MESSAGE_ID,
        rawMessageId: MESSAGE_ID,
        occurredAt: new Date('2026-11-20T09:28:10.273Z'),
        diagnostic: 'Test bounce details',
      },
    ]);
  });

  it('has no source id from the nil UUID, and none for a manual action', () => {
    expect(read(bounce({ MessageID: NIL }))[0]!.emailId).toBeNull();
    expect(read(bounce({ Type: 'ManuallyDeactivated' }))[0]!.emailId).toBeNull();
  });

  it("has the sender's own UUID from its metadata", () => {
    const options = { emailIdField: 'mail' };
    expect(read(bounce({ Metadata: { mail: OWN_UUID } }), options)[0]!.emailId).toBe(OWN_UUID);
    expect(read(bounce({ Metadata: { mail: 'order 7' } }), options)[0]!.emailId).toBe(MESSAGE_ID);
    expect(read(bounce({ Metadata: { mail: NIL } }), options)[0]!.emailId).toBe(MESSAGE_ID);
  });

  it('has a derived source id when its id is not a UUID', () => {
    const expected = uuidv5('postmark\0MessageID\0abc', '947dfe23-d495-420a-bc5a-101721e3c797');
    expect(read(bounce({ MessageID: 'abc' }))[0]!.emailId).toBe(expected);
  });

  it.each([
    ['HardBounce', 'Recipient', 'bounce suppress'],
    ['SpamComplaint', 'Recipient', 'complaint suppress'],
    ['ManualSuppression', 'Recipient', 'unsubscribe suppress'],
    ['ManualSuppression', 'Customer', 'manual suppress'],
    ['ManualSuppression', 'Admin', 'manual suppress'],
    ['ManualSuppression', 'Martian', 'unknown none'],
    [null, 'Recipient', 'unknown none'],
  ])('of a suppression by %s from the %s is %s', (SuppressionReason, Origin, expected) => {
    expect(inShort(read(change({ SuppressionReason, Origin })))).toEqual([`ada@example.com ${expected}`]);
  });

  it('of a reactivation lifts', () => {
    const body = change({ SuppressSending: false, SuppressionReason: null });
    expect(inShort(read(body))).toEqual(['ada@example.com resubscribe lift']);
    expect(inShort(read(change({ SuppressSending: 'no' })))).toEqual(['ada@example.com unknown none']);
  });

  it.each([
    [change({}), 'unsubscribe opt-out'],
    [change({ SuppressSending: false, SuppressionReason: null }), 'resubscribe opt-in'],
    [{ ...bounce({ Type: 'Unsubscribe' }) }, 'unsubscribe opt-out'],
    [change({ SuppressionReason: 'HardBounce' }), 'bounce suppress'],
    [change({ Origin: 'Customer' }), 'manual suppress'],
  ])(
    'that names its message stream is about that stream only if the recipient asked: %j',
    (body, expected) => {
      const events = read({ ...body, MessageStream: 'broadcast' });
      expect(inShort(events)).toEqual([`ada@example.com ${expected}`]);
      const isOfStream = expected.includes('opt-');
      expect(events).toMatchObject([{ units: isOfStream ? [{ kind: 'stream', name: 'broadcast' }] : [] }]);
    },
  );

  it('of a change has the same key in each repetition, and another key for another change', () => {
    const [event] = read(change({}));
    expect(read(change({ Tag: 'told again' }))[0]!.key).toBe(event!.key);
    expect(read(change({ SuppressSending: false }))[0]!.key).not.toBe(event!.key);
    expect(read(change({ Recipient: 'grace@example.com' }))[0]!.key).not.toBe(event!.key);
  });

  it('of a bounce with an id that JSON.parse rounds has a key of its own, the same in each repetition', () => {
    const ids = ['4323372036854775806', '4323372036854775807'].map((id): unknown => JSON.parse(id));
    const keyOf = (fields: Record<string, unknown>) => read(bounce(fields))[0]!.key;
    const keys = [
      keyOf({ ID: ids[0] }),
      keyOf({ ID: ids[1], Email: 'grace@example.com' }),
      keyOf({ ID: ids[1], MessageID: OWN_UUID }),
      keyOf({ ID: ids[1], Type: 'SoftBounce' }),
    ];
    expect(new Set(keys).size).toBe(4);
    expect(keyOf({ ID: ids[0], CanActivate: false })).toBe(keys[0]);
  });

  it.each([
    [{ RecordType: 'SpamComplaint', ID: 43, Email: 'ada@example.com' }, 'complaint suppress'],
    [{ RecordType: 'Delivery', Recipient: 'ada@example.com' }, 'delivered success'],
    [{ RecordType: 'Open', Recipient: 'ada@example.com' }, 'unknown none'],
  ])('of another type: %j', (body, expected) => {
    expect(inShort(read(body))).toEqual([`ada@example.com ${expected}`]);
  });

  it('without a recipient is kept and does nothing', () => {
    expect(inShort(read(bounce({ Email: '' })))).toEqual(['null bounce none']);
  });

  it.each([null, [], {}, 'text', { RecordType: 1 }])('is malformed as %j', (body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'malformed_body' }));
  });
});
