import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { resend } from '../../../src/inbound/providers/resend/provider.js';
import { delivery, inShort, NOW, NOW_SECONDS, OWN_UUID, source } from '../../support/deliveries.js';

const KEY = randomBytes(24);
const SOURCE = source({ signing_secret: `whsec_${KEY.toString('base64')}` });
const EMAIL_ID = '56761188-7520-42d8-8898-ff6fc54ce618';

function signatureOf(body: string, id: string, timestamp: number, key = KEY): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

function signed(body: unknown, { id = 'msg_1', timestamp = NOW_SECONDS, key = KEY } = {}) {
  const text = JSON.stringify(body);
  const signature = signatureOf(text, id, timestamp, key);
  return delivery(text, {
    'svix-id': id,
    'svix-timestamp': String(timestamp),
    'svix-signature': signature,
  });
}

const verify = (request: ReturnType<typeof delivery>) => resend.verify(request, SOURCE);
const read = (body: unknown, options = {}) => resend.read(body, source({}, options), { 'svix-id': 'msg_1' });

function emailEvent(type: string, data: Record<string, unknown>) {
  return {
    type,
    created_at: '2026-11-20T09:59:00.123Z',
    data: { email_id: EMAIL_ID, created_at: '2026-11-20T09:00:00Z', to: ['ada@example.com'], ...data },
  };
}

function suppressionAdded(data: Record<string, unknown>) {
  return {
    type: 'suppression.added',
    created_at: '2026-11-20T09:59:00.123Z',
    data: { id: 'e169aa45-0000-4000-8000-000000000001', email: 'steve@example.com', ...data },
  };
}

const bounce = (type: string, subType: string, diagnosticCode?: string[]) => ({
  bounce: { type, subType, message: 'It bounced.', ...(diagnosticCode && { diagnosticCode }) },
});

describe('a delivery of Resend', () => {
  it('is verified by its signature', async () => {
    await expect(verify(signed({ type: 'email.delivered' }))).resolves.toEqual({});
  });

  it('is signed as the library of Standard Webhooks signs', async () => {
    const body = '{"type":"email.delivered"}';
    const ours = signatureOf(body, 'msg_1', NOW_SECONDS);
    expect(new Webhook(KEY.toString('base64')).sign('msg_1', NOW, body)).toBe(ours);
  });

  it('is verified by any of several signatures, while a secret is rotated', async () => {
    const request = signed({ type: 'email.delivered' });
    const old = signatureOf('{}', 'msg_1', NOW_SECONDS, randomBytes(24));
    request.headers['svix-signature'] =
      `${old} v1a,ZWQyNTUxOQ== ${String(request.headers['svix-signature'])}`;
    await expect(verify(request)).resolves.toEqual({});
  });

  it('is accepted with the header names of Standard Webhooks, and known by its id', async () => {
    const { headers, ...request } = signed({});
    const renamed = Object.entries(headers).map(([name, value]) => [
      name.replace('svix-', 'webhook-'),
      value,
    ]);
    await expect(verify({ ...request, headers: Object.fromEntries(renamed) })).resolves.toEqual({});
    const body = suppressionAdded({ origin: 'bounce' });
    const keys = ['svix-id', 'webhook-id'].map(
      (name) => resend.read(body, source(), { [name]: 'msg_1' })[0]!.key,
    );
    expect(keys[1]).toBe(keys[0]);
    const mixed = { ...headers, 'svix-id': undefined, 'webhook-id': 'msg_2' };
    await expect(verify({ ...request, headers: mixed })).rejects.toMatchObject({ code: 'invalid_signature' });
  });

  it.each<[string, () => ReturnType<typeof delivery>]>([
    ['with another key', () => signed({}, { key: randomBytes(24) })],
    ['six minutes old', () => signed({}, { timestamp: NOW_SECONDS - 360 })],
    ['six minutes in the future', () => signed({}, { timestamp: NOW_SECONDS + 360 })],
    ['without headers', () => delivery({})],
    [
      'with an id that has a dot, so that the id could end elsewhere',
      () => signed({}, { id: `msg_1.${NOW_SECONDS}` }),
    ],
    ['with another id', () => ({ ...signed({}), headers: { ...signed({}).headers, 'svix-id': 'msg_2' } })],
    ['with a byte cut off', () => ({ ...signed({}), rawBody: Buffer.from('{') })],
    ['with the same JSON in other bytes', () => ({ ...signed({}), rawBody: Buffer.from('{ }') })],
    [
      'with a timestamp of other digits',
      () => ({ ...signed({}), headers: { ...signed({}).headers, 'svix-timestamp': 'soon' } }),
    ],
    [
      'with the signature in an unknown scheme',
      () => ({ ...signed({}), headers: { ...signed({}).headers, 'svix-signature': 'v9,abc' } }),
    ],
  ])('is refused %s', async (_how, request) => {
    await expect(verify(request())).rejects.toMatchObject({ code: 'invalid_signature', statusCode: 401 });
  });

  it.each(['', ' ', 'whsec_', 'whsec_AAAA', 'no secret'])(
    'is refused when the secret is %j',
    async (secret) => {
      const request = signed({}, { key: Buffer.from(secret.replace('whsec_', ''), 'base64') });
      const settings = source({ signing_secret: secret });
      await expect(resend.verify(request, settings)).rejects.toMatchObject({ statusCode: 401 });
      expect(resend.secrets[0].problemWith(secret)).toMatch(/whsec_/);
    },
  );
});

