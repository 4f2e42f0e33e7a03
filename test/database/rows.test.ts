import {
  delimited,
  delimitRows,
  delimitText,
  delimitValues,
  RowSet,
  undelimitRows,
  undelimitText,
} from '../../src/database/rows.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const email = (address: string) => address as EmailAddress;

const EVENTS = new RowSet(2, {
  recipient: 'text',
  rawStatus: 'text',
  at: 'timestamptz',
  count: 'integer',
  isLast: 'boolean',
});
const ROW = { recipient: 'ada@example.com', rawStatus: null, at: new Date(0), count: 1, isLast: false };

describe('a row set', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());

  const select = (set: typeof EVENTS, rows: Parameters<typeof EVENTS.values>[0]) =>
    database.query(`SELECT $1::text AS before, event.* FROM ${set.as('event')} ORDER BY recipient`, [
      'other',
      ...set.values(rows),
    ]);

  it('gives the rows back by the names of their columns, in snake case', async () => {
    const rows = [
      { ...ROW, recipient: 'b@example.com', rawStatus: '5.1.1 "quoted", {and} \\ more', unused: 1 },
      {
        ...ROW,
        recipient: 'a@example.com',
        at: new Date('2026-01-15T09:30:00.123Z'),
        count: 2,
        isLast: true,
      },
    ];
    expect(await select(EVENTS, rows)).toEqual([
      {
        before: 'other',
        recipient: 'a@example.com',
        raw_status: null,
        at: rows[1]!.at,
        count: 2,
        is_last: true,
      },
      {
        before: 'other',
        recipient: 'b@example.com',
        raw_status: rows[0]!.rawStatus,
        at: new Date(0),
        count: 1,
        is_last: false,
      },
    ]);
  });

  it('has nulls where all values of a column are null, and no rows if there are none', async () => {
    const rows = [1, 2].map((count) => ({ ...ROW, count, at: null }));
    expect(EVENTS.values(rows)[1]).toBeNull();
    expect(await select(EVENTS, rows)).toMatchObject(
      rows.map(({ count }) => ({ count, raw_status: null, at: null })),
    );
    expect(await select(EVENTS, [])).toEqual([]);
  });

  it('has the numbers of the rows, and hides how many there are, if asked', async () => {
    const set = new RowSet(1, { id: 'integer', name: 'text' });
    const values = set.values([7, 5].map((id) => ({ id, name: `n${id}` })));
    const table = set.as('numbered', { isNumbered: true, hidesLength: true });
    expect(await database.query(`SELECT id, number FROM ${table} ORDER BY id`, values)).toEqual([
      { id: 5, number: '2' },
      { id: 7, number: '1' },
    ]);
    expect(table).toContain('(SELECT $1::integer[])');
  });

  it('sends delimited columns as one text', async () => {
    const set = new RowSet(1, { email: delimited('text'), at: delimited('timestamptz'), note: 'text' });
    const rows = ['b@example.com', 'B@example.com'].map((address, index) => ({
      email: email(address),
      at: new Date(index),
      note: index === 0 ? null : 'a\ttab',
    }));
    expect(set.values(rows).slice(0, 2)).toEqual([
      'b@example.com\tB@example.com',
      '1970-01-01T00:00:00.000Z\t1970-01-01T00:00:00.001Z',
    ]);
    expect(await database.query(`SELECT * FROM ${set.as('row')} ORDER BY email`, set.values(rows))).toEqual(
      rows.toReversed(),
    );
  });

  it('follows another one in the same statement', async () => {
    const first = new RowSet(1, { a: 'integer', b: 'integer' });
    const second = new RowSet(first.next, { c: 'integer' });
    const values = [...first.values([{ a: 1, b: 2 }]), ...second.values([{ c: 3 }])];
    const sql = `SELECT ${first.names}, ${second.names} FROM ${first.as('one')}, ${second.as('two')}`;
    expect(await database.query(sql, values)).toEqual([{ a: 1, b: 2, c: 3 }]);
  });

  it('does not compile without a column, with a misspelled one, or with a value of another type', () => {
    const { at: _, ...withoutTime } = ROW;
    // @ts-expect-error the column `at` is missing
    expect(() => EVENTS.values([withoutTime])).not.toThrow();
    // @ts-expect-error the column `at` is misspelt
    expect(() => EVENTS.values([{ ...withoutTime, att: null }])).not.toThrow();
    // @ts-expect-error a status is a text
    expect(() => EVENTS.values([{ ...ROW, rawStatus: new Date() }])).not.toThrow();
    // @ts-expect-error only addresses are known to have no tab
    expect(() => new RowSet(1, { note: delimited('text') }).values([{ note: 'free text' }])).not.toThrow();
  });
});

const COLUMNS = ['id', 'email'];
const undelimit = (text: string | null) =>
  undelimitRows([{ delimited: text }], COLUMNS, (values, first) => values.slice(first, first + 2));

describe('delimited rows', () => {
  it('take values that cannot contain a separator, and no free text', () => {
    const words: ('bounce' | 'manual')[] = ['bounce', 'manual'];
    const texts: string[] = ['free text'];
    expect(delimitValues(words)).toBe('bounce\tmanual');
    expect(delimitValues([new Date(0), new Date(1)])).toBe(
      '1970-01-01T00:00:00.000Z\t1970-01-01T00:00:00.001Z',
    );
    // @ts-expect-error a text may contain tabs
    expect(delimitValues(texts)).toBe('free text');
  });

  it('are split into rows', () => {
    expect(delimitRows(COLUMNS)).toBe(
      String.raw`string_agg(concat_ws(E'\t', id, email), E'\t\n\t') AS delimited`,
    );
    expect(undelimit('1\ta@example.com\t\n\t2\tb@example.com')).toEqual([
      ['1', 'a@example.com'],
      ['2', 'b@example.com'],
    ]);
    expect(undelimit(null)).toEqual([]);
  });

  it('take free text with its tabs and backslashes escaped', () => {
    expect(delimitText('note')).toBe(String.raw`replace(replace(note, '\', '\\'), E'\t', '\t')`);
    expect(['', 'plain é\n"', String.raw`a\tb\\t\\\t`].map(undelimitText)).toEqual([
      '',
      'plain é\n"',
      'a\tb\\t\\\t',
    ]);
  });

  it.each([
    '1\ta\tb@example.com',
    '1\ta\tb@example.com\t\n\t2\tc\td@example.com',
    '1\ta@example.com\t\n\t2\tc\td@example.com',
    '1',
    '1\t\n\t2\tb@example.com',
    '1\ta@example.com\t\n\t2',
  ])('are refused if a value is missing or contains a separator: %j', (text) => {
    expect(() => undelimit(text)).toThrow('The rows of id, email cannot be told apart.');
  });
});
