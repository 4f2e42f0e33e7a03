import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { runClient } from '../../src/cli/client/run.js';
import { FILTER_NAMES } from '../../src/suppressions/dto/list.dto.js';
import { runCommand } from '../support/command-line.js';
import { signIn } from '../support/console.js';
import { importFile } from '../support/imports.js';
import { createWorld, setCause, suppress, type World } from '../support/world.js';

const SOURCE = randomUUID();

interface Listed {
  id: string;
  email: string;
  origin: string;
  source_id: string | null;
  created_at: string;
}

describe('GET /suppressions', () => {
  let world: World;
  /** Everything on the list, newest first. */
  let all: Listed[];

  beforeAll(async () => {
    world = await createWorld();
    for (let batch = 0; batch < 3; batch++) {
      const emails = Array.from(
        { length: 15 },
        (_, index) => `p${batch}-${index}@${index % 3 ? 'a' : 'b'}.example`,
      );
      const ids = await suppress(world, world.alice, emails);
      await setCause(world, ids[0]!, 'complaint', null);
      await setCause(world, ids[1]!, 'bounce', SOURCE);
      await setCause(world, ids[2]!, 'unsubscribe', null);
      await world.database.query('UPDATE suppressions SET weaker_causes = 3 WHERE id = $1', [ids[2]]);
    }
    await suppress(world, world.charlie, ['other@a.example']);
    all = (await list({ limit: 100 })).data;
  });
  afterAll(() => world.close());

  async function list(query: Record<string, unknown>): Promise<{ has_more: boolean; data: Listed[] }> {
    const { body } = await world.as(world.alice).get('/suppressions').query(query).expect(200);
    return body;
  }

  it('returns the records newest first, twenty per page', async () => {
    const page = await list({});
    expect(page).toEqual({ object: 'list', has_more: true, data: all.slice(0, 20) });
    expect(Object.keys(page.data[0]!).toSorted()).toEqual([
      'created_at',
      'email',
      'id',
      'object',
      'origin',
      'source_id',
    ]);
    expect(all).toHaveLength(45);
    expect(all.filter(({ source_id }) => source_id === SOURCE).map(({ origin }) => origin)).toEqual(
      Array(3).fill('bounce'),
    );
    expect(all.filter(({ source_id }) => source_id === null)).toHaveLength(42);
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    expect(all[0]!.email).toBe('p2-14@a.example');
  });

  it('agrees with the sorted list for every page size, direction, and filter', async () => {
    const model = (filter: { origin?: string; domain?: string }) =>
      all.filter(
        ({ origin, email }) =>
          (!filter.origin || origin === filter.origin) &&
          (!filter.domain || email.endsWith(`@${filter.domain}`)),
      );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        fc.record(
          {
            origin: fc.constantFrom('manual', 'bounce', 'complaint'),
            domain: fc.constantFrom('a.example', 'B.example', 'none.example'),
          },
          { requiredKeys: [] },
        ),
        async (limit, forwards, filter) => {
          const read: Listed[] = [];
          let cursor: string | undefined = forwards ? undefined : '00000000-0000-0000-0000-000000000000';
          for (let more = true; more;) {
            const page = await list({
              limit,
              ...filter,
              ...(cursor && { [forwards ? 'after' : 'before']: cursor }),
            });
            if (forwards) {
              read.push(...page.data);
            } else {
              read.unshift(...page.data);
            }
            expect(page.data.length === limit || !page.has_more).toBe(true);
            cursor = page.data.at(forwards ? -1 : 0)?.id;
            more = page.has_more;
          }
          expect(read).toEqual(
            model({ ...filter, ...(filter.domain && { domain: filter.domain.toLowerCase() }) }),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  it('applies to each of several pages that are read together its own limit, cursor, and filter', async () => {
    const ofB = all.filter(({ email }) => email.endsWith('@b.example'));
    const indexes = Array.from({ length: 40 }, (_, index) => index);
    const [behind, filtered] = await Promise.all([
      Promise.all(indexes.map((index) => list({ limit: index + 1, after: all[index]!.id }))),
      Promise.all(
        indexes.map((index) => list({ limit: index + 1, domain: index % 2 ? 'b.example' : 'none.example' })),
      ),
    ]);
    expect(behind.map(({ data }) => data)).toEqual(
      indexes.map((index) => all.slice(index + 1, 2 * index + 2)),
    );
    expect(behind.map(({ has_more }) => has_more)).toEqual(
      indexes.map((index) => 2 * index + 2 < all.length),
    );
    expect(filtered.map(({ data }) => data)).toEqual(
      indexes.map((index) => (index % 2 ? ofB.slice(0, index + 1) : [])),
    );
  });

  it('returns an unsubscribe as manual', async () => {
    const { data } = await list({ origin: 'manual', limit: 100 });
    expect(data).toHaveLength(39);
    expect(data.every(({ origin }) => origin === 'manual')).toBe(true);
  });

  it('filters by any cause of a record, and also by its origin and domain', async () => {
    const emails = async (query: Record<string, string>) =>
      (await list({ ...query, limit: 100 })).data.map(({ email }) => email);
    expect(await emails({ cause: 'unsubscribe' })).toEqual([
      'p2-2@a.example',
      'p1-2@a.example',
      'p0-2@a.example',
    ]);
    expect(await emails({ cause: 'bounce' })).toEqual(
      [2, 1, 0].flatMap((batch) => [`p${batch}-2@a.example`, `p${batch}-1@a.example`]),
    );
    expect(await emails({ cause: 'bounce', origin: 'manual', domain: 'a.example' })).toEqual(
      await emails({ cause: 'unsubscribe' }),
    );
    expect(await emails({ cause: 'complaint', domain: 'a.example' })).toEqual([]);
    expect(await emails({ cause: 'complaint', domain: 'b.example' })).toHaveLength(3);
    expect(await emails({ cause: 'complaint', origin: 'bounce' })).toEqual([]);
  });

  it('filters by the time of creation, to the millisecond, without both ends', async () => {
    const [newest, middle] = [all[0]!, all[20]!];
    const older = await list({ created_before: middle.created_at, limit: 100 });
    expect(older.data).toEqual(all.filter(({ created_at }) => created_at < middle.created_at));
    const younger = await list({ created_after: middle.created_at, limit: 100 });
    expect(younger.data).toEqual(all.filter(({ created_at }) => created_at > middle.created_at));
    const justAfter = newest.created_at.replace('Z', '001Z');
    expect((await list({ created_before: justAfter, limit: 1 })).data).toEqual([newest]);
    expect((await list({ created_after: justAfter })).data).toEqual([]);
    const elsewhere = new Date(Date.parse(middle.created_at) + 3_600_000)
      .toISOString()
      .replace('Z', '+01:00');
    expect((await list({ created_after: elsewhere, limit: 100 })).data).toEqual(younger.data);
    expect(
      (await list({ created_after: '1970-01-01', created_before: '2100-01-01', limit: 100 })).data,
    ).toEqual(all);
    expect((await list({ created_before: '1970-01-01' })).data).toEqual([]);
  });

  it('returns every record that remains exactly once while others are added and removed', async () => {
    const staying = new Set(all.map(({ id }) => id));
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let more = true; more;) {
      const page = await list({ limit: 7, ...(cursor && { after: cursor }) });
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.data.at(-1)!.id;
      more = page.has_more;
      const [passing] = await suppress(world, world.alice, [`passing-${seen.length}@c.example`]);
      await world.as(world.alice).delete(`/suppressions/${passing}`).expect(200);
    }
    expect(seen.filter((id) => staying.has(id))).toEqual(all.map(({ id }) => id));
  });

  it('continues after a record that was removed meanwhile', async () => {
    const [first, second, third] = await suppress(world, world.alice, [
      'x@d.example',
      'y@d.example',
      'z@d.example',
    ]);
    await world.as(world.alice).delete(`/suppressions/${second}`).expect(200);
    const { data } = await list({ after: second, limit: 1 });
    expect(data[0]!.id).toBe(first);
    await world
      .as(world.alice)
      .post('/suppressions/batch/remove')
      .send({ ids: [first, third] })
      .expect(200);
  });

  it('returns addresses with rare characters unchanged', async () => {
    const emails = ['"a \\"b\\" \\\\ c"@d.example', `o'{brien}null|x@d.example`, 'größe.名@d.example'];
    await suppress(world, world.charlie, emails);
    const { body } = await world.as(world.charlie).get('/suppressions?domain=d.example').expect(200);
    expect(body.data.map(({ email }: Listed) => email).toSorted()).toEqual(emails.toSorted());
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=%2B5', 'limit'],
    ['limit=%205', 'limit'],
    ['after=nobody@example.com', 'after'],
    [`after=01890000-0000-7000-8000-000000000000&before=01890000-0000-7000-8000-000000000000`, 'before'],
    ['origin=unsubscribe', 'origin'],
    ['cause=spam', 'cause'],
    ['created_after=yesterday', 'created_after'],
    ['created_after=2026-01-15T09:30:00', 'created_after'],
    ['created_before=2026-13-45', 'created_before'],
    ['created_before=2026-02-30', 'created_before'],
    ['created_after=1969-12-31', 'created_after'],
    ['created_after=2026-01-16&created_before=2026-01-15', 'created_before'],
    ['created_after=2026-01-15&created_before=2026-01-15', 'created_before'],
    ['domain=a@b.example', 'domain'],
    ['domain=', 'domain'],
  ])('refuses ?%s', async (query, path) => {
    const { body } = await world.as(world.alice).get(`/suppressions?${query}`).expect(400);
    expect(body.errors.map((error: { path: string }) => error.path)).toEqual([path]);
  });

  it('refuses a parameter that is repeated', async () => {
    const { body } = await world.as(world.alice).get('/suppressions?limit=1&limit=2').expect(400);
    expect(body.message).toBe('limit must be given only once.');
  });
});

const FILE =
  'email,cause,created_at\n' +
  'ada@one.example,bounce,2024-01-01\n' +
  'bob@one.example,unsubscribe,2024-02-01\n' +
  'cleo@two.example,complaint,2024-03-01\n';

/** A condition that some of the addresses meet and others do not. */
const CONDITIONS: Record<(typeof FILTER_NAMES)[number], [value: string, matching: string[]]> = {
  origin: ['manual', ['bob@one.example']],
  cause: ['bounce', ['ada@one.example']],
  domain: ['one.example', ['ada@one.example', 'bob@one.example']],
  created_after: ['2024-01-15', ['bob@one.example', 'cleo@two.example']],
  created_before: ['2024-02-15', ['ada@one.example', 'bob@one.example']],
};

describe('each condition of the filter', () => {
  let world: World;
  let admin: Awaited<ReturnType<typeof signIn>>;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'filter-'));
    admin = await signIn(world, 'admin');
    await importFile(world, world.alice, FILE);
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const read = async (path: string, query: object) =>
    (await world.as(world.alice).get(path).query(query).buffer(true).expect(200)).text;
  const readPage = async (path: string, query: object) =>
    (await admin.get(path).query(query).buffer(true).expect(200)).text;
  const command = async (name: string, condition: string, value: string) => {
    const settings = { SUPPRESSIONS_URL: world.url, SUPPRESSIONS_API_KEY: world.alice };
    const args = [name, `--${condition.replaceAll('_', '-')}`, value];
    return (await runCommand(args, settings, folder, '', { program: runClient })).stdout;
  };
  const addressesIn = (text: string) => [...new Set(text.match(/\w+@(?:one|two)\.example/g))].sort();

  it.each(FILTER_NAMES)('%s has the same meaning wherever suppressions are filtered', async (name) => {
    const [value, matching] = CONDITIONS[name];
    const query = { [name]: value };
    expect({
      list: addressesIn(await read('/suppressions', query)),
      export: addressesIn(await read('/exports', query)),
      count: JSON.parse(await read('/suppressions/count', query)).total,
      'count by domain': JSON.parse(await read('/suppressions/count', { ...query, group_by: 'domain' }))
        .total,
      'suppressions list': addressesIn(await command('list', name, value)),
      'suppressions export': addressesIn(await command('export', name, value)),
      'list in the console': addressesIn(await readPage('/console/list', query)),
      'export in the console': addressesIn(await readPage('/console/list/export', query)),
    }).toEqual({
      list: matching,
      export: matching,
      count: matching.length,
      'count by domain': matching.length,
      'suppressions list': matching,
      'suppressions export': matching,
      'list in the console': matching,
      'export in the console': matching,
    });
    expect(await readPage('/console/list', query)).toContain(`name="${name}"`);
  });
});
