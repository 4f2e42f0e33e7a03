import { packRows, unpackRows } from '../../src/database/packed.js';

const COLUMNS = ['id', 'email'];
const unpack = (packed: string | null) =>
  unpackRows([{ packed }], COLUMNS, (values, first) => values.slice(first, first + 2));

describe('rows as one text', () => {
  it('are taken apart again', () => {
    expect(packRows(COLUMNS)).toBe(String.raw`string_agg(concat_ws(E'\t', id, email), E'\t') AS packed`);
    expect(unpack('1\ta@example.com\t2\tb@example.com')).toEqual([
      ['1', 'a@example.com'],
      ['2', 'b@example.com'],
    ]);
    expect(unpack(null)).toEqual([]);
  });

  it('are refused where a value is missing or has what stands between values', () => {
    expect(() => unpack('1\ta\tb@example.com')).toThrow('The rows of id, email cannot be told apart.');
  });
});
