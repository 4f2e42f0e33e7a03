import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { ApiKeysService } from '../../src/api-keys/api-keys.service.js';
import { SCOPES } from '../../src/api-keys/scopes.js';
import { FeedSweep } from '../../src/feed/feed-sweep.js';
import { FeedRepository } from '../../src/feed/feed.repository.js';
import { cases } from '../support/cases.js';
import { OPERATOR } from '../support/operator.js';
import { observeQueries } from '../support/queries.js';
import { until } from '../support/until.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

const MAIL = '5e2ff6b2-5a43-4b10-a9b0-6f2e6d4c0a11';

const CAUSES = ['bounce', 'unsubscribe', 'complaint'] as const;

interface Change {
  id: string;
  type: string;
  email: string;
  revision: number;
  suppression: Record<string, unknown> | null;
  causes: string[];
  expires_at: string | null;
  topic: Record<string, unknown> | null;
}

describe('GET /changes', () => {
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

  const read = (query: object = {}, key = alice) => world.as(key).get('/changes').query(query);
  const page = async (query: object = {}, key = alice) => (await read(query, key).expect(200)).body;
  const changes = async (query: object = {}): Promise<Change[]> => (await page(query)).data;
  const changesInPagesOf = async (limit: number, after?: string): Promise<Change[]> => {
    const found: Change[] = [];
    let next = await page({ limit, after });
    while (next.data.length > 0) {
      found.push(...next.data);
      next = await page({ limit, after: next.cursor });
    }
    return found;
  };
  const remove = (ref: string, query: object = {}) =>
    world.as(alice).delete(`/suppressions/${ref}`).query(query).expect(200);
  const report = (type: string, email: string) =>
    world.as(alice).post('/events').send({ type, email, source_id: MAIL, status: '5.1.1' }).expect(200);
  const accountId = async (key: string): Promise<number> => {
    const { cursor } = await page({ from: 'now' }, key);
    return Buffer.from(cursor, 'base64url').readUInt32BE(1);
  };

  it('has every change of the account in order, with the state after it', async () => {
    await world.as(alice).post('/suppressions').send({ email: 'Ada@example.com', note: 'a\tb\n"c"' });
    const { body: added } = await world.as(alice).get('/suppressions/ada@example.com');
    await report('complaint', 'ada@example.com');
    const { body: strengthened } = await world.as(alice).get('/suppressions/ada@example.com');
    await remove('ada@example.com');
    await suppress(world, await createKey(world), ['other@example.com']);
    const { data, ...rest } = await page();
    expect(rest).toEqual({ object: 'list', has_more: false, cursor: expect.stringMatching(/^[\w-]+$/) });
    const actor = { type: 'api_key', id: expect.any(String), name: 'alice' };
    const source = { type: 'source', id: expect.any(String), name: 'event' };
    const common = {
      id: expect.any(String),
      email: 'ada@example.com',
      revision: expect.any(Number),
      expires_at: null,
      topic: null,
      actor,
      lift_id: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    };
    expect(data).toEqual([
      { ...common, type: 'suppression.added', suppression: added, causes: ['manual'], note: 'a\tb\n"c"' },
      {
        ...common,
        actor: source,
        type: 'suppression.changed',
        suppression: strengthened,
        causes: ['complaint', 'manual'],
        note: expect.any(String),
      },
      { ...common, type: 'suppression.removed', suppression: null, causes: [], note: null },
    ]);
    const history = await world.as(alice).get('/suppressions/ada@example.com/history');
    expect(data.map(({ id }: Change) => id)).toEqual(
      history.body.data.map(({ id }: Change) => id).toReversed(),
    );
  });

  it('shows each state that the suppression had, whatever became of it later', async () => {
    const email = 'many@example.com';
    const states: unknown[] = [];
    const note = async () => {
      const response = await world.as(alice).get(`/suppressions/${email}?include=causes`);
      const { causes = [], ...suppression } = response.body;
      states.push(
        response.status === 404
          ? { suppression: null, causes: [] }
          : { suppression, causes: causes.map(({ cause }: { cause: string }) => cause) },
      );
    };
    for (const type of CAUSES) {
      await report(type, email);
      await note();
    }
    await suppress(world, alice, [email]);
    await note();
    for (const cause of ['complaint', 'bounce', 'manual', 'unsubscribe']) {
      await remove(email, { cause });
      await note();
    }
    await suppress(world, alice, [email]);
    await note();
    const found = await changes();
    expect(found.map(({ suppression, causes }) => ({ suppression, causes }))).toEqual(states);
    expect(await changesInPagesOf(1)).toEqual(found);
    expect(await changesInPagesOf(3)).toEqual(found);
    const revisions = found.map(({ revision }) => revision);
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
    expect(new Set(revisions).size).toBe(states.length);
  });

  /** How many lines of the ledger each statement reads that has one of some names. */
  const ledgerRowsReadBy = async (names: string[], work: () => Promise<void>): Promise<number[]> => {
    const statements: { text: string; values: unknown[] }[] = [];
    const queries = observeQueries(world, (args) => {
      const [statement] = args as [{ name?: string; text: string; values: unknown[] }];
      if (names.some((name) => statement.name?.startsWith(name))) {
        statements.push({ ...statement, values: [...statement.values] });
      }
    });
    try {
      await work();
    } finally {
      queries.stop();
    }
    const plans = statements.map(({ text, values }) =>
      world.database.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values),
    );
    return (await Promise.all(plans)).map(([explained]) => ledgerRowsIn(explained!['QUERY PLAN'][0].Plan));
  };

  it('reads the earlier lines of a record once, however many of its changes a page has', async () => {
    const email = 'often@example.com';
    await report('bounce', email);
    for (let round = 0; round < 30; round++) {
      await suppress(world, alice, [email]);
      await remove(email, { cause: 'manual' });
    }
    const { cursor } = await page({ limit: 40 });
    const rows = await ledgerRowsReadBy(['read-lines-before-revisions'], async () => {
      expect(await changes({ after: cursor, limit: 20 })).toHaveLength(20);
    });
    expect(rows).toEqual([40]);
  });

  it('reads few lines for a page whose ids lie far apart', async () => {
    const emails = ['before@example.com', 'ahead@example.com', 'back@example.com'];
    await suppress(world, alice, emails.slice(0, 1));
    const account = await accountId(alice);
    await world.database.query(
      `INSERT INTO suppression_changes (account_id, action, suppression_id, email, cause, actor_type, actor_name)
      SELECT $1, 'added', uuid_v7(), number || '@example.com', 'bounce', 'cli', 'test'
      FROM generate_series(1, 12000) AS number`,
      [account],
    );
    await suppress(world, alice, emails.slice(1));
    const rows = await ledgerRowsReadBy(['read-feed', 'look-up-feed-lines'], async () => {
      expect((await changes()).map(({ email }) => email)).toEqual(emails);
    });
    expect(rows.at(-2)).toBeLessThanOrEqual(5_000);
    expect(rows.at(-1)).toBe(2);
  });

  it('shows when a suppression ends', async () => {
    const [expiresAt, later] = ['2999-01-01T00:00:00.000Z', '2999-06-01T00:00:00.000Z'];
    const add = (end: string | null) =>
      world.as(alice).post('/suppressions').send({ email: 'ends@example.com', expires_at: end });
    await add(expiresAt);
    await add(later);
    await report('complaint', 'ends@example.com');
    await remove('ends@example.com', { cause: 'manual' });
    const found = await changes();
    expect(await changesInPagesOf(1)).toEqual(found);
    const ends = found.map(({ expires_at }) => expires_at);
    expect(ends).toEqual([expiresAt, later, later, null]);
  });

  it('agrees with the list on the causes and their expiry after every change', async () => {
    await world
      .as(alice)
      .patch('/account')
      .send({ bounce_expiry: ['7d', '30d'] })
      .expect(200);
    const email = 'ada@example.com';
    const add = (expires_at: string | null) =>
      world.as(alice).post('/suppressions').send({ email, expires_at });
    const lift = (cause: string) => world.as(alice).delete(`/suppressions/${email}`).query({ cause });
    const reportAs = (type: string) => world.as(alice).post('/events').send({ type, email, status: '5.1.1' });
    const steps = [
      () => add('2999-01-01T00:00:00.000Z'),
      () => add('2999-06-01T00:00:00.000Z'),
      () => add(null),
      ...['bounce', 'unsubscribe', 'complaint'].map((type) => () => reportAs(type)),
      ...['bounce', 'manual', 'unsubscribe', 'complaint'].map((cause) => () => lift(cause)),
      () => world.as(alice).delete(`/suppressions/${email}`),
    ];
    const inList = async () => {
      const { body } = await world.as(alice).get(`/suppressions/${email}`).query({ include: 'causes' });
      const causes: { cause: string; expires_at: string | null }[] = body.causes ?? [];
      return {
        causes: causes.map(({ cause }) => cause),
        expires_at: causes.find(({ cause }) => ['bounce', 'manual'].includes(cause))?.expires_at ?? null,
      };
    };
    const { cursor: start } = await page({ from: 'now' });
    let state = await inList();
    const states: (typeof state)[] = [];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...steps), async (step) => {
        await step();
        const next = await inList();
        if (!isDeepStrictEqual(next, state)) {
          states.push(next);
        }
        state = next;
      }),
      { numRuns: cases(150, 400), seed: 1 },
    );
    for (const limit of [1, 7, 1000]) {
      const seen = await changesInPagesOf(limit, start);
      expect(seen.map(({ causes, expires_at }) => ({ causes, expires_at }))).toEqual(states);
    }
  });

  it('has the choices of recipients', async () => {
    const { body: topic } = await world
      .as(alice)
      .post('/topics')
      .send({ name: 'News', default_subscription: 'opt_in' });
    await suppress(world, alice, ['ada@example.com']);
    for (const subscription of ['opt_out', 'opt_in']) {
      await world
        .as(alice)
        .patch('/contacts/ada@example.com/topics')
        .send([{ id: 'news', subscription }]);
    }
    const [added, ...chosen] = await changes();
    expect(chosen).toMatchObject(
      ['opt_out', 'opt_in'].map((subscription) => ({
        type: 'preference.changed',
        email: 'ada@example.com',
        topic: { id: topic.id, key: 'news', subscription },
        suppression: added!.suppression,
        causes: ['manual'],
      })),
    );
  });

  it('has no suppression that has expired with the choice of a recipient', async () => {
    const topic = { name: 'News', default_subscription: 'opt_in' };
    await world.as(alice).post('/topics').send(topic).expect(201);
    await suppress(world, alice, ['ada@example.com', 'grace@example.com']);
    await world.as(alice).post('/events').send({ type: 'complaint', email: 'grace@example.com' }).expect(200);
    await world.database.query(
      `UPDATE suppressions SET expires_at = now() - interval '1 second' WHERE account_id = $1`,
      [await accountId(alice)],
    );
    for (const email of ['ada', 'grace']) {
      await world
        .as(alice)
        .patch(`/contacts/${email}@example.com/topics`)
        .send([{ id: 'news', subscription: 'opt_out' }])
        .expect(200);
    }
    const chosen = (await changes()).filter(({ type }) => type === 'preference.changed');
    expect(chosen).toMatchObject([
      { suppression: null, causes: [], expires_at: null },
      { suppression: { email: 'grace@example.com' }, causes: ['complaint'], expires_at: null },
    ]);
  });

  it('keeps every character of an address, a note, and the name of a key', async () => {
    const account = await world.app.get(AccountsService).create(OPERATOR, 'characters', true);
    const key = { name: String.raw`back\slash \t \\ "é"`, scopes: [...SCOPES], expiresAt: null };
    alice = (
      await world.app
        .get(ApiKeysService)
        .create({ accountId: account.id, actor: OPERATOR, deadline: Infinity }, key)
    ).secret;
    const note = 'tab\t line\n return\r quotes "\'" \\ \u007f \u2028 é 😀 {"a":null} , ,';
    const email = '"a b\\"é"@example.com';
    await world.as(alice).post('/suppressions').send({ email, note }).expect(201);
    expect(await changes()).toMatchObject([
      { email, suppression: { email }, note, actor: { name: key.name } },
    ]);
  });

  it('keeps the order of the feed, whatever the order of the ids', async () => {
    const emails = ['a', 'b', 'c', 'd'].map((name) => `${name}@example.com`);
    await suppress(world, alice, emails);
    const { data, cursor } = await page({ limit: 1 });
    await world.database.query(
      `UPDATE feed_pages SET change_ids = change_ids[1:1] || change_ids[4:4] || change_ids[2:3] WHERE account_id = $1`,
      [await accountId(alice)],
    );
    expect([...data, ...(await changes({ after: cursor, limit: 2 }))]).toMatchObject(
      ['a', 'd', 'b'].map((name) => ({ email: `${name}@example.com` })),
    );
    expect((await changes()).map(({ email }) => email)).toEqual(
      ['a', 'd', 'b', 'c'].map((name) => `${name}@example.com`),
    );
  });

  it('continues after the cursor of every page, even an empty one', async () => {
    const emails = Array.from({ length: 250 }, (_, index) => `person${1000 + index}@example.com`);
    const empty = await page();
    for (let first = 0; first < 250; first += 50) {
      await suppress(world, alice, emails.slice(first, first + 50));
    }
    const found: string[] = [];
    let { cursor, has_more: hasMore } = { ...empty, has_more: true };
    for (; hasMore;) {
      const next = await page({ after: cursor, limit: 70 });
      found.push(...next.data.map(({ email }: Change) => email));
      ({ cursor, has_more: hasMore } = next);
    }
    expect(found).toEqual(emails);
    expect(await page({ after: cursor })).toEqual({ object: 'list', has_more: false, cursor, data: [] });
    await suppress(world, alice, ['late@example.com']);
    expect(await changes({ after: cursor })).toMatchObject([{ email: 'late@example.com' }]);
    expect(await changes({ limit: 1000 })).toHaveLength(251);
  });

  it('begins now on request', async () => {
    await suppress(world, alice, ['before@example.com']);
    const { cursor, ...rest } = await page({ from: 'now' });
    expect(rest).toEqual({ object: 'list', has_more: false, data: [] });
    await suppress(world, alice, ['after@example.com']);
    expect(await changes({ after: cursor })).toMatchObject([{ email: 'after@example.com' }]);
  });

  it('waits for a change if asked to, and for no longer', async () => {
    const { cursor } = await page({ from: 'now' });
    const waiting = Promise.all([1, 2].map(() => page({ after: cursor, wait: 20 })));
    const idle = page({ after: cursor, wait: 1 });
    expect(await idle).toEqual({ object: 'list', has_more: false, cursor, data: [] });
    await suppress(world, alice, ['ada@example.com']);
    for (const { data } of await waiting) {
      expect(data).toMatchObject([{ email: 'ada@example.com' }]);
    }
  });

  it('holds no connection to the database while it waits', async () => {
    const { cursor } = await page({ from: 'now' });
    const waiting = Array.from({ length: 30 }, () => page({ after: cursor, wait: 20 }));
    await suppress(world, await createKey(world), ['other@example.com']);
    await suppress(world, alice, ['ada@example.com']);
    expect((await Promise.all(waiting)).map(({ data }) => data.length)).toEqual(Array(30).fill(1));
  });

  it('lets 100 requests of an account wait', async () => {
    const { cursor } = await page({ from: 'now' });
    const statuses: number[] = [];
    const requests = Array.from({ length: 105 }, async () => {
      statuses.push((await read({ after: cursor, wait: 25 })).status);
    });
    await until(() => statuses.length === 5);
    await suppress(world, alice, ['ada@example.com']);
    await Promise.all(requests);
    expect(statuses).toEqual([...Array(5).fill(503), ...Array(100).fill(200)]);
  });

  it.each([
    [{ after: 'x' }, 'after'],
    [{ after: '' }, 'after'],
    [{ after: 'AQAAAAGAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }, 'after'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 1001 }, 'limit'],
    [{ wait: 26 }, 'wait'],
    [{ wait: -1 }, 'wait'],
    [{ from: 'yesterday' }, 'from'],
    [{ until: 'now' }, 'until'],
  ])('refuses %j', async (query, path) => {
    const { body } = await read(query).expect(400);
    expect(body.errors).toMatchObject([{ path }]);
  });

  it('refuses a cursor of another account', async () => {
    const { cursor } = await page();
    const { body } = await read({ after: cursor }, world.charlie).expect(400);
    expect(body.errors).toEqual([
      { path: 'after', message: 'must be a cursor of the account that the API key belongs to' },
    ]);
  });

  it('says so if a restore or a failover has lost the changes before a cursor', async () => {
    await suppress(world, alice, ['kept@example.com']);
    const { cursor } = await page();
    await suppress(world, alice, ['lost@example.com']);
    const { cursor: lost } = await page();
    const account = await accountId(alice);
    await world.database.query('DELETE FROM feed_pages WHERE account_id = $1 AND first_position = 2', [
      account,
    ]);
    await world.database.query('UPDATE feed_heads SET last_position = 1 WHERE account_id = $1', [account]);
    expect((await read({ after: lost }).expect(410)).body).toMatchObject({ code: 'changes_cursor_gone' });
    await suppress(world, alice, ['new@example.com', 'newer@example.com']);
    await read({ after: lost }).expect(410);
    expect(await changes({ after: cursor })).toMatchObject([
      { email: 'new@example.com' },
      { email: 'newer@example.com' },
    ]);
  });

  it('says the same of a position far beyond the end', async () => {
    await suppress(world, alice, ['ada@example.com']);
    const bytes = Buffer.from((await page()).cursor, 'base64url');
    bytes.writeBigUInt64BE(BigInt(Number.MAX_SAFE_INTEGER), 5);
    await read({ after: bytes.toString('base64url') }).expect(410);
  });

  it('continues after an export', async () => {
    await suppress(world, alice, ['one@example.com', 'two@example.com']);
    await report('complaint', 'one@example.com');
    const exported = await world.as(alice).get('/exports?format=ndjson').buffer(true).expect(200);
    const records = exported.text.trimEnd().split('\n');
    expect(records.map((line) => JSON.parse(line))).toMatchObject([
      { email: 'one@example.com', causes: ['complaint', 'manual'] },
      { email: 'two@example.com', causes: ['manual'] },
    ]);
    const after = exported.headers['changes-cursor'];
    expect(await changes({ after })).toEqual([]);
    await remove('one@example.com');
    expect(await changes({ after })).toMatchObject([{ type: 'suppression.removed' }]);
  });

  it('requires changes:read', async () => {
    await read({}, await createKey(world, ['suppressions:write'])).expect(401);
    await read({}, await createKey(world, ['changes:read'])).expect(200);
  });

  it('is empty for an account without changes, whatever others do', async () => {
    const account = await world.app.get(AccountsService).create(OPERATOR, 'empty', true);
    await suppress(world, world.alice, ['ada@example.com']);
    expect(await page({}, await createKey(world, ['changes:read'], account.name))).toMatchObject({
      has_more: false,
      data: [],
    });
  });
});

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** How many lines of the ledger a plan has read. */
function ledgerRowsIn(node: PlanNode): number {
  const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  const own = node['Relation Name'] === 'suppression_changes' ? read : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + ledgerRowsIn(child), own);
}

