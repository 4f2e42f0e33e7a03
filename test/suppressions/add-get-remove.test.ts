import { Client } from 'pg';
import type { Scope } from '../../src/api-keys/scopes.js';
import { cases } from '../support/cases.js';
import { importFile } from '../support/imports.js';
import { PUBLIC_URL, tokenFor } from '../support/recipients.js';
import { createKey, createWorld, setCause, suppress, type World } from '../support/world.js';

let world: World;
beforeAll(async () => (world = await createWorld({ PUBLIC_URL })));
afterAll(() => world.close());

describe('POST /suppressions', () => {
  const add = (body: object) => world.as(world.alice).post('/suppressions').send(body);

  it('answers 201 with a new id, then 200 with the same id', async () => {
    const first = await add({ email: 'Ada@Example.com' }).expect(201);
    expect(first.body).toEqual({ object: 'suppression', id: expect.any(String) });
    const second = await add({ email: 'ada@example.com' }).expect(200);
    expect(second.body).toEqual(first.body);
  });

  it('adds an address once when many add it at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => add({ email: 'race@example.com' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('makes a bounce manual, and keeps its id and its time', async () => {
    const { body } = await add({ email: 'bounced@example.com' });
    await setCause(world, body.id, 'bounce', '5e2ff6b2-5a43-4b10-a9b0-6f2e6d4c0a11');
    const before = await world.as(world.alice).get(`/suppressions/${body.id}`);
    expect(before.body).toMatchObject({
      origin: 'bounce',
      source_id: '5e2ff6b2-5a43-4b10-a9b0-6f2e6d4c0a11',
    });
    await add({ email: 'bounced@example.com', note: 'They asked, too' }).expect(200);
    const after = await world.as(world.alice).get(`/suppressions/${body.id}`);
    expect(after.body).toEqual({ ...before.body, origin: 'manual', source_id: null });
    const history = await world.as(world.alice).get(`/suppressions/${body.id}/history`);
    expect(history.body.data[0]).toMatchObject({
      action: 'strengthened',
      cause: 'manual',
      note: 'They asked, too',
    });
  });

  it.each(['complaint', 'unsubscribe'])('leaves a %s as it is', async (cause) => {
    const { body } = await add({ email: `${cause}@example.com` });
    await setCause(world, body.id, cause, null);
    const before = await world.as(world.alice).get(`/suppressions/${body.id}`);
    await add({ email: `${cause}@example.com` }).expect(200);
    const after = await world.as(world.alice).get(`/suppressions/${body.id}`);
    expect(after.body).toEqual(before.body);
  });

  it('shows an unsubscribe as manual with a null source id', async () => {
    const { body } = await add({ email: 'left@example.com' });
    await setCause(world, body.id, 'unsubscribe', '5e2ff6b2-5a43-4b10-a9b0-6f2e6d4c0a11');
    const found = await world.as(world.alice).get(`/suppressions/${body.id}`);
    expect(found.body).toMatchObject({ origin: 'manual', source_id: null });
  });

  it.each([
    [{}, 'must be given'],
    [{ email: null }, 'must be a string'],
    [{ email: ['a@example.com'] }, 'must be a string'],
    [{ email: 'nobody' }, 'must contain an @'],
    [
      { email: 'a@example.com, b@example.com' },
      'must be one address alone: name@domain, without spaces, brackets or commas',
    ],
    [
      { email: 'Ada <ada@example.com>' },
      'must be one address alone: name@domain, without spaces, brackets or commas',
    ],
  ])('refuses %j', async (body, message) => {
    const answer = await add(body).expect(400);
    expect(answer.body.errors).toEqual([{ path: 'email', message }]);
  });
});

const COUNT = cases(200, 1000);