describe('an event of Resend', () => {
  it.each([
    ['bounce', 'bounce'],
    ['complaint', 'complaint'],
  ])('suppression.added with the origin %s maps one to one', (origin, kind) => {
    const [event] = read(suppressionAdded({ origin, source_id: EMAIL_ID }));
    expect(event).toMatchObject({
      kind,
      recipient: 'steve@example.com',
      effect: 'suppress',
      emailId: EMAIL_ID,
      occurredAt: new Date('2026-11-20T09:59:00.123Z'),
    });
  });

  it('suppression.added by hand has no source id', () => {
    const [event] = read(suppressionAdded({ origin: 'manual', source_id: null }));
    expect(event).toMatchObject({ kind: 'manual', effect: 'suppress', emailId: null, rawMessageId: null });
  });

  it('suppression.added with an unknown origin does nothing', () => {
    expect(inShort(read(suppressionAdded({ origin: 'astrology' })))).toEqual([
      'steve@example.com unknown none',
    ]);
  });

  it('suppression.removed lifts', () => {
    const updated_at = '2026-11-20T09:58:00Z';
    const body = { ...suppressionAdded({ origin: 'bounce', updated_at }), type: 'suppression.removed' };
    expect(inShort(read(body))).toEqual(['steve@example.com removed lift']);
    expect(read(body)).toMatchObject([{ occurredAt: new Date(updated_at) }]);
  });

  it.each([
    [true, 'unsubscribe suppress'],
    [false, 'unknown none'],
    ['yes', 'unknown none'],
  ])('contact.created and contact.updated with unsubscribed %j are %s', (unsubscribed, expected) => {
    for (const type of ['contact.created', 'contact.updated']) {
      const body = { type, data: { email: 'ada@example.com', unsubscribed } };
      expect(inShort(read(body))).toEqual([`ada@example.com ${expected}`]);
    }
  });

  const topicsUpdated = (topics: unknown) => ({
    type: 'contact.topics.updated',
    created_at: '2026-11-20T09:59:00.123Z',
    data: { email: 'ada@example.com', topics },
  });

  it('contact.topics.updated is an event for each topic', () => {
    const changes = [
      { id: 'news', subscription: 'opt_out' },
      { id: 'offers', subscription: 'opt_in' },
    ];
    const events = read(topicsUpdated(changes));
    expect(inShort(events)).toEqual([
      'ada@example.com unsubscribe opt-out',
      'ada@example.com resubscribe opt-in',
    ]);
    expect(events.map(({ units }) => units)).toEqual([
      [{ kind: 'topic', name: 'news' }],
      [{ kind: 'topic', name: 'offers' }],
    ]);
    expect(events[0]!.occurredAt).toEqual(new Date('2026-11-20T09:59:00.123Z'));
    expect(new Set(events.map(({ key }) => key)).size).toBe(2);
  });

  it('contact.topics.updated keeps an opt-out of a topic with a long id', () => {
    const [first, second] = ['a', 'b'].map((end) => {
      const [event] = read(topicsUpdated([{ id: `${'n'.repeat(200)}${end}`, subscription: 'opt_out' }]));
      expect(inShort([event!])).toEqual(['ada@example.com unsubscribe opt-out']);
      return event!.units[0]!.name;
    });
    expect(first).toMatch(/^n{100}/);
    expect(first).toHaveLength(200);
    expect(first).not.toBe(second);
  });

  it.each([
    [[], 1],
    ['news', 1],
    [[{ subscription: 'opt_out' }], 1],
    [[{ id: 'news', subscription: 'maybe' }, { id: 'offers' }], 2],
  ])('contact.topics.updated with the topics %j does nothing', (topics, count) => {
    expect(inShort(read(topicsUpdated(topics)))).toEqual(Array(count).fill('ada@example.com unknown none'));
  });

  it.each([
    ['Permanent', 'NoEmail', 'suppress'],
    ['Permanent', 'General', 'suppress'],
    ['permanent', 'general', 'suppress'],
    ['Permanent', 'Suppressed', 'suppress-if-absent'],
    ['Transient', 'MailboxFull', 'watch'],
    ['Temporary', 'MailboxFull', 'watch'],
    ['Transient', 'MessageTooLarge', 'none'],
    ['Transient', 'ContentRejected', 'none'],
    ['Permanent', 'SomethingNew', 'none'],
  ])('email.bounced %s/%s has the effect %s', (type, subType, effect) => {
    expect(read(emailEvent('email.bounced', bounce(type, subType)))).toMatchObject([
      { recipient: 'ada@example.com', effect, emailId: EMAIL_ID, rawMessageId: EMAIL_ID },
    ]);
  });

  it.each(['General', 'NoEmail'])(
    'email.bounced Permanent/%s has no effect if the sender was refused',
    (subType) => {
      const refused = bounce('Permanent', subType, ['smtp; 550 5.7.1 blocked by Spamhaus']);
      expect(read(emailEvent('email.bounced', refused))).toMatchObject([{ effect: 'none' }]);
    },
  );

  it('email.bounced keeps the diagnostic', () => {
    const diagnostic = ['smtp; 550 5.1.1 user unknown'];
    const [event] = read(emailEvent('email.bounced', bounce('Permanent', 'General', diagnostic)));
    expect(event).toMatchObject({ effect: 'suppress', diagnostic: diagnostic[0] });
  });

  describe('email.bounced with several recipients', () => {
    const COLLEAGUES = { to: ['Ada <ada@example.com>', 'grace@example.com'] };
    const about = (recipients: Record<string, string[]>, diagnostic: string) =>
      inShort(
        read(emailEvent('email.bounced', { ...recipients, ...bounce('Permanent', 'General', [diagnostic]) })),
      );

    it('is about the one that the server of all of them names', () => {
      const diagnostic = 'smtp; 550 5.1.1 <Grace@Example.com>: user unknown';
      expect(about(COLLEAGUES, diagnostic)).toEqual(['grace@example.com bounce suppress']);
    });

    it.each([
      ['names none', '550 5.1.1 user unknown'],
      ['names all', '550 5.1.1 ada@example.com grace@example.com unknown users'],
      ['names one and says nothing against it', '550 grace@example.com: try elsewhere'],
      ['names one whose mailbox is full', '552 5.2.2 <grace@example.com>: mailbox full'],
    ])('does nothing when the server %s', (_what, diagnostic) => {
      expect(about(COLLEAGUES, diagnostic)).toEqual([
        'ada@example.com bounce none',
        'grace@example.com bounce none',
      ]);
    });

    it.each<[string, Record<string, string[]>]>([
      ['', { to: ['ada@example.com', 'mallory@example.net'] }],
      [' in copy', { to: ['ada@example.com'], cc: ['mallory@example.net'] }],
      [' in blind copy', { to: ['ada@example.com'], bcc: ['mallory@example.net'] }],
    ])(
      'does nothing when one%s is at another domain, whose server may name anybody',
      (_where, recipients) => {
        const diagnostic = '550 5.1.1 <ada@example.com>: user unknown';
        expect(about(recipients, diagnostic)).toEqual([
          'ada@example.com bounce none',
          'mallory@example.net bounce none',
        ]);
      },
    );
  });

  it('email.complained is a complaint of a single recipient', () => {
    expect(inShort(read(emailEvent('email.complained', {})))).toEqual(['ada@example.com complaint suppress']);
    const several = emailEvent('email.complained', { to: ['ada@example.com', 'grace@example.com'] });
    expect(read(several).map(({ effect }) => effect)).toEqual(['none', 'none']);
  });

  it('email.suppressed is on the list of Resend already, for any cause', () => {
    const suppressed = { type: 'OnAccountSuppressionList', message: 'Suppressed.' };
    const [event] = read(emailEvent('email.suppressed', { suppressed }));
    expect(event).toMatchObject({ kind: 'manual', effect: 'suppress-if-absent', diagnostic: 'Suppressed.' });
    expect(
      inShort(read(emailEvent('email.bounced', bounce('Permanent', 'OnAccountSuppressionList')))),
    ).toEqual(['ada@example.com manual suppress-if-absent']);
  });

  it('email.delivered is a success', () => {
    expect(inShort(read(emailEvent('email.delivered', {})))).toEqual(['ada@example.com delivered success']);
  });

  it('has the key of the delivery and of the recipient, however often it is delivered', () => {
    const body = emailEvent('email.bounced', { to: ['ada@example.com', 'grace@example.com'] });
    expect(read(body).map(({ key }) => key)).toEqual(['msg_1 ada@example.com', 'msg_1 grace@example.com']);
    expect(read(body)).toEqual(read(body));
  });

  it("has the sender's own UUID from its tag", () => {
    const tags = { mail: OWN_UUID.toUpperCase() };
    const [event] = read(emailEvent('email.complained', { tags }), { emailIdField: 'mail' });
    expect(event).toMatchObject({ emailId: OWN_UUID, rawMessageId: EMAIL_ID });
  });

  it('with a recipient that is not an address is kept and does nothing', () => {
    const [event] = read(suppressionAdded({ email: 'nobody', origin: 'bounce', source_id: EMAIL_ID }));
    expect(event).toMatchObject({ kind: 'bounce', recipient: null, effect: 'none', emailId: EMAIL_ID });
    expect(event!.reason).toMatch(/must contain an @/);
  });

  it('of an unknown type is kept and does nothing', () => {
    expect(inShort(read({ type: 'domain.created', data: {} }))).toEqual(['null unknown none']);
    expect(inShort(read(emailEvent('email.scheduled', {})))).toEqual(['ada@example.com unknown none']);
  });

  it.each([null, [], 'text', 7, {}, { type: 7 }])('is malformed as %j', (body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'malformed_body', statusCode: 400 }));
  });
});
