import { DataSource } from 'typeorm';
import { CountsRepository } from '../../src/counts/counts.repository.js';
import { CountsService } from '../../src/counts/counts.service.js';
import { TotalsSweep } from '../../src/counts/totals-sweep.js';
import { DeadlineExceededError } from '../../src/database/errors.js';
import { ExpirySweep } from '../../src/suppressions/expiry-sweep.js';
import { lowestIdAt } from '../../src/validation/parsers.js';
import { cases } from '../support/cases.js';
import { importFile } from '../support/imports.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createKey, createWorld, setCause, suppress, type World } from '../support/world.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('counts of the list', () => {
  let world: World;

  beforeAll(async () => {
    world = await createWorld();
    const file =
      'email,cause,created_at\n' +
      'a@one.example,bounce,2024-02-28T23:59:59Z\n' +
      'b@one.example,bounce,2024-02-29\n' +
      'c@one.example,unsubscribe,2024-02-29\n' +
      'd@two.example,complaint,2024-02-29\n';
    await world.as(world.alice).post('/imports').set('Content-Type', 'text/csv').send(file).expect(202);
    await untilTotal(4);
    await suppress(world, world.alice, ['e@three.example', 'f@three.example', 'g@three.example']);
    await suppress(world, world.alice, ['a@one.example']);
    await suppress(world, world.charlie, ['other@one.example']);
  });
  afterAll(() => world.close());

  async function count(query: Record<string, string>) {
    const { body } = await world.as(world.bob).get('/suppressions/count').query(query).expect(200);
    return body;
  }

  async function untilTotal(total: number): Promise<void> {
    while ((await count({})).total !== total);
  }

  it('counts the records of the account', async () => {
    expect(await count({})).toEqual({ object: 'count', total: 7 });
  });

  it.each([
    [{ origin: 'bounce' }, 1],
    [{ origin: 'manual' }, 5],
    [{ origin: 'complaint' }, 1],
    [{ cause: 'bounce' }, 2],
    [{ cause: 'unsubscribe' }, 1],
    [{ cause: 'manual', domain: 'one.example' }, 1],
    [{ domain: 'ONE.example' }, 3],
    [{ domain: 'none.example' }, 0],
    [{ created_before: '2024-02-29' }, 1],
    [{ created_after: '2024-02-29', created_before: '2025-01-01' }, 0],
    [{ created_after: '2024-02-28T23:59:58Z', created_before: '2025-01-01' }, 4],
  ] as [Record<string, string>, number][])('counts the records with %j: %d', async (query, total) => {
    expect(await count(query)).toEqual({ object: 'count', total });
  });

  it('counts as many records as the list has, whatever the filter', async () => {
    const queries: Record<string, string>[] = [{}, { origin: 'bounce' }, { domain: 'three.example' }];
    for (const query of queries) {
      const { body } = await world.as(world.bob).get('/suppressions').query(query).expect(200);
      expect((await count(query)).total).toBe(body.data.length);
    }
  });

  it('groups by origin, the largest group first', async () => {
    expect(await count({ group_by: 'origin' })).toEqual({
      object: 'count',
      total: 7,
      groups: [
        { key: 'manual', count: 5 },
        { key: 'bounce', count: 1 },
        { key: 'complaint', count: 1 },
      ],
    });
  });

  it('counts a record under each of its causes', async () => {
    const { total, groups } = await count({ group_by: 'cause' });
    expect(total).toBe(7);
    expect(
      Object.fromEntries(groups.map(({ key, count: n }: { key: string; count: number }) => [key, n])),
    ).toEqual({
      manual: 4,
      bounce: 2,
      unsubscribe: 1,
      complaint: 1,
    });
  });

  it('groups by domain, the largest group first', async () => {
    expect((await count({ group_by: 'domain' })).groups).toEqual([
      { key: 'one.example', count: 3 },
      { key: 'three.example', count: 3 },
      { key: 'two.example', count: 1 },
    ]);
  });

  it('groups by the day in UTC, in the order of time', async () => {
    expect((await count({ group_by: 'day', created_before: '2025-01-01' })).groups).toEqual([
      { key: '2024-02-28', count: 1 },
      { key: '2024-02-29', count: 3 },
    ]);
    expect((await count({ group_by: 'day', domain: 'three.example' })).groups).toHaveLength(1);
  });

  it('groups by the month in UTC, in the order of time', async () => {
    const eve = await createKey(world);
    const rows = ['a,2024-02-01', 'b,2024-01-31T23:59:59Z', 'c,2024-02-29T23:59:59Z', 'd,2023-12-31'];
    const file = rows.map((row) => row.replace(',', '@month.example,bounce,')).join('\n');
    await importFile(world, eve, `email,cause,date\n${file}\n`);
    for (const filter of [{}, { cause: 'bounce' }]) {
      const request = world
        .as(eve)
        .get('/suppressions/count')
        .query({ group_by: 'month', ...filter });
      expect((await request.expect(200)).body).toMatchObject({
        total: 4,
        groups: [
          { key: '2023-12', count: 1 },
          { key: '2024-01', count: 1 },
          { key: '2024-02', count: 2 },
        ],
      });
    }
  });

  it('groups by day with every time filter, without expired records', async () => {
    const dora = await createKey(world);
    const file = Array.from({ length: 60 }, (_, index) => {
      const hours = new Date(Date.UTC(2024, 1, 27) + index * 3_600_000);
      return `p${index}@day.example,${index % 3 ? 'manual' : 'complaint'},${hours.toISOString()}\n`;
    });
    const csv = `email,cause,created_at\n${file.join('')}`;
    await world.as(dora).post('/imports').set('Content-Type', 'text/csv').send(csv).expect(202);
    const days = async (query: object) => {
      const request = world
        .as(dora)
        .get('/suppressions/count')
        .query({ group_by: 'day', ...query });
      const { total, groups } = (await request.expect(200)).body;
      return [total, ...groups.map(({ key, count: n }: { key: string; count: number }) => `${key} ${n}`)];
    };
    await until(async () => (await days({}))[0] === 60);
    expect(await days({})).toEqual([60, '2024-02-27 24', '2024-02-28 24', '2024-02-29 12']);
    expect(
      await days({ created_after: '2024-02-27T21:00:00Z', created_before: '2024-02-28T02:00:00Z' }),
    ).toEqual([4, '2024-02-27 2', '2024-02-28 2']);
    expect(await days({ created_before: '2020-01-01' })).toEqual([0]);
    await world.database.query(
      `UPDATE suppressions SET expires_at = now() - interval '1 second'
      WHERE email LIKE 'p%@day.example' AND cause = 'manual' AND created_at < '2024-02-28'`,
    );
    const ofDay = { domain: 'day.example' };
    expect(await days({})).toEqual([44, '2024-02-27 8', '2024-02-28 24', '2024-02-29 12']);
    expect(await days(ofDay)).toEqual(await days({}));
  });

  it('has no groups for an empty list', async () => {
    expect(await count({ group_by: 'domain', domain: 'none.example' })).toEqual({
      object: 'count',
      total: 0,
      groups: [],
    });
  });

  it('refuses an unknown grouping, filter or parameter', async () => {
    for (const query of [{ group_by: 'week' }, { cause: 'spam' }, { colour: 'red' }]) {
      await world.as(world.bob).get('/suppressions/count').query(query).expect(400);
    }
  });

  it('runs two counts at a time, and none after the deadline of a request that waited', async () => {
    const counts = world.app.get(CountsRepository);
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    let begun = 0;
    const work = async () => {
      begun++;
      await ended;
    };
    const soon = performance.now() + 20_000;
    const running = [
      counts.inSnapshot({ accountId: 1, deadline: soon }, work),
      counts.inSnapshot({ accountId: 1, deadline: soon }, work),
    ];
    await until(() => begun === 2);
    const late = expect(
      counts.inSnapshot({ accountId: 1, deadline: performance.now() }, work),
    ).rejects.toThrow(DeadlineExceededError);
    const third = counts.inSnapshot({ accountId: 1, deadline: soon }, work);
    await world.as(world.bob).get('/suppressions').expect(200);
    expect(begun).toBe(2);
    end();
    await Promise.all([...running, late, third]);
    expect(begun).toBe(3);
  });

  it('ends every statement of a count at its deadline', async () => {
    const counts = world.app.get(CountsRepository);
    const [{ limit }] = await counts.inSnapshot(
      { accountId: 1, deadline: performance.now() + 10_000 },
      async (snapshot) => {
        await counts.count(1, snapshot, { by: 'none', filter: {} });
        return snapshot.query(
          `SELECT setting::integer AS limit FROM pg_settings WHERE name = 'statement_timeout'`,
        );
      },
    );
    expect(limit).toBeLessThan(10_000);
  });

  it('needs the scope for reading', async () => {
    await world.anyone.get('/suppressions/count').expect(401);
    await world.anyone.get('/suppressions/summary').expect(401);
  });

  it('summarizes the list: totals by cause, the last 30 days, and the largest domains', async () => {
    const [id] = await suppress(world, world.charlie, ['late@one.example', 'late@two.example']);
    await setCause(world, id!, 'complaint', null);
    const { body } = await world.as(world.charlie).get('/suppressions/summary').expect(200);
    const days = Array.from({ length: 30 }, (_, index) =>
      new Date(Date.now() - (29 - index) * DAY_MS).toISOString().slice(0, 10),
    );
    const none = { bounce: 0, manual: 0, unsubscribe: 0, complaint: 0 };
    expect(body).toEqual({
      object: 'summary',
      total: 3,
      causes: { ...none, manual: 2, complaint: 1 },
      days: days.map((day, index) => ({ day, ...none, ...(index === 29 && { manual: 2, complaint: 1 }) })),
      domains: [
        { key: 'one.example', count: 2 },
        { key: 'two.example', count: 1 },
      ],
    });
  });

  it('summarizes a long list without the records of other accounts', async () => {
    const { body } = await world.as(world.bob).get('/suppressions/summary').expect(200);
    expect(body).toMatchObject({
      total: 7,
      causes: { bounce: 2, manual: 4, unsubscribe: 1, complaint: 1 },
      domains: [
        { key: 'one.example', count: 3 },
        { key: 'three.example', count: 3 },
        { key: 'two.example', count: 1 },
      ],
    });
  });
});

