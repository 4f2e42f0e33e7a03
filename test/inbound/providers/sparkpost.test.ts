import { v5 as uuidv5 } from 'uuid';
import { sparkpost } from '../../../src/inbound/providers/sparkpost.js';
import { inShort, OWN_UUID, source } from '../../support/deliveries.js';

const MESSAGE_ID = '0004e3724f57753a3561';

const read = (body: unknown, options = {}) => sparkpost.read(body, source({}, options));
const wrapped = (event: Record<string, unknown>, wrapper = 'message_event') => ({
  msys: { [wrapper]: event },
});
const bounce = (fields: Record<string, unknown>) => ({
  type: 'bounce',
  bounce_class: '10',
  event_id: '84345317251863',
  message_id: MESSAGE_ID,
  raw_rcpt_to: 'Ada@Example.com',
  rcpt_to: 'ada@example.com',
  raw_reason: '550 5.1.1 unknown',
  timestamp: '1763632740',
  ...fields,
});

describe('an event of SparkPost', () => {
  it.each([
    ['10', 'bounce suppress'],
    ['30', 'bounce suppress'],
    [10, 'bounce suppress'],
    ['90', 'unsubscribe suppress'],
    ['20', 'bounce watch'],
    ['22', 'bounce watch'],
    ['70', 'bounce watch'],
    ['25', 'bounce none'],
    ['50', 'bounce none'],
    ['51', 'bounce none'],
    ['54', 'bounce none'],
    ['60', 'unknown none'],
    ['80', 'unknown none'],
    ['999', 'unknown none'],
    [undefined, 'unknown none'],
  ])('bounced in the class %s is %s', (bounce_class, expected) => {
    const raw_reason = expected === 'bounce watch' ? '452 4.2.2' : '550 5.1.1';
    const events = read([
      wrapped(bounce({ bounce_class, raw_reason })),
      wrapped(bounce({ bounce_class, raw_reason, type: 'out_of_band' })),
    ]);
    expect(inShort(events)).toEqual([`ada@example.com ${expected}`, `ada@example.com ${expected}`]);
  });

  it.each([
    ['customer policy (Bounce Rule)', 'bounce suppress-if-absent'],
    ['customer policy (Spam Complaint)', 'complaint suppress-if-absent'],
    ['customer policy (List Unsubscribe)', 'bounce none'],
    ['customer policy (Link Unsubscribe)', 'bounce none'],
    ['customer policy', 'bounce none'],
    ['customer policy (Manually Added)', 'bounce none'],
    ['system policy (Bounce Rule)', 'bounce none'],
  ])('of a recipient on its list for %s is %s', (policy, expected) => {
    const raw_reason = `554 5.7.1 recipient address was suppressed due to ${policy}`;
    expect(inShort(read([wrapped(bounce({ bounce_class: '25', raw_reason }))]))).toEqual([
      `ada@example.com ${expected}`,
    ]);
    for (const fields of [{ bounce_class: '25', list_id: 'news.example.com' }, { bounce_class: '50' }]) {
      expect(inShort(read([wrapped(bounce({ ...fields, raw_reason }))]))).toEqual([
        'ada@example.com bounce none',
      ]);
    }
  });

  it.each([
    [{ type: 'spam_complaint', fbtype: 'abuse' }, 'complaint suppress'],
    [{ type: 'spam_complaint' }, 'complaint suppress'],
    [{ type: 'spam_complaint', fbtype: 'not-spam' }, 'unknown none'],
    [{ type: 'list_unsubscribe' }, 'unsubscribe suppress'],
    [{ type: 'link_unsubscribe' }, 'unsubscribe suppress'],
    [{ type: 'delivery' }, 'delivered success'],
    [{ type: 'delay' }, 'unknown none'],
    [{ type: 'policy_rejection' }, 'unknown none'],
    [{ type: 'aurora' }, 'unknown none'],
  ])('%j is read in any wrapper', (fields, expected) => {
    for (const wrapper of ['message_event', 'unsubscribe_event', 'track_event', 'future_event']) {
      expect(inShort(read([wrapped(bounce(fields), wrapper)]))).toEqual([`ada@example.com ${expected}`]);
    }
  });

  it.each(['list_unsubscribe', 'link_unsubscribe'])(
    '%s that names a list is about that list only',
    (type) => {
      const events = read([wrapped(bounce({ type, list_id: 'news.example.com' }), 'unsubscribe_event')]);
      expect(inShort(events)).toEqual(['ada@example.com unsubscribe opt-out']);
      expect(events).toMatchObject([{ units: [{ kind: 'list', name: 'news.example.com' }] }]);
    },
  );

  it('keeps its key, email id, timestamp and diagnostic', () => {
    expect(read([wrapped(bounce({}))])).toMatchObject([
      {
        key: '84345317251863',
        recipient: 'ada@example.com',
        emailId: uuidv5(`sparkpost\0message_id\0${MESSAGE_ID}`, '947dfe23-d495-420a-bc5a-101721e3c797'),
        rawMessageId: MESSAGE_ID,
        occurredAt: new Date(1_763_632_740_000),
        diagnostic: '550 5.1.1 unknown',
      },
    ]);
  });

  it("has the sender's own UUID from the metadata of the recipient", () => {
    const event = wrapped(bounce({ rcpt_meta: { mail: OWN_UUID } }));
    expect(read([event], { emailIdField: 'mail' })[0]!.emailId).toBe(OWN_UUID);
  });

  it('that tests a new webhook has no events', () => {
    expect(read([{ msys: {} }])).toEqual([]);
    expect(read([])).toEqual([]);
  });

  it('that is not an event does not affect the others', () => {
    const body = [7, { msys: [] }, { msys: { message_event: null } }, {}, wrapped(bounce({}))];
    expect(inShort(read(body))).toEqual([
      'null unknown none',
      'null unknown none',
      'null unknown none',
      'null unknown none',
      'ada@example.com bounce suppress',
    ]);
  });

  it.each([null, {}, 'text', wrapped(bounce({}))])('is malformed as %j', (body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'malformed_body' }));
  });
});
