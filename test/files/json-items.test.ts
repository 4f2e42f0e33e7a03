import fc from 'fast-check';
import { JsonItems, type JsonItem, type JsonShape } from '../../src/files/json-items.js';

function itemsOf(text: string, shape: JsonShape, pieceLength = text.length || 1): JsonItem[] {
  const items = new JsonItems(shape);
  const found: JsonItem[] = [];
  for (let start = 0; start < text.length; start += pieceLength) {
    found.push(...items.read(text.slice(start, start + pieceLength)));
  }
  return [...found, ...items.end()];
}

describe('JsonItems', () => {
  it('reads the lines of NDJSON, with their numbers', () => {
    expect(itemsOf('{"a":1}\n\n{"a":"}\\""}', 'lines')).toEqual([
      { line: 1, value: { a: 1 } },
      { line: 3, value: { a: '}"' } },
    ]);
  });

  it('reads the elements of an array', () => {
    expect(itemsOf('[\n "a", 1,\n null,{"b":[1]}]', 'array')).toEqual([
      { line: 2, value: 'a' },
      { line: 2, value: 1 },
      { line: 3, value: null },
      { line: 3, value: { b: [1] } },
    ]);
  });

  it('reads the list of an object and nothing else', () => {
    const text = '{"total":2,"links":[{"href":"x"}],"items":[{"a":1},{"a":2}],"paging":{"items":[3]}}';
    expect(itemsOf(text, { list: 'items' }).map(({ value }) => value)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('reads several documents in one file, as pages that were appended', () => {
    const text = '{"items":[1]}\n{"items":[2]}';
    expect(itemsOf(text, { list: 'items' }).map(({ value }) => value)).toEqual([1, 2]);
  });

  it('reads the same in pieces of any size', () => {
    const pieceLength = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(fc.array(fc.json({ maxDepth: 3 }), { maxLength: 4 }), pieceLength, (values, length) => {
        const items = values.map((value) => JSON.parse(value));
        const array = JSON.stringify(items, null, 1);
        const wrapped = `{"n": -1.5e3, "list": ${array}, "next": "a\\"b"}`;
        expect(itemsOf(array, 'array', length).map(({ value }) => value)).toEqual(items);
        expect(itemsOf(wrapped, { list: 'list' }, length).map(({ value }) => value)).toEqual(items);
      }),
    );
  });

  it('refuses a file with too many items, and names the line', () => {
    const items = new JsonItems('array', 2);
    expect(items.read('[1,\n2,\n3]')).toHaveLength(2);
    expect(() => items.end()).toThrow(expect.objectContaining({ problem: 'too_many_rows', line: 3 }));
  });

  it.each([
    ['ends in the middle', '[{"a":1},\n{"a":', 'array', 'truncated', 2],
    ['ends inside a string', '[{"a":1},\n{"a":"', 'array', 'truncated', 2],
    ['ends after half of a line', '{"a":1}\n{"a":\n', 'lines', 'truncated', 2],
    ['has half of a line', '{"a":1}\n{"a":\n{"a":2}\n', 'lines', 'truncated', 2],
    ['is no JSON', '[{"a":1},\n{a}]', 'array', 'malformed_json', 2],
    ['has a text that is not closed', '{"a":1}\n{"a":"x}\n{"a":"y"}\n', 'lines', 'malformed_json', 2],
    ['has such a text in an item of several lines', '[{"a":1,\n"b":"x}]\n', 'array', 'malformed_json', 2],
    ['closes what it never opened', '{"a":1}\n]', 'lines', 'malformed_json', 2],
    ['is nested too deep', `\n${'['.repeat(40)}`, 'lines', 'malformed_json', 2],
    ['has an item longer than 1 MiB', `\n"${'x'.repeat(1_100_000)}"`, 'lines', 'malformed_json', 2],
  ] as const)('names the line where a file %s', (_mistake, text, shape, problem, line) => {
    expect(() => itemsOf(text, shape, 65_536)).toThrow(expect.objectContaining({ problem, line }));
  });
});