describe('POST /suppressions/batch/add', () => {
  const batchAdd = (body: unknown) =>
    world
      .as(world.alice)
      .post('/suppressions/batch/add')
      .send(body as object);

  it('answers 201 with one id for each address, in the order of the request', async () => {
    const { body } = await batchAdd({ emails: ['z@example.com', 'a@example.com', 'm@example.com'] }).expect(
      201,
    );
    expect(body.data).toEqual(Array(3).fill({ object: 'suppression', id: expect.any(String) }));
    for (const [index, email] of ['z@example.com', 'a@example.com', 'm@example.com'].entries()) {
      const found = await world.as(world.alice).get(`/suppressions/${body.data[index].id}`);
      expect(found.body).toMatchObject({ email, origin: 'manual', source_id: null });
    }
  });

  it('returns one id for an address that the request names twice', async () => {
    const { body } = await batchAdd({
      emails: ['twice@example.com', 'TWICE@example.com ', 'once@example.com'],
    });
    expect(body.data[0].id).toBe(body.data[1].id);
    expect(body.data[2].id).not.toBe(body.data[0].id);
  });

  it('returns the id of an address that is already suppressed, and does not rewrite its row', async () => {
    const rowOf = () =>
      world.database.query(`SELECT ctid, xmin, xmax, * FROM suppressions WHERE email = 'kept@example.com'`);
    const [id] = await suppress(world, world.alice, ['kept@example.com']);
    const before = await rowOf();
    const again = await suppress(world, world.alice, ['new@example.com', 'kept@example.com']);
    expect(again[1]).toBe(id);
    expect(await rowOf()).toEqual(before);
  });

  it('takes a hundred of the longest addresses', async () => {
    const emails = Array.from(
      { length: 100 },
      (_, index) => `${'ü'.repeat(120)}${index}@${'long.'.repeat(11)}example.com`,
    );
    const { body } = await batchAdd({ emails }).expect(201);
    expect(new Set(body.data.map(({ id }: { id: string }) => id)).size).toBe(100);
  });

  it.each([
    ['no emails', {}, 'emails', 'must be an array of 1 to 100 email addresses'],
    ['null', { emails: null }, 'emails', 'must be an array of 1 to 100 email addresses'],
    ['a string', { emails: 'a@example.com' }, 'emails', 'must be an array of 1 to 100 email addresses'],
    [
      'an object',
      { emails: { 0: 'a@example.com' } },
      'emails',
      'must be an array of 1 to 100 email addresses',
    ],
    ['an empty array', { emails: [] }, 'emails', 'must have at least 1 email address'],
    ['101', { emails: Array(101).fill('a@example.com') }, 'emails', 'must have at most 100 email addresses'],
    ['a note that is no text', { emails: ['a@example.com'], note: 5 }, 'note', 'must be a string'],
    [
      'a note too long',
      { emails: ['a@example.com'], note: 'x'.repeat(1001) },
      'note',
      'must have at most 1000 characters',
    ],
    [
      'a note with NUL',
      { emails: ['a@example.com'], note: '\0' },
      'note',
      'must not contain NUL characters or unpaired surrogates',
    ],
  ])('refuses %s', async (_what, body, path, message) => {
    const answer = await batchAdd(body).expect(400);
    const error = { statusCode: 400, name: 'validation_error', message: `${path} ${message}.` };
    expect(answer.body).toEqual({
      ...error,
      code: 'validation_error',
      error,
      errors: [{ path, message }],
    });
  });

  it('refuses a body that is an array', async () => {
    const { body } = await batchAdd(['a@example.com']).expect(400);
    expect(body.message).toBe('The body must be a JSON object.');
  });

  it('names each invalid address by its index, and adds none of the valid ones', async () => {
    const emails = [
      'good@example.com',
      'no-at',
      42,
      null,
      { email: 'x@example.com' },
      'a@b@c.example',
      '\u0000@example.com',
    ];
    const { body } = await batchAdd({ emails }).expect(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'emails[1]',
      'emails[2]',
      'emails[3]',
      'emails[4]',
      'emails[5]',
      'emails[6]',
    ]);
    expect(body.message).toContain('emails[1] must contain an @');
    expect(body.message).toContain('and 3 more (see errors)');
    await world.as(world.alice).get('/suppressions/good@example.com').expect(404);
  });

  it('ignores unknown fields', async () => {
    const { body } = await batchAdd({
      emails: ['extra@example.com'],
      unknown: 'field',
      __proto__: { x: 1 },
    }).expect(201);
    const found = await world.as(world.alice).get(`/suppressions/${body.data[0].id}`);
    expect(found.body.origin).toBe('manual');
  });

  it.each(['cause', 'causes', 'origin', 'type', 'topic', 'topics'])(
    'adds nothing if the body has %s, since the address would get no mail at all',
    async (field) => {
      const { body } = await batchAdd({ emails: ['limited@example.com'], [field]: 'unsubscribe' }).expect(
        400,
      );
      expect(body.errors).toMatchObject([{ path: field }]);
      const add = world.as(world.alice).post('/suppressions');
      await add.send({ email: 'limited@example.com', [field]: 'unsubscribe' }).expect(400);
      await world.as(world.alice).get('/suppressions/limited@example.com').expect(404);
    },
  );

  it('adds overlapping batches in different orders at once: no 5xx, one id for each address', async () => {
    const addresses = Array.from({ length: 60 }, (_, index) => `busy-${index}@example.com`);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const turned = [...addresses.slice(index % 60), ...addresses.slice(0, index % 60)];
        const emails = index % 2 ? turned : turned.toReversed();
        return batchAdd({ emails }).then(({ status, body }) => ({ status, emails, body }));
      }),
    );
    const ids = new Map<string, Set<string>>(addresses.map((email) => [email, new Set()]));
    for (const { status, emails, body } of answers) {
      expect(status).toBe(201);
      emails.forEach((email, index) => ids.get(email)!.add(body.data[index].id));
    }
    expect([...ids.values()].map(({ size }) => size)).toEqual(Array(60).fill(1));
    const [ledger] = await world.database.query<{ lines: number }>(
      `SELECT count(*)::integer AS lines FROM suppression_changes WHERE email LIKE 'busy-%'`,
    );
    expect(ledger!.lines).toBe(60);
  });

  it('adds many realistic addresses, each of which is then found by address and by id', async () => {
    const addresses = Array.from(
      { length: COUNT },
      (_, index) => `First.Last+${index}@Mail${index % 7}.Example.com`,
    );
    for (let start = 0; start < COUNT; start += 100) {
      const emails = addresses.slice(start, start + 100);
      const ids = await suppress(world, world.alice, emails);
      await Promise.all(
        emails.map(async (email, index) => {
          const byAddress = await world
            .as(world.alice)
            .get(`/suppressions/${encodeURIComponent(email)}`)
            .expect(200);
          const byId = await world.as(world.alice).get(`/suppressions/${ids[index]}`).expect(200);
          expect(byAddress.body).toEqual(byId.body);
          expect(byId.body).toMatchObject({ id: ids[index], email: email.toLowerCase() });
        }),
      );
    }
  });
});

