import { delimitRows, undelimitRows } from '../../src/database/delimited-rows.js';

const COLUMNS = ['id', 'email'];
const unpack = (packed: string | null) =>
  undelimitRows([{ packed }], COLUMNS, (values, first) => values.slice(first, first + 2));

describe('rows as one text', () => {
  it('are taken apart again', () => {
    expect(delimitRows(COLUMNS)).toBe(
      String.raw`string_agg(concat_ws(E'\t', id, email, E'\n'), E'\t') AS packed`,
    );
    expect(unpack('1\ta@example.com\t\n\t2\tb@example.com\t\n')).toEqual([
      ['1', 'a@example.com'],
      ['2', 'b@example.com'],
    ]);
    expect(unpack(null)).toEqual([]);
  });

  it.each([
    '1\ta\tb@example.com\t\n',
    '1\ta\tb@example.com\t\n\t2\tc\td@example.com\t\n',
    '1\t\n',
    '1\ta@example.com',
  ])('are refused where a value is missing or has what stands between values: %j', (packed) => {
    expect(() => unpack(packed)).toThrow('The rows of id, email cannot be told apart.');
  });
});
