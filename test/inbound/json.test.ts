import {
  MalformedBodyError,
  elementsAt,
  parseJson,
  stringAt,
  stringsAt,
  textAt,
  valueAt,
} from '../../src/inbound/parsing/json.js';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const parse = (text: string) => parseJson(Buffer.from(text));

describe('untrusted JSON', () => {
  it('is read', () => {
    expect(parse('{"a":[1,"]]]]","\\"[["]}')).toEqual({ a: [1, ']]]]', '"[['] });
  });

  it.each(['', '{', '{"a":}', '[1,]', 'undefined', "{'a':1}", '"\\"', '{"a":"\n"}'])(
    'is malformed as %j',
    (text) => {
      expect(() => parse(text)).toThrow(MalformedBodyError);
    },
  );

  it('is malformed when it is not UTF-8', () => {
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(MalformedBodyError);
  });

  it('may be nested, but only up to a limit', () => {
    expect(() => parse(nested(64))).not.toThrow();
    expect(() => parse(nested(65))).toThrow(/nested more than 64 levels deep/);
    expect(() => parse('['.repeat(500_000))).toThrow(MalformedBodyError);
  });
});

describe('a value in untrusted JSON', () => {
  it('never comes from a prototype', () => {
    expect(valueAt({}, 'constructor')).toBeUndefined();
    expect(valueAt({}, '__proto__')).toBeUndefined();
    expect(valueAt([], 'length')).toBeUndefined();
    expect(stringAt(parse('{"__proto__":{"a":"own"}}'), '__proto__', 'a')).toBe('own');
    expect(stringAt(parse('{"__proto__":{"a":"own"}}'), 'a')).toBeUndefined();
  });

  it('of another type counts as absent', () => {
    expect(stringAt({ a: 1 }, 'a')).toBeUndefined();
    expect(elementsAt({ a: 'text' }, 'a')).toEqual([]);
    expect(stringsAt({ a: ['x', 1, null, ['y']] }, 'a')).toEqual(['x']);
    expect(stringsAt({ a: 'x' }, 'a')).toEqual(['x']);
    expect(textAt({ a: 7 }, 'a')).toBe('7');
    expect(textAt({ a: true }, 'a')).toBeUndefined();
    expect(valueAt('text', 'a')).toBeUndefined();
    expect(valueAt(null, 'a', 'b')).toBeUndefined();
  });
});
