import { randomUUID } from 'node:crypto';
import { AccountsService } from '../../../src/accounts/accounts.service.js';
import { ApiKeysService } from '../../../src/api-keys/api-keys.service.js';
import type { Scope } from '../../../src/api-keys/scopes.js';
import { SourceChangesService } from '../../../src/inbound/sources/source-changes.service.js';
import { SourcesService } from '../../../src/inbound/sources/sources.service.js';
import { OWN_UUID } from '../../support/deliveries.js';
import { OPERATOR } from '../../support/operator.js';
import {
  createSource,
  postWithCredential,
  readLedger,
  readList,
  sparkpostBatch,
  type TestSource,
} from '../../support/sources.js';
import { createWorld, type World } from '../../support/world.js';

describe('POST /events', () => {
  let world: World;
  let email: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(() => (email = `${randomUUID()}@example.com`));
  afterAll(() => world.close());

  const create = (body: object, { key = world.alice, headers = {} } = {}) =>
    world.as(key).post('/events').set(headers).send(body);
  const lift = () => world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
  const record = async () => (await readList(world)).filter((row) => row.email === email);

  it('suppresses, and returns what each event did', async () => {
    const events = [
      { type: 'bounce', email, source_id: OWN_UUID.toUpperCase() },
      { type: 'complaint', email: email.toUpperCase() },
      { type: 'unsubscribe', email },
    ];
    const { body } = await create(events).expect(200);
    const [{ id } = { id: 'none' }] = await record();
    expect(body).toEqual({
      data: ['added', 'strengthened', 'cause_added'].map((outcome) => ({
        object: 'event',
        outcome,
        reason: 'The mailer that sent the message reported it.',
        suppression_id: id,
      })),
    });
    expect(await readLedger(world, email)).toEqual([
      'added bounce by event',
      'strengthened complaint by event',
      'cause_added unsubscribe by event',
    ]);
  });

  it('accepts one event without an array, and keeps the id of its mail', async () => {
    await create({ type: 'bounce', email, source_id: OWN_UUID }).expect(200);
    expect(await record()).toMatchObject([{ cause: 'bounce', email_id: OWN_UUID }]);
  });

  it('takes the nil UUID, which stands for none in some languages, for no id of a mail', async () => {
    await create({ type: 'bounce', email, source_id: '00000000-0000-0000-0000-000000000000' }).expect(200);
    expect(await record()).toMatchObject([{ cause: 'bounce', email_id: null }]);
  });

  it.each([
    [{ status: '5.1.1' }, 'added', 'The mailbox does not exist.'],
    [{ diagnostic: '550 no such user' }, 'added', 'The mailbox does not exist.'],
    [{}, 'added', 'The mailer that sent the message reported it.'],
    [{ status: '' }, 'added', 'The mailer that sent the message reported it.'],
    [{ status: ' ', diagnostic: '' }, 'added', 'The mailer that sent the message reported it.'],
    [{ status: '', diagnostic: '452 4.2.2 mailbox full' }, 'counted', 'The mailbox is full.'],
    [{ status: '5.2.2' }, 'counted', 'The mailbox is full.'],
    [{ diagnostic: '550 5.7.1 rejected as spam' }, 'nothing', 'The message was refused as spam or malware.'],
    [{ diagnostic: '250 2.0.0 queued' }, 'nothing', 'The mail was delivered.'],
  ])(
    'classifies a bounce with %j by its status and diagnostic: %s, because %s',
    async (said, outcome, reason) => {
      const { body } = await create({ type: 'bounce', email, ...said }).expect(200);
      expect(body.data[0]).toMatchObject({ outcome, reason });
    },
  );

  it('says which rule kept a bounce off the list, even when the bounce is repeated', async () => {
    await world.as(world.alice).post('/rules').send({ pattern: email, effect: 'allow' }).expect(201);
    const bounce = { type: 'bounce', email, occurred_at: '2026-11-20T10:00:00Z' };
    const [first, second] = [await create(bounce).expect(200), await create(bounce).expect(200)];
    expect(first.body.data[0]).toMatchObject({
      outcome: 'ignored',
      reason: expect.stringContaining(`The rule ${email}`),
    });
    expect(second.body).toEqual(first.body);
  });

  it.each(['2.0.0', '2.1.5'])('refuses the status %s, which reports a success', async (status) => {
    const { body } = await create({ type: 'bounce', email, status }).expect(400);
    expect(body.errors).toEqual([
      { path: 'status', message: 'must be the enhanced status code of a failure, such as 5.1.1 or 4.2.2' },
    ]);
  });

  it.each([
    ['an event that names its time', { occurred_at: '2026-11-20T10:00:00Z' }, {}],
    ['a request with an Idempotency-Key', {}, { 'Idempotency-Key': 'once' }],
  ])(
    'ignores a repetition of %s, and never says that it added what was lifted',
    async (_which, fields, given) => {
      const headers = Object.fromEntries(
        Object.entries(given).map(([name, key]) => [name, `${key} ${email}`]),
      );
      const event = { type: 'complaint', email, ...fields };
      const repeat = async () => (await create(event, { headers }).expect(200)).body.data[0];
      const first = await repeat();
      expect(first).toMatchObject({ outcome: 'added' });
      expect(await repeat()).toEqual(first);
      await lift();
      const undone = {
        object: 'event',
        outcome: 'nothing',
        reason: 'It was reported before, and its cause was lifted or has expired since.',
        suppression_id: null,
      };
      expect(await repeat()).toEqual(undone);
      expect(await record()).toEqual([]);
      await create({ type: 'bounce', email }).expect(200);
      expect(await repeat()).toEqual(undone);
      await create({ type: 'complaint', email }).expect(200);
      const [{ id } = { id: 'none' }] = await record();
      expect(await repeat()).toEqual({ ...undone, suppression_id: id });
    },
  );

  it('suppresses again after a lift if the recipient unsubscribes from the same mail', async () => {
    const event = { type: 'unsubscribe', email, source_id: OWN_UUID };
    await create(event).expect(200);
    const repeated = await create(event).expect(200);
    expect(repeated.body.data[0]).toMatchObject({ outcome: 'nothing', suppression_id: expect.any(String) });
    await lift();
    const again = await create(event).expect(200);
    expect(again.body.data[0]).toMatchObject({ outcome: 'added' });
    expect(await record()).toMatchObject([{ cause: 'unsubscribe' }]);
  });

  it('suppresses again after a lift if an Idempotency-Key is used again after its two days', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const event = { type: 'unsubscribe', email };
    await create(event, { headers }).expect(200);
    await lift();
    await world.database.query(`UPDATE spent_tokens SET spent_at = now() - interval '3 days'`);
    const again = await create(event, { headers }).expect(200);
    expect(again.body.data[0]).toMatchObject({ outcome: 'added' });
    expect((await create(event, { headers }).expect(200)).body).toEqual(again.body);
    expect(await record()).toMatchObject([{ cause: 'unsubscribe' }]);
  });

  it('applies a request with an Idempotency-Key once, even if ten arrive at the same time', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const event = { type: 'bounce', email };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => create(event, { headers }).expect(200)),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    await create({ ...event, type: 'complaint' }, { headers }).expect(409);
    expect(await readLedger(world, email)).toEqual(['added bounce by event']);
    await create({ ...event, type: 'complaint' }, { headers, key: world.charlie }).expect(200);
  });

  it.each([
    ['the oldest one', 0],
    ['not the oldest one', 5],
  ])('forgets an Idempotency-Key after two days, be it %s', async (_which, others) => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const event = { type: 'bounce', email };
    await world.database.query('DELETE FROM spent_tokens');
    await create(event, { headers }).expect(200);
    await world.database.query(`UPDATE spent_tokens SET spent_at = now() - interval '3 days'`);
    await world.database.query(
      `INSERT INTO spent_tokens (token_hash, source_id, keys_hash, spent_at)
      SELECT sha256(number::text::bytea), gen_random_uuid(), sha256(''), now() - interval '4 days'
      FROM generate_series(1, $1::integer) AS number`,
      [others],
    );
    await create({ ...event, type: 'unsubscribe' }, { headers }).expect(200);
    await create({ ...event, type: 'complaint' }, { headers }).expect(409);
    await create({ ...event, type: 'unsubscribe' }, { headers }).expect(200);
    expect(await readLedger(world, email)).toEqual([
      'added bounce by event',
      'strengthened unsubscribe by event',
    ]);
  });

  it('requires the scope events:write', async () => {
    const { body } = await create({ type: 'bounce', email }, { key: world.bob }).expect(401);
    expect(body.code).toBe('restricted_api_key');
  });

  it('changes only the list of its own account', async () => {
    const event = { type: 'bounce', email, source_id: OWN_UUID };
    await create(event).expect(200);
    await create(event, { key: world.charlie }).expect(200);
    expect(new Set((await record()).map(({ account_id }) => account_id)).size).toBe(2);
  });

  it('stores no event if one is invalid, and names every invalid field', async () => {
    const wrong = [
      { type: 'bounce', email },
      { type: 'opened', email: 'nobody', source_id: 'x', occurred_at: 'noon', status: '5.1', diagnostic: [] },
      null,
    ];
    const { body } = await create(wrong).expect(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
      ...['type', 'email', 'source_id', 'occurred_at', 'status', 'diagnostic'].map((field) => `[1].${field}`),
      '[2].type',
      '[2].email',
    ]);
    expect(await record()).toEqual([]);
    expect((await create({}).expect(400)).body.errors).toEqual([
      { path: 'type', message: 'must be bounce, complaint or unsubscribe' },
      { path: 'email', message: 'must be given' },
    ]);
  });

  it('refuses an event that is dated more than 24 hours in the future', async () => {
    const hoursAhead = (hours: number) => new Date(Date.now() + hours * 60 * 60 * 1000).toISOString();
    const { body } = await create({ type: 'bounce', email, occurred_at: hoursAhead(25) }).expect(400);
    expect(body.errors).toEqual([
      { path: 'occurred_at', message: 'must not be more than 24 hours in the future' },
    ]);
    expect(await record()).toEqual([]);
    await create({ type: 'bounce', email, occurred_at: hoursAhead(23) }).expect(200);
  });

  it('refuses unknown fields, and suggests the field that was probably meant', async () => {
    const event = { type: 'bounce', email };
    const { body } = await create([event, { ...event, ocurred_at: '2026-11-20T10:00:00Z', x: 1 }]).expect(
      400,
    );
    expect(body.errors).toEqual([
      { path: '[1].ocurred_at', message: 'is not a field (did you mean `occurred_at`?)' },
      { path: '[1].x', message: expect.stringMatching(/^is not a field; the fields are `type`, `email`, /) },
    ]);
    expect((await create({ ...event, '': 'ops' }).expect(400)).body.message).toBe(
      '"" is not a field; the fields are `type`, `email`, `source_id`, `occurred_at`, `status`, `diagnostic`.',
    );
    const { body: two } = await create({ ...event, ops: 1, 'x-y': 2 }).expect(400);
    expect(two.message).toMatch(/^ops is not a field; x-y is not a field; the fields are /);
    expect(await record()).toEqual([]);
  });

  it('refuses an empty array, more than 100 events, no body, and a long Idempotency-Key', async () => {
    await create([]).expect(400);
    await create(Array.from({ length: 101 }, () => ({ type: 'bounce', email }))).expect(400);
    await world.as(world.alice).post('/events').expect(400);
    const headers = { 'Idempotency-Key': 'x'.repeat(257) };
    expect((await create({ type: 'bounce', email }, { headers }).expect(400)).body.code).toBe(
      'invalid_idempotency_key',
    );
  });

  it('has a source that can be paused, but has no secrets and no URL for providers', async () => {
    await create({ type: 'bounce', email }).expect(200);
    const sources = world.app.get(SourcesService);
    const changes = world.app.get(SourceChangesService);
    const posted = (await sources.list()).find(({ provider }) => provider === 'event')!;
    expect(sources.urlOf(posted)).toMatch(/\/events$/);
    await world.anyone.post(`/inbound/${posted.urlId}`).send([]).expect(404);
    await expect(
      changes.setSecrets({ actor: OPERATOR, deadline: Infinity }, posted.id, { password: 'x' }),
    ).rejects.toMatchObject({
      exitCode: 2,
    });
    await changes.pause({ actor: OPERATOR, deadline: Infinity }, posted.id);
    expect((await create({ type: 'bounce', email }).expect(503)).body.code).toBe('source_paused');
    await changes.resume({ actor: OPERATOR, deadline: Infinity }, posted.id);
    await create({ type: 'bounce', email }).expect(200);
  });
});

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
    await deliver(source, { ...BOUNCE, message_id: OWN_UUID, timestamp: '1763632740' });
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
          source_id: OWN_UUID,
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
    [{ emial: 'ada@example.com' }, /^emial is not a query parameter \(did you mean `email`\?\)\.$/],
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
