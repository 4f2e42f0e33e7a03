import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/database/data-source.js';
import { ReadReplica } from '../../src/database/read-replica.js';
import { maskOf, originOf, type Cause } from '../../src/ledger/cause.js';
import { createdAtOf } from '../../src/suppressions/suppression-id.js';
import { SuppressionPages, type ListFilter } from '../../src/suppressions/suppression-pages.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { SCHEMA } from '../../src/schema.js';
import { lowestIdAt } from '../../src/validation/parsers.js';

const ACCOUNT = 1;
const OTHER_ACCOUNT = 2;
const EMPTY_ACCOUNT = 3;
const BROKEN_ACCOUNT = 4;
const GROWING_ACCOUNT = 5;
const CROWDED_ACCOUNT = 6;
const RECORDS = 250;
const SOURCE = randomUUID();
/** The causes of records, the strongest first. */
const CAUSES: [Cause, ...Cause[]][] = [
  ['bounce'],
  ['manual'],
  ['unsubscribe'],
  ['complaint'],
  ['manual', 'bounce'],
  ['complaint', 'unsubscribe', 'bounce'],
  ['unsubscribe', 'manual', 'bounce'],
];
const FIRST_MS = Date.UTC(2026, 0, 1);

/** The first or the second id of a millisecond. */
const idAt = (ms: number, digit: number) => lowestIdAt(ms).replace('-0000-', `-700${digit}-`);

/** Two records in each millisecond, newest first. */
const ALL = Array.from({ length: RECORDS }, (_, index) => {
  const [cause, ...weakerCauses] = CAUSES[index % CAUSES.length]!;
  const createdAt = FIRST_MS + Math.floor(index / 2);
  return {
    id: idAt(createdAt, index % 2),
    email: `${index}@${index % 3 ? 'often' : 'seldom'}.example`,
    cause,
    weakerCauses,
    emailId: cause === 'manual' ? null : SOURCE,
    createdAt,
  };
}).toReversed();

/** Every combination of the parts of a filter that may stand together. */
const SHAPES = (['after', 'before', 'cause', 'origin', 'domain', 'createdFrom', 'createdBefore'] as const)
  .reduce<(keyof ListFilter)[][]>(
    (shapes, part) => [...shapes, ...shapes.map((shape) => [...shape, part])],
    [[]],
  )
  .filter((shape) => !(shape.includes('after') && shape.includes('before')));