describe('GET /suppressions/:suppression', () => {
  it('returns exactly the six fields of a record, by its id and by its address', async () => {
    const [id] = await suppress(world, world.alice, ['ada@example.com']);
    const byId = await world.as(world.alice).get(`/suppressions/${id}`).expect(200);
    expect(byId.body).toEqual({
      object: 'suppression',
      id,
      email: 'ada@example.com',
      origin: 'manual',
      source_id: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const byAddress = await world.as(world.alice).get('/suppressions/ada%40example.com').expect(200);
    expect(byAddress.body).toEqual(byId.body);
  });

  it('does not take an empty address for the list', async () => {
    const { body } = await world.as(world.alice).get('/suppressions/').expect(400);
    expect(body.code).toBe('route_not_found');
  });

  it('finds an id in upper case', async () => {
    const [id] = await suppress(world, world.alice, ['upper@example.com']);
    await world.as(world.alice).get(`/suppressions/${id!.toUpperCase()}`).expect(200);
  });

  it.each([
    ['in another letter case', 'User%2BTag%40EXAMPLE.com'],
    ['with white space around it', '%20user%2Btag%40example.com%09'],
    ['with a dot behind the domain', 'user%2Btag%40example.com.'],
    ['with quotation marks that it does not need', '%22user%2Btag%22%40example.com'],
    ['not percent-encoded', 'user+tag@example.com'],
  ])('finds an address %s', async (_how, path) => {
    await suppress(world, world.alice, ['user+tag@example.com']);
    const { body } = await world.as(world.alice).get(`/suppressions/${path}`).expect(200);
    expect(body.email).toBe('user+tag@example.com');
  });

  it('finds an address by the Unicode and by the ASCII form of its domain', async () => {
    await suppress(world, world.alice, ['info@MÜNCHEN.example']);
    const composed = await world
      .as(world.alice)
      .get(`/suppressions/${encodeURIComponent('info@mu\u0308nchen.example')}`);
    const ascii = await world.as(world.alice).get('/suppressions/info@xn--mnchen-3ya.example');
    expect(composed.body.email).toBe('info@xn--mnchen-3ya.example');
    expect(ascii.body).toEqual(composed.body);
  });

  it('keeps addresses apart that differ in dots or tags', async () => {
    await suppress(world, world.alice, ['first.last@example.com']);
    await world.as(world.alice).get('/suppressions/firstlast@example.com').expect(404);
    await world.as(world.alice).get('/suppressions/first.last+tag@example.com').expect(404);
  });

  it('finds an address with a slash in it', async () => {
    await suppress(world, world.alice, ['sales/emea@example.com']);
    await world.as(world.alice).get('/suppressions/sales%2Femea%40example.com').expect(200);
  });

  it.each(['nobody@example.com', '01890000-0000-7000-8000-000000000000'])(
    'answers 404 for %s',
    async (ref) => {
      const { body } = await world.as(world.alice).get(`/suppressions/${ref}`).expect(404);
      expect(body).toEqual({
        statusCode: 404,
        name: 'not_found',
        code: 'suppression_not_found',
        message: 'No suppression has this id or address.',
        error: { statusCode: 404, name: 'not_found', message: 'No suppression has this id or address.' },
      });
    },
  );

  it.each(['neither', '01890000-0000-7000-8000', 'a@b@c.example', '@example.com', 'ada@', '%00@example.com'])(
    'answers 400 for %s, which is neither an id nor an address',
    async (ref) => {
      const { body } = await world.as(world.alice).get(`/suppressions/${ref}`).expect(400);
      expect(body).toMatchObject({
        statusCode: 400,
        name: 'validation_error',
        errors: [{ path: 'suppression' }],
      });
    },
  );
});

describe('DELETE /suppressions/:suppression', () => {
  it.each(['id', 'email'] as const)('removes a record by its %s, once', async (by) => {
    const email = `by-${by}@example.com`;
    const [id] = await suppress(world, world.alice, [email]);
    const path = `/suppressions/${by === 'id' ? id : email}`;
    const { body } = await world.as(world.alice).delete(path).expect(200);
    expect(body).toEqual({ object: 'suppression', id, deleted: true });
    await world.as(world.alice).get(path).expect(404);
    await world.as(world.alice).delete(path).expect(404);
  });

  it('gives an address that is added again a new id', async () => {
    const [first] = await suppress(world, world.alice, ['again@example.com']);
    await world.as(world.alice).delete(`/suppressions/${first}`).expect(200);
    const [second] = await suppress(world, world.alice, ['again@example.com']);
    expect(second).not.toBe(first);
  });

  it('takes a note in the body', async () => {
    const [id] = await suppress(world, world.alice, ['noted@example.com']);
    await world.as(world.alice).delete(`/suppressions/${id}`).send({ note: 'New mailbox' }).expect(200);
    const { body } = await world.as(world.alice).get(`/suppressions/${id}/history`);
    expect(body.data[0]).toMatchObject({ action: 'removed', note: 'New mailbox' });
  });

  it('refuses a path that is neither an id nor an address', () =>
    world.as(world.alice).delete('/suppressions/neither').expect(400));
});

describe('POST /suppressions/batch/remove', () => {
  const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';
  const batchRemove = (body: object) => world.as(world.alice).post('/suppressions/batch/remove').send(body);

  it('removes by addresses: each record once, in the order of the request, without unknown addresses', async () => {
    const [a, b] = await suppress(world, world.alice, ['a@example.com', 'b@example.com']);
    const emails = ['B@example.com', 'unknown@example.com', 'a@example.com', 'b@example.com'];
    const { body } = await batchRemove({ emails }).expect(200);
    expect(body).toEqual({
      data: [b, a].map((id) => ({ object: 'suppression', id, deleted: true })),
    });
  });

  it('removes by ids: each record once, in the order of the request, without unknown ids', async () => {
    const [c, d] = await suppress(world, world.alice, ['c@example.com', 'd@example.com']);
    const ids = [d, UNKNOWN_ID, c!.toUpperCase(), d];
    const { body } = await batchRemove({ ids, note: 'Cleaning' }).expect(200);
    expect(body.data).toEqual([
      { object: 'suppression', id: d, deleted: true },
      { object: 'suppression', id: c, deleted: true },
    ]);
    const history = await world.as(world.alice).get(`/suppressions/${c}/history`);
    expect(history.body.data[0]).toMatchObject({ action: 'removed', note: 'Cleaning' });
  });

  it.each([
    [{}, 'emails'],
    [{ emails: ['a@example.com'], ids: [UNKNOWN_ID] }, 'ids'],
    [{ emails: [] }, 'emails'],
    [{ ids: [] }, 'ids'],
    [{ ids: ['a@example.com'] }, 'ids[0]'],
    [{ ids: [5] }, 'ids[0]'],
    [{ emails: ['a'] }, 'emails[0]'],
    [{ ids: Array(101).fill(UNKNOWN_ID) }, 'ids'],
  ])('refuses %j', async (body, path) => {
    const answer = await batchRemove(body).expect(400);
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toEqual([path]);
  });

  it('removes overlapping batches in different orders at once: each record once, no 5xx', async () => {
    const emails = Array.from({ length: 50 }, (_, index) => `gone-${index}@example.com`);
    await suppress(world, world.alice, emails);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        batchRemove({ emails: index % 2 ? emails : emails.toReversed() }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(answers.flatMap(({ body }) => body.data)).toHaveLength(50);
  });
});

const ADA = 'ada@example.com';

const EVE = 'eve@example.com';

const CONSENT = { kind: 'recipient_request', reference: 'Support case 4711' };

const WITHOUT_LIFT: Scope[] = ['suppressions:write', 'events:write'];

describe('an account that guards removals', () => {
  /** Every scope. */
  let alice: string;
  /** Without `suppressions:lift`. */
  let bob: string;
  beforeEach(async () => {
    alice = await createKey(world);
    await world.as(alice).patch('/account').send({ removal: 'guarded' }).expect(200);
    const { name } = (await world.as(alice).get('/account')).body;
    bob = await createKey(world, WITHOUT_LIFT, name);
  });

  const report = (type: string, email = ADA) =>
    world.as(alice).post('/events').send({ type, email, status: '5.1.1' }).expect(200);
  const remove = (body: object | undefined, apiKey = alice, query = '') =>
    world.as(apiKey).delete(`/suppressions/${ADA}${query}`).send(body);
  const batchRemove = (body: object, apiKey = alice) =>
    world.as(apiKey).post('/suppressions/batch/remove').send(body);
  const causes = async (email = ADA) => {
    const { body } = await world.as(alice).get(`/suppressions/${email}`).query({ include: 'causes' });
    return body.causes?.map(({ cause }: { cause: string }) => cause);
  };
  const lastChange = async () => (await world.as(alice).get(`/suppressions/${ADA}/history`)).body.data[0];

  it('lifts a manual entry for everybody who may write, without a body, as Resend’s clients do', async () => {
    await suppress(world, alice, [ADA]);
    await world.as(bob).delete(`/suppressions/${ADA}`).expect(200);
    expect(await lastChange()).toMatchObject({ action: 'removed', evidence: null });
  });

  it.each([undefined, {}, { note: ' ' }])('lifts no bounce for %j', async (body) => {
    await report('bounce');
    const response = await remove(body).expect(403);
    expect(response.body).toMatchObject({
      name: 'validation_error',
      code: 'removal_not_allowed',
      message: 'This account guards removals. Lifting a bounce needs a note. Nothing was removed.',
    });
    expect(await causes()).toEqual(['bounce']);
  });

  it('lifts a bounce for everybody who may write and gives a note', async () => {
    await report('bounce');
    await remove({ note: 'The mailbox is back' }, bob).expect(200);
    expect(await causes()).toBeUndefined();
  });

  it.each(['complaint', 'unsubscribe'])('lifts a %s only with a consent and the scope', async (cause) => {
    await report(cause);
    for (const [body, apiKey] of [
      [{ note: 'Please' }, alice],
      [{ consent: CONSENT }, bob],
      [{ consent: null }, alice],
    ] as const) {
      const response = await remove(body, apiKey).expect(403);
      expect(response.body.message).toContain('suppressions:lift');
    }
    expect(await causes()).toEqual([cause]);
    await remove({ consent: CONSENT }).expect(200);
    expect(await causes()).toBeUndefined();
    expect(await lastChange()).toMatchObject({ action: 'removed', cause, evidence: { consent: CONSENT } });
  });

  it('asks for what each of the causes needs', async () => {
    await report('bounce');
    await report('unsubscribe');
    const { body } = await remove({}).expect(403);
    expect(body.message).toMatch(/Lifting a bounce needs.*Lifting a complaint or an unsubscribe needs/);
    await remove({ consent: CONSENT }).expect(403);
    await remove({ note: 'The mailbox is back' }, bob).expect(403);
    await remove({ note: 'The mailbox is back' }, bob, '?cause=bounce').expect(200);
    expect(await causes()).toEqual(['unsubscribe']);
    await remove({ consent: CONSENT }, alice, '?cause=unsubscribe').expect(200);
  });

  it('refuses a whole batch because of one address', async () => {
    const [manual] = await suppress(world, alice, [EVE]);
    await report('complaint');
    const id = (await world.as(alice).get(`/suppressions/${ADA}`)).body.id;
    await batchRemove({ emails: [EVE, ADA], consent: CONSENT }, bob).expect(403);
    await batchRemove({ ids: [manual, id], note: 'All of them' }).expect(403);
    await batchRemove({ emails: [EVE, ADA], cause: 'complaint' }).expect(403);
    expect([await causes(EVE), await causes()]).toEqual([['manual'], ['complaint']]);
    const { body } = await batchRemove({ emails: [EVE, ADA], consent: CONSENT }).expect(200);
    expect(body.data).toHaveLength(2);
  });

  it('reports an address that is not listed, or a cause that it lacks, as not found', async () => {
    await remove({}).expect(404);
    await suppress(world, alice, [ADA]);
    await remove({}, bob, '?cause=complaint').expect(404);
    expect((await batchRemove({ emails: [ADA], cause: 'complaint' }, bob).expect(200)).body.data).toEqual([]);
  });

  describe('asks for an opt-in over an opt-out', () => {
    const choose = (body: object, apiKey = alice) =>
      world.as(apiKey).patch(`/contacts/${ADA}/topics`).send(body);
    const news = { id: 'news', subscription: 'opt_in' };
    beforeEach(async () => {
      const topic = { name: 'News', default_subscription: 'opt_in', visibility: 'public' };
      await world.as(alice).post('/topics').send(topic).expect(201);
      await world.as(alice).post('/topics').send({ name: 'Offers', default_subscription: 'opt_out' });
    });

    const optOuts: [string, () => Promise<unknown>][] = [
      [
        'a link',
        async () =>
          fetch(`${world.url}/u/${await tokenFor(world, alice, ADA, { topic: 'news' })}`, { method: 'POST' }),
      ],
      ['an import', () => importFile(world, alice, `${ADA}\n`, { topic: 'news' })],
      ['the API', () => choose([{ id: 'news', subscription: 'opt_out' }]).expect(200)],
    ];
    it.each(optOuts)('by %s for a consent and the scope', async (_origin, optOut) => {
      await optOut();
      const carol = await createKey(
        world,
        ['topics:write'],
        (await world.as(alice).get('/account')).body.name,
      );
      for (const [body, apiKey] of [
        [[news], alice],
        [{ topics: [news], consent: null }, alice],
        [{ topics: [{ id: 'offers', subscription: 'opt_in' }, news], consent: CONSENT }, carol],
      ] as const) {
        expect((await choose(body, apiKey).expect(403)).body.code).toBe('opt_in_not_allowed');
      }
      expect(await lastChange()).toMatchObject({ action: 'opted_out' });
      await choose({ topics: [news], consent: CONSENT }).expect(200);
      expect(await lastChange()).toMatchObject({ action: 'opted_in', evidence: { consent: CONSENT } });
    });

    it('and for nothing more: opt-outs, and opt-ins of somebody who never opted out, stay free', async () => {
      await choose([{ id: 'offers', subscription: 'opt_in' }, news]).expect(200);
      await choose([{ id: 'news', subscription: 'opt_out' }]).expect(200);
      await world.as(alice).patch('/account').send({ removal: 'open' }).expect(200);
      await choose([news]).expect(200);
    });

    it('with a consent of the right form', async () => {
      const { body } = await choose({ topics: [news], consent: { kind: 'hearsay' } }).expect(400);
      expect(body.errors).toMatchObject([{ path: 'consent' }]);
      const misspelled = await choose({ topics: [news], consents: CONSENT, topic_id: 'x' }).expect(400);
      expect(misspelled.body.errors).toMatchObject([{ path: 'consents' }]);
    });
  });

  it('decides by the causes that the record has when it is removed', async () => {
    await suppress(world, alice, [ADA]);
    const writer = new Client({ connectionString: world.database.url });
    await writer.connect();
    await writer.query('BEGIN');
    await writer.query(
      `UPDATE suppressions SET cause = 'complaint', weaker_causes = cause_bit('manual') WHERE email = $1`,
      [ADA],
    );
    const removal = remove({}, bob).then(({ status }) => status);
    await world.database.untilWaiting();
    await writer.query('COMMIT');
    await writer.end();
    expect(await removal).toBe(403);
    expect(await causes()).toEqual(['complaint', 'manual']);
  });

  it.each([
    'yes',
    {},
    { kind: 'hearsay', reference: '1' },
    { kind: 'our_error' },
    { kind: 'our_error', reference: ' ' },
    { kind: 'our_error', reference: 'x'.repeat(501) },
    { kind: 'our_error', reference: 'a\0b' },
  ])('refuses the consent %j', async (consent) => {
    await report('complaint');
    for (const response of [remove({ consent }), batchRemove({ emails: [ADA], consent })]) {
      expect((await response.expect(400)).body.errors).toMatchObject([{ path: 'consent' }]);
    }
    expect(await causes()).toEqual(['complaint']);
  });

  it('that stops guarding removals lets every writer lift everything, and still records a consent', async () => {
    await report('complaint');
    await world.as(alice).patch('/account').send({ removal: 'open' }).expect(200);
    await remove({ consent: CONSENT }, bob).expect(200);
    expect(await lastChange()).toMatchObject({ evidence: { consent: CONSENT } });
  });
});
