import { CountsRepository } from '../../src/counts/counts.repository.js';
import { DeadlineExceededError } from '../../src/database/errors.js';
import { importFile } from '../support/imports.js';
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