describe('the totals of a list', () => {
  const DOMAINS = ['one.example', 'two.example', 'three.example', 'four.example'];

  /** Of `TotalsSweep`. */
  const TOTALS_INTERVAL_MS = 15_000;

  const LATER = '2999-01-01T00:00:00Z';

  /** No day begins at this time, so no total answers. */
  const BY_RECORDS = { created_after: '2000-01-01T00:00:01Z' };

  const QUERIES: Record<string, string>[] = [
    {},
    { origin: 'manual' },
    { cause: 'bounce' },
    { domain: 'one.example' },
    { domain: 'none.example' },
    ...['cause', 'origin', 'day', 'month', 'domain'].map((group_by) => ({ group_by })),
    { group_by: 'month', cause: 'unsubscribe' },
    { group_by: 'domain', domain: 'two.example' },
    { group_by: 'day', created_before: '2024-03-01T00:00:00Z' },
  ];

  function pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(Math.random() * items.length)]!;
  }

  /**
   * Lets the totals be updated only by `keepTotals`: a run at an interval could add what a test leaves pending, or would be joined
   * although it began before the test wrote.
   */
  function withoutInterval(milliseconds: number) {
    const start = globalThis.setInterval;
    return jest
      .spyOn(globalThis, 'setInterval')
      .mockImplementation(((work: () => void, delay?: number) =>
        start(delay === milliseconds ? () => undefined : work, delay)) as typeof setInterval);
  }

  let world: World;
  let other: TestApp;
  let alice: string;
  beforeAll(async () => {
    const intervals = withoutInterval(TOTALS_INTERVAL_MS);
    world = await createWorld();
    other = await startTestApp(world.database.url);
    intervals.mockRestore();
  });
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(async () => {
    await other.close();
    await world.close();
  });

  const keepTotals = () => Promise.all([world, other].map(({ app }) => app.get(TotalsSweep).run()));
  const read = async (path: string, query: object = {}) =>
    (await world.as(alice).get(`/suppressions/${path}`).query(query).expect(200)).body;
  const pending = async () => (await world.database.query('SELECT FROM pending_totals')).length;
  const forget = () => world.database.query('DELETE FROM counted_accounts');
  const expectSameCounts = async () => {
    for (const query of QUERIES) {
      expect({ query, ...(await read('count', query)) }).toEqual({
        query,
        ...(await read('count', { ...BY_RECORDS, ...query })),
      });
    }
    const summary = await read('summary');
    const { total, groups } = await read('count', { ...BY_RECORDS, group_by: 'cause' });
    const causes = Object.entries(summary.causes).map(([key, count]) => ({ key, count }));
    expect({ total: summary.total, groups: causes.filter(({ count }) => count !== 0) }).toEqual({
      total,
      groups: expect.arrayContaining(groups),
    });
    expect(summary.domains).toEqual((await read('count', { ...BY_RECORDS, group_by: 'domain' })).groups);
  };

  it('are what a count of the records finds, before and after a background task updates them', async () => {
    await keepTotals();
    const file =
      'email,cause,created_at\na@one.example,bounce,2024-02-28T23:59:59Z\nb@one.example,unsubscribe,2024-02-29\n' +
      'c@two.example,complaint,2024-02-29\nd@two.example,bounce,2020-01-01\n';
    const { id } = await importFile(world, alice, file, { format: 'csv' });
    await expectSameCounts();
    await keepTotals();
    expect(await pending()).toBe(0);
    await expectSameCounts();
    await suppress(world, alice, ['a@one.example', 'e@three.example']);
    await world.as(alice).delete('/suppressions/c@two.example').expect(200);
    await world.as(alice).delete('/suppressions/a@one.example?cause=bounce').expect(200);
    await world
      .as(alice)
      .post('/events')
      .send([{ type: 'complaint', email: 'e@three.example' }])
      .expect(200);
    await expectSameCounts();
    await keepTotals();
    await world.as(alice).post(`/imports/${id}/revert`).expect(202);
    await until(async () => (await world.as(alice).get(`/imports/${id}`)).body.status === 'reverted');
    await expectSameCounts();
    expect((await read('count', { group_by: 'domain' })).groups).not.toHaveLength(0);
  });

  it('leave out what has expired, even before it is removed', async () => {
    await world
      .as(alice)
      .post('/suppressions')
      .send({ email: 'a@one.example', expires_at: LATER })
      .expect(201);
    await suppress(world, alice, ['b@one.example']);
    await keepTotals();
    await world.database.query(
      `UPDATE suppressions SET expires_at = now() - interval '1 second' WHERE expires_at IS NOT NULL`,
    );
    expect(await read('count', { group_by: 'domain' })).toMatchObject({ total: 1, groups: [{ count: 1 }] });
    expect(await read('count', { domain: 'one.example' })).toMatchObject({ total: 1 });
    await expectSameCounts();
    await world.app.get(ExpirySweep).run();
    await expectSameCounts();
  });

  it('answer without counting, and keep the order of the domains', async () => {
    await suppress(world, alice, ['a@one.example', 'b@one.example', 'a@two.example']);
    await keepTotals();
    await world.database.query(
      `UPDATE domain_totals SET count = 9 WHERE domain = 'two.example' AND count = 1`,
    );
    await suppress(world, alice, ['a@three.example', 'c@one.example']);
    expect((await read('count', { group_by: 'domain' })).groups).toEqual([
      { key: 'two.example', count: 9 },
      { key: 'one.example', count: 3 },
      { key: 'three.example', count: 1 },
    ]);
    await forget();
    await expectSameCounts();
    await keepTotals();
    await expectSameCounts();
  });

  it('include what instances write that know of no totals', async () => {
    await keepTotals();
    const [account] = await world.database.query<{ id: number }>('SELECT max(id) AS id FROM accounts');
    const write = (sql: string) => world.database.query(sql, [account!.id]);
    await write(`INSERT INTO suppressions (account_id, id, email, cause, created_at)
      SELECT $1, gen_random_uuid(), 'u' || number || '@d' || number % 7 || '.example', 'bounce',
        '2024-01-01'::timestamptz + number * interval '7 hours'
      FROM generate_series(1, 3000) AS number`);
    await expectSameCounts();
    await write(
      `UPDATE suppressions SET cause = 'complaint', weaker_causes = 1 WHERE account_id = $1 AND email < 'u2'`,
    );
    await write(
      `UPDATE suppressions SET created_at = created_at + interval '1 day' WHERE account_id = $1 AND email > 'u8'`,
    );
    await write(`DELETE FROM suppressions WHERE account_id = $1 AND email LIKE '%@d3.example'`);
    await expectSameCounts();
    await keepTotals();
    expect(await pending()).toBe(0);
    await expectSameCounts();
    await write('DELETE FROM suppressions WHERE account_id = $1');
    await keepTotals();
    expect(await read('count', { group_by: 'domain' })).toMatchObject({ total: 0, groups: [] });
    expect(
      await world.database.query('SELECT FROM domain_totals WHERE account_id = $1', [account!.id]),
    ).toEqual([]);
  });

  it('have the changes of each day, before and after a background task adds them', async () => {
    const [account] = await world.database.query<{ id: number }>('SELECT max(id) AS id FROM accounts');
    const changes = async () => {
      const context = { accountId: account!.id, deadline: performance.now() + 20_000 };
      const since = new Date(Date.now() - 5 * DAY_MS);
      return (await world.app.get(CountsService).changesByDay(context, since)).toSorted((a, b) =>
        JSON.stringify(a) < JSON.stringify(b) ? -1 : 1,
      );
    };
    const at = new Date(Date.now() - 2 * DAY_MS);
    let written = 0;
    const write = async (action: string, cause: string, count: number) => {
      await world.database.query(
        `INSERT INTO suppression_changes (account_id, id, created_at, action, cause, suppression_id, email, actor_type, actor_name)
        SELECT $1, overlay($2 PLACING lpad(to_hex(number), 12, '0') FROM 25)::uuid, $3, $4, $5, gen_random_uuid(), 'a@one.example',
          'system', 'test'
        FROM generate_series($6::integer, $6 + $7::integer - 1) AS number`,
        [account!.id, lowestIdAt(at.getTime()), at, action, cause, written, count],
      );
      written += count;
    };
    await write('added', 'bounce', 20_500);
    await write('removed', 'manual', 3);
    await write('expired', 'manual', 2);
    await write('cause_added', 'complaint', 4);
    const day = at.toISOString().slice(0, 10);
    const expected = [
      { day, cause: 'bounce', isRemoval: false, count: 20_500 },
      { day, cause: 'manual', isRemoval: true, count: 5 },
    ];
    expect(await changes()).toEqual(expected);
    await keepTotals();
    await keepTotals();
    const counted = await world.database.query('SELECT FROM change_totals WHERE account_id = $1', [
      account!.id,
    ]);
    expect(counted).toHaveLength(2);
    expect(await changes()).toEqual(expected);
    await suppress(world, alice, ['b@one.example']);
    const today = new Date().toISOString().slice(0, 10);
    const now = { day: today, cause: 'manual', isRemoval: false, count: 1 };
    expect(await changes()).toEqual(expect.arrayContaining([...expected, now]));
    await forget();
    expect(await changes()).toEqual(expect.arrayContaining([...expected, now]));
    await keepTotals();
    expect(await changes()).toEqual(expect.arrayContaining([...expected, now]));
    expect(await changes()).toHaveLength(3);
  });

  it('are updated although those of another account cannot be', async () => {
    const accountIds = async () =>
      (await world.database.query<{ id: number }>('SELECT id FROM accounts ORDER BY id DESC LIMIT 3'))
        .map(({ id }) => id)
        .toReversed();
    const keys = [alice, await createKey(world), await createKey(world)];
    await keepTotals();
    for (const key of keys) {
      await suppress(world, key, ['a@one.example']);
    }
    const [first, damaged, last] = await accountIds();
    await world.database.query('UPDATE pending_totals SET domains = ARRAY[NULL] WHERE account_id = $1', [
      damaged,
    ]);
    await keepTotals();
    const totals = await world.database.query(
      'SELECT account_id, count FROM domain_totals WHERE account_id = ANY ($1) ORDER BY account_id',
      [[first, damaged, last]],
    );
    expect(totals).toEqual([
      { account_id: first, count: '1' },
      { account_id: last, count: '1' },
    ]);
    await world.database.query('DELETE FROM pending_totals WHERE account_id = $1', [damaged]);
  });

  it('miss no change that is committed after a newer one, when the clock of an instance is ahead', async () => {
    const [account] = await world.database.query<{ id: number }>('SELECT max(id) AS id FROM accounts');
    const slow = world.app.get(DataSource).createQueryRunner();
    await slow.startTransaction();
    await slow.query(
      `INSERT INTO suppression_changes (account_id, action, cause, suppression_id, email, actor_type, actor_name)
      VALUES ($1, 'added', 'bounce', gen_random_uuid(), 'slow@one.example', 'system', 'test')`,
      [account!.id],
    );
    await suppress(world, alice, ['newer@one.example']);
    const { now } = Date;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 12_000);
    await keepTotals();
    clock.mockRestore();
    await slow.commitTransaction();
    await slow.release();
    const context = { accountId: account!.id, deadline: performance.now() + 20_000 };
    const changes = await world.app.get(CountsService).changesByDay(context, new Date(now() - 5 * DAY_MS));
    expect(changes.map(({ cause }) => cause).toSorted()).toEqual(['bounce', 'manual']);
  });

  it('are not read while too many changes are pending, and then counted again', async () => {
    await suppress(world, alice, ['a@one.example']);
    await keepTotals();
    const [account] = await world.database.query<{ id: number }>('SELECT max(id) AS id FROM accounts');
    const leavePending = (rows: number, records: number) =>
      world.database.query(
        `INSERT INTO pending_totals (account_id, domains, days, causes)
        SELECT $1, array_fill('two.example'::text, ARRAY[$3::integer]), array_fill('2024-02-29'::date, ARRAY[$3::integer]),
          array_fill(1::smallint, ARRAY[$3::integer])
        FROM generate_series(1, $2::integer)`,
        [account!.id, rows, records],
      );
    await leavePending(1, 1);
    expect(await read('count')).toMatchObject({ total: 2 });
    await leavePending(1, 1_000_000);
    expect(await read('count')).toMatchObject({ total: 1 });
    await leavePending(20_000, 1);
    await expectSameCounts();
    await keepTotals();
    expect(await pending()).toBe(0);
    await expectSameCounts();
    const [{ count } = { count: 0 }] = await world.database.query(
      'SELECT sum(count)::integer AS count FROM day_totals WHERE account_id = $1',
      [account!.id],
    );
    expect(count).toBe(1);
  });

  it('survive many writers, several instances, and statements that fail', async () => {
    const steps = cases(20, 100);
    const addresses = DOMAINS.flatMap((domain) =>
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@${domain}`),
    );
    const some = () => [...new Set([pick(addresses), pick(addresses), pick(addresses)])];
    const actions: (() => Promise<unknown>)[] = [
      () => world.as(alice).post('/suppressions/batch/add').send({ emails: some() }).expect(201),
      () => world.as(alice).post('/suppressions/batch/remove').send({ emails: some() }),
      () =>
        world
          .as(alice)
          .post('/suppressions')
          .send({ email: pick(addresses), expires_at: LATER }),
      () => world.as(alice).delete(`/suppressions/${pick(addresses)}?cause=${pick(['bounce', 'manual'])}`),
      () =>
        world
          .as(alice)
          .post('/events')
          .send(
            some().map((email) => ({
              type: pick(['bounce', 'complaint', 'unsubscribe']),
              email,
              status: '5.1.1',
            })),
          ),
      () =>
        world.app
          .get(DataSource)
          .transaction(async (transaction) => {
            await transaction.query('UPDATE suppressions SET cause = $1 WHERE email = $2', [
              'complaint',
              pick(addresses),
            ]);
            throw new Error('rolled back');
          })
          .catch(() => undefined),
      () => world.database.query(`UPDATE suppressions SET expires_at = now() WHERE expires_at IS NOT NULL`),
      () => world.app.get(ExpirySweep).run(),
      keepTotals,
      keepTotals,
    ];
    const writers = Array.from({ length: 5 }, async (_, writer) => {
      for (let step = 0; step < steps; step++) {
        await pick(actions)();
        if (writer === 0 && step === steps / 2) {
          await forget();
        }
      }
    });
    await Promise.all(writers);
    await world.app.get(ExpirySweep).run();
    await expectSameCounts();
    await keepTotals();
    await keepTotals();
    expect(await pending()).toBe(0);
    await expectSameCounts();
  });
});
