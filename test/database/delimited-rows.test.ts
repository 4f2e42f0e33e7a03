import {
  delimitRows,
  delimitText,
  delimitValues,
  undelimitRows,
  undelimitText,
} from '../../src/database/delimited-rows.js';

const COLUMNS = ['id', 'email'];
const undelimit = (delimited: string | null) =>
  undelimitRows([{ delimited }], COLUMNS, (values, first) => values.slice(first, first + 2));

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
  ])('are refused if a value is missing or contains a separator: %j', (delimited) => {
    expect(() => undelimit(delimited)).toThrow('The rows of id, email cannot be told apart.');
  });
});