describe('SuppressionPages', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pages: SuppressionPages;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.query(
      `INSERT INTO accounts (name) VALUES ('acme'), ('globex'), ('initech'), ('hooli'), ('piedpiper'), ('dunder')`,
    );
    await insert(ACCOUNT, ALL);
    await insert(OTHER_ACCOUNT, ALL.slice(0, 1));
    await insert(
      GROWING_ACCOUNT,
      ALL.map((record) => ({ ...record, cause: 'manual', weakerCauses: [], emailId: null })),
    );
    await database.query('ANALYZE suppressions');
  });
  afterAll(() => database.drop());

  /** One connection, which has not seen a statement yet. */
  beforeEach(async () => {
    dataSource = createDataSource(database.url, 1, SCHEMA);
    await dataSource.initialize();
    pages = new SuppressionPages(new ReadReplica(dataSource));
  });
  afterEach(() => dataSource.destroy());

  const insert = (accountId: number, records: typeof ALL) =>
    database.query(
      `INSERT INTO suppressions (account_id, id, email, cause, weaker_causes, email_id, created_at)
      SELECT $1, id, email, cause, weaker_causes, email_id, created_at
      FROM unnest($2::uuid[], $3::text[], $4::suppression_cause[], $5::int[], $6::uuid[], $7::timestamptz[])
        AS record (id, email, cause, weaker_causes, email_id, created_at)`,
      [
        accountId,
        records.map(({ id }) => id),
        records.map(({ email }) => email),
        records.map(({ cause }) => cause),
        records.map(({ weakerCauses }) => maskOf(weakerCauses)),
        records.map(({ emailId }) => emailId),
        records.map(({ id }) => createdAtOf(id)),
      ],
    );

  /** How often the connection ran statements of the list, and how often with a plan that it kept. */
  const statements = async () => {
    const [row] = await dataSource.query<{ all: number; planned: number }[]>(
      `SELECT coalesce(sum(custom_plans + generic_plans), 0)::int AS all, coalesce(sum(generic_plans), 0)::int AS planned
       FROM pg_prepared_statements WHERE name LIKE 'list%'`,
    );
    return row!;
  };

  /** How many entries of indexes the connection has read. */
  const entriesRead = async () => {
    await dataSource.query('SELECT pg_stat_force_next_flush()');
    const [row] = await dataSource.query<{ entries: number }[]>(
      `SELECT sum(idx_tup_read)::int AS entries FROM pg_stat_user_indexes WHERE relname = 'suppressions'`,
    );
    return row!.entries;
  };

  const ids = async (accountId: number, limit: number, filter: ListFilter) => {
    const { elements, hasMore } = await pages.read(accountId, limit, filter);
    return { ids: elements.map(({ id }) => id), hasMore };
  };

  it('returns each page that one statement reads, whatever the parts of their filters', async () => {
    const id = (index: number) => ALL[index]!.id;
    /** Values of each part for three pages; a part may also be absent. */
    const values: { [Part in keyof ListFilter]: ListFilter[Part][] } = {
      after: [id(10), id(60), id(120)],
      before: [id(140), id(200), id(20)],
      cause: ['bounce', 'unsubscribe', 'unsubscribe'],
      origin: ['manual', 'bounce', 'complaint'],
      domain: ['often.example', 'seldom.example', 'none.example'],
      createdFrom: [FIRST_MS + 20, FIRST_MS + 70, FIRST_MS],
      createdBefore: [FIRST_MS + 100, FIRST_MS + 124, FIRST_MS + 60],
    };
    const reads = SHAPES.map((shape) =>
      [100, 1, 7].map((limit, page) => ({
        limit,
        filter: Object.fromEntries(shape.map((part) => [part, values[part]![page]])) as ListFilter,
      })),
    );
    expect(reads).toHaveLength(96);
    const filled = new Set<number>();
    for (const [number, together] of reads.entries()) {
      const read = await Promise.all(together.map(({ limit, filter }) => ids(ACCOUNT, limit, filter)));
      expect(read).toEqual(together.map(({ limit, filter }) => expected(limit, filter)));
      expect((await statements()).all).toBe(number + 1);
      read.filter((page) => page.ids.length > 0).forEach(() => filled.add(number));
    }
    expect(filled.size).toBe(96);
  });

  it('returns a page of the highest limit, and whether it is the last', async () => {
    const lengths = async (limit: number, filter: ListFilter) => {
      const page = await ids(ACCOUNT, limit, filter);
      return [page.ids.length, page.hasMore];
    };
    expect(await lengths(100, {})).toEqual([100, true]);
    expect(await lengths(100, { after: ALL[148]!.id })).toEqual([100, true]);
    expect(await lengths(100, { after: ALL[149]!.id })).toEqual([100, false]);
    expect(await lengths(100, { before: ALL[101]!.id })).toEqual([100, true]);
    expect(await lengths(100, { before: ALL[100]!.id })).toEqual([100, false]);
    expect(await lengths(100, { domain: 'often.example' })).toEqual([100, true]);
    expect(await lengths(100, { origin: 'manual' })).toEqual([100, true]);
  });

  it('returns every column', async () => {
    const { elements } = await pages.read(ACCOUNT, 4, {});
    expect(elements).toEqual(
      ALL.slice(0, 4).map(({ createdAt: _createdAt, weakerCauses: _weakerCauses, ...found }) => found),
    );
  });

  it('keeps the pages of two accounts apart', async () => {
    const accounts = [ACCOUNT, OTHER_ACCOUNT, EMPTY_ACCOUNT, ACCOUNT];
    const read = await Promise.all(accounts.map((accountId) => ids(accountId, 2, {})));
    const own = { ids: [ALL[0]!.id, ALL[1]!.id], hasMore: true };
    expect(read).toEqual([own, { ids: [ALL[0]!.id], hasMore: false }, { ids: [], hasMore: false }, own]);
    expect((await statements()).all).toBe(3);
  });

  it('reads at most four pages per statement', async () => {
    await Promise.all([1, 2, 3, 4, 5].map((limit) => pages.read(ACCOUNT, limit, {})));
    expect((await statements()).all).toBe(2);
  });

  it('fails alone if the rows cannot be told apart', async () => {
    const [newest, broken, oldest] = [ALL[0]!, { ...ALL[1]!, email: 'tab\t@often.example' }, ALL[2]!];
    await insert(BROKEN_ACCOUNT, [newest, broken, oldest]);
    const behind = [newest, broken, oldest].map(({ id }) => ids(BROKEN_ACCOUNT, 1, { after: id }));
    expect(await Promise.allSettled(behind)).toMatchObject([
      { reason: { message: expect.stringContaining('cannot be told apart') } },
      { value: { ids: [oldest.id], hasMore: false } },
      { value: { ids: [], hasMore: false } },
    ]);
  });

  it('has plans that PostgreSQL caches', async () => {
    for (const domain of ['often.example', undefined]) {
      const before = (await statements()).planned;
      for (let turn = 0; turn < 10; turn++) {
        await Promise.all(
          [10, 100, 3].slice(turn % 3).map((limit) => pages.read(ACCOUNT, limit, { domain })),
        );
      }
      expect((await statements()).planned).toBeGreaterThan(before);
    }
  });

  it('reads little more than it returns, even with a plan from when the table was small', async () => {
    const wide = (filter: ListFilter): ListFilter => ({
      after: lowestIdAt(FIRST_MS + 1_000_000),
      before: lowestIdAt(0),
      createdFrom: 0,
      createdBefore: FIRST_MS + 1_000_000,
      ...filter,
    });
    const filters = [
      wide({ origin: 'complaint', domain: 'seldom.example' }),
      wide({ origin: 'manual', domain: 'common.example' }),
      wide({ cause: 'unsubscribe', domain: 'common.example' }),
      wide({ cause: 'bounce', domain: 'common.example' }),
    ].flatMap((values) =>
      SHAPES.filter((shape) => shape.every((part) => part in values)).map((shape) =>
        Object.fromEntries(shape.map((part) => [part, values[part]])),
      ),
    );
    await database.query('ALTER TABLE suppressions SET (autovacuum_enabled = off)');
    for (const filter of filters) {
      for (let turn = 0; turn < 8; turn++) {
        await pages.read(GROWING_ACCOUNT, 10, filter);
      }
    }
    await insert(
      GROWING_ACCOUNT,
      Array.from({ length: 20_000 }, (_, index) => ({
        id: idAt(FIRST_MS + 1_000 + index, 0),
        email: `${index}@common.example`,
        cause: 'manual',
        weakerCauses: index % 2 ? [] : ['bounce'],
        emailId: null,
        createdAt: FIRST_MS + 1_000 + index,
      })),
    );
    for (const filter of filters) {
      const before = await entriesRead();
      await pages.read(GROWING_ACCOUNT, 10, filter);
      const entries = (await entriesRead()) - before;
      expect(entries < 1_000 || { entries, filter }).toBe(true);
    }
  });

  it('reads little more than it returns of thousands that were created in the same millisecond', async () => {
    const ms = FIRST_MS + 5_000;
    const id = (counter: number) =>
      lowestIdAt(ms).replace('-0000-', `-7${counter.toString(16).padStart(3, '0')}-`);
    const records = Array.from({ length: 4_096 }, (_, counter) => ({
      id: id(counter),
      email: `${counter}@same.example`,
      cause: 'manual' as const,
      weakerCauses: [],
      emailId: null,
      createdAt: ms,
    }));
    await insert(CROWDED_ACCOUNT, records);
    const newestFirst = records.map(({ id: own }) => own).toReversed();
    for (const filter of [{}, { cause: 'manual' as const }, { domain: 'same.example' }]) {
      const before = await entriesRead();
      const first = await ids(CROWDED_ACCOUNT, 100, filter);
      const second = await ids(CROWDED_ACCOUNT, 100, { ...filter, after: first.ids.at(-1) });
      expect([...first.ids, ...second.ids]).toEqual(newestFirst.slice(0, 200));
      expect(await ids(CROWDED_ACCOUNT, 100, { ...filter, before: second.ids[0] })).toEqual({
        ...first,
        hasMore: false,
      });
      expect((await entriesRead()) - before).toBeLessThan(1_000);
    }
  });
});

function expected(limit: number, filter: ListFilter): { ids: string[]; hasMore: boolean } {
  const { after, before, cause, origin, domain, createdFrom = 0, createdBefore = Infinity } = filter;
  const matching = ALL.filter(
    (record) =>
      (!after || record.id < after) &&
      (!before || record.id > before) &&
      (!cause || [record.cause, ...record.weakerCauses].includes(cause)) &&
      (!origin || originOf(record.cause) === origin) &&
      (!domain || record.email.endsWith(`@${domain}`)) &&
      record.createdAt >= createdFrom &&
      record.createdAt < createdBefore,
  ).map(({ id }) => id);
  return {
    ids: before ? matching.slice(-limit) : matching.slice(0, limit),
    hasMore: matching.length > limit,
  };
}