describe('the sweep of the feed', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('numbers the changes of an account that nobody reads, in their order', async () => {
    const alice = await createKey(world);
    await suppress(world, alice, ['ada@example.com']);
    await suppress(world, alice, ['grace@example.com']);
    await world.app.get(FeedSweep).run();
    const [{ pending }] = await world.app
      .get(DataSource)
      .query('SELECT count(*)::integer AS pending FROM feed_pending');
    expect(pending).toBe(0);
    const { body } = await world.as(alice).get('/changes').expect(200);
    expect(body.data.map(({ email }: { email: string }) => email)).toEqual([
      'ada@example.com',
      'grace@example.com',
    ]);
  });

  it('continues with other accounts after one fails, and logs which one', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    await suppress(world, world.charlie, ['ada@example.com']);
    const feed = world.app.get(FeedRepository);
    const numberPending = feed.numberPending.bind(feed);
    const accountIds: number[] = [];
    feed.numberPending = (accountId) => {
      accountIds.push(accountId);
      return accountIds.length === 1 ? Promise.reject(new Error('lost')) : numberPending(accountId);
    };
    await world.app.get(FeedSweep).run();
    feed.numberPending = numberPending;
    expect(world.logLines()).toContainEqual(
      expect.objectContaining({ context: 'FeedSweep', accountId: accountIds[0], error: 'Error' }),
    );
    const pending = await world.app.get(DataSource).query('SELECT DISTINCT account_id FROM feed_pending');
    expect(pending).toEqual([{ account_id: accountIds[0] }]);
  });
});
