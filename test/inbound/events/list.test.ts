import { randomUUID } from 'node:crypto';
import { AccountsService } from '../../../src/accounts/accounts.service.js';
import { ApiKeysService } from '../../../src/api-keys/api-keys.service.js';
import type { Scope } from '../../../src/api-keys/scopes.js';
import { createSource, postWithCredential, sparkpostBatch, type TestSource } from '../../support/sources.js';
import { createWorld, type World } from '../../support/world.js';
import { OPERATOR } from '../../support/operator.js';

const BOUNCE = { type: 'bounce', bounce_class: '10', raw_reason: '550 5.1.1 no such user' };
const SOFT_BOUNCE = { type: 'bounce', bounce_class: '22', raw_reason: '452 mailbox full' };

describe('GET /events', () => {
  let world: World;
  let source: TestSource;
  let email: string;
  beforeAll(async () => {
    world = await createWorld();
    source = await createSource(world, 'sparkpost', { name: 'sparkpost-main' });
  });
  beforeEach(() => (email = `${randomUUID()}@example.com`));
  afterAll(() => world.close());

  /** Each in a delivery of its own, so that their order is known. */
  const deliver = async (from: TestSource, ...events: Record<string, unknown>[]) => {
    for (const event of events) {
      const { status } = await postWithCredential(
        world,
        from,
        sparkpostBatch([{ raw_rcpt_to: email, ...event }]),
      );
      expect(status).toBe(200);
    }
  };
  const list = async (query: Record<string, unknown>, key = world.alice) => {
    const { body } = await world.as(key).get('/events').query(query).expect(200);
    return body as { has_more: boolean; data: Record<string, unknown>[] };
  };
  const kinds = async (query: Record<string, unknown>, key?: string) =>
    (await list(query, key)).data.map(({ kind }) => kind);
  const keyWith = async (scopes: Scope[]) => {
    const account = await world.app.get(AccountsService).get('acme');
    return (
      await world.app
        .get(ApiKeysService)
        .create(
          { accountId: account.id, actor: OPERATOR, deadline: Infinity },
          { name: 'k', scopes, expiresAt: null },
        )
    ).secret;
  };

  it('shows what was reported, what it asked for and what it did', async () => {
    await deliver(source, { ...BOUNCE, timestamp: '1763632740' });
    const { body: suppression } = await world.as(world.alice).get(`/suppressions/${email}`).expect(200);
    expect(await list({ email })).toEqual({
      object: 'list',
      has_more: false,
      data: [
        {
          object: 'event',
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          kind: 'bounce',
          email,
          source: { id: source.id, name: 'sparkpost-main', provider: 'sparkpost' },
          status: null,
          diagnostic: '550 5.1.1 no such user',
          effect: 'suppress',
          outcome: 'added',
          reason: expect.stringMatching(/^SparkPost/),
          suppression_id: suppression.id,
          topic: null,
          rule_id: null,
          occurred_at: '2025-11-20T09:59:00.000Z',
          received_at: expect.stringMatching(/Z$/),
        },
      ],
    });
  });

  it('explains an address that was never suppressed, and the history names the event of one that was', async () => {
    await deliver(source, SOFT_BOUNCE);
    const history = await world.as(world.alice).get(`/suppressions/${email}/history`).expect(404);
    expect(history.body.message).toContain('GET /events?email=');
    expect((await list({ email })).data).toMatchObject([
      { effect: 'watch', outcome: 'counted', suppression_id: null },
    ]);
    await deliver(source, { ...BOUNCE, timestamp: '1763632740' });
    const [event] = (await list({ email })).data;
    const { body } = await world.as(world.alice).get(`/suppressions/${email}/history`).expect(200);
    expect(body.data).toMatchObject([{ event_id: event!.id, occurred_at: '2025-11-20T09:59:00.000Z' }]);
  });

  it('is newest first, page by page, in both directions', async () => {
    await deliver(source, SOFT_BOUNCE, { type: 'delivery' }, BOUNCE, {
      type: 'spam_complaint',
      fbtype: 'abuse',
    });
    expect(await kinds({ email })).toEqual(['complaint', 'bounce', 'delivered', 'bounce']);
    const first = await list({ email, limit: 2 });
    expect([first.has_more, first.data.length]).toEqual([true, 2]);
    const second = await list({ email, limit: 2, after: first.data[1]!.id });
    expect(second.has_more).toBe(false);
    expect(second.data.map(({ kind }) => kind)).toEqual(['delivered', 'bounce']);
    expect((await list({ email, limit: 2, before: second.data[0]!.id })).data).toEqual(first.data);
  });

  it('is filtered by address in any spelling, by source, by kind, and by all of them', async () => {
    const other = await createSource(world, 'sparkpost');
    await deliver(source, BOUNCE, { type: 'delivery' });
    await deliver(other, BOUNCE, { type: 'link_unsubscribe' });
    expect(await kinds({ email: email.toUpperCase() })).toHaveLength(4);
    expect(await kinds({ source: other.id })).toEqual(['unsubscribe', 'bounce']);
    expect(await kinds({ email, kind: 'bounce' })).toEqual(['bounce', 'bounce']);
    expect(await kinds({ email, kind: 'bounce', source: source.id })).toEqual(['bounce']);
    expect(new Set(await kinds({ kind: 'unsubscribe' }))).toEqual(new Set(['unsubscribe']));
    expect(await kinds({ source: randomUUID() })).toEqual([]);
  });

  it('shows an event whose recipient is no address', async () => {
    const other = await createSource(world, 'sparkpost');
    await deliver(other, { ...BOUNCE, raw_rcpt_to: 'nobody' });
    expect((await list({ source: other.id })).data).toMatchObject([{ email: null, effect: 'none' }]);
  });

  it.each([
    [{ email: 'nobody' }, 'email must contain an @.'],
    [
      { email: 'ada news@example.com' },
      /without spaces, brackets or commas \(a \+ is written %2B in a URL\)\.$/,
    ],
    [{ source: 'sendgrid' }, 'source must be a UUID.'],
    [{ kind: 'open' }, /^kind must be one of bounce, complaint,/],
    [{ limit: '101' }, 'limit must be a whole number from 1 to 100.'],
    [{ after: 'x' }, 'after must be a UUID.'],
    [{ emial: 'ada@example.com' }, /^emial is unknown \(did you mean `email`\?\)\.$/],
  ])('refuses %j', async (query, message) => {
    const { body } = await world.as(world.alice).get('/events').query(query).expect(400);
    expect(body).toMatchObject({ code: 'validation_error', message: expect.stringMatching(message) });
  });

  it('shows an account only its own events, whatever it asks for', async () => {
    const theirs = await createSource(world, 'sparkpost', { account: 'globex' });
    await deliver(source, BOUNCE);
    await deliver(theirs, { type: 'link_unsubscribe' });
    expect(await kinds({ email })).toEqual(['bounce']);
    expect(await kinds({ email }, world.charlie)).toEqual(['unsubscribe']);
    expect(await kinds({ source: source.id }, world.charlie)).toEqual([]);
    expect(await kinds({ source: theirs.id })).toEqual([]);
    const [event] = (await list({ email })).data;
    expect(await kinds({ after: event!.id, kind: 'bounce' }, world.charlie)).toEqual([]);
    expect(await kinds({ before: event!.id, kind: 'bounce' }, world.charlie)).toEqual([]);
  });

  it('requires events:read, which events:write contains', async () => {
    const { body } = await world.as(world.bob).get('/events').expect(401);
    expect(body).toMatchObject({ code: 'restricted_api_key', message: expect.stringMatching(/events:read/) });
    await world
      .as(await keyWith(['events:read']))
      .get('/events')
      .expect(200);
    await world
      .as(await keyWith(['events:write']))
      .get('/events')
      .expect(200);
    const posting = world.as(await keyWith(['events:read'])).post('/events');
    await posting.send({ type: 'bounce', email }).expect(401);
  });
});
