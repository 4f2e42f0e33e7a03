import { readPastedAddress, readPastedList } from '../../src/console/pages/search/search-text.js';
import { cpuTimesOf } from '../support/cpu-time.js';

/** A list 10 times as long takes 10 times as long to read, or 100 times if the time is quadratic. */
const MAX_RATIO = 50;

describe('a pasted address', () => {
  it.each([
    'ada@example.com',
    ' Ada@Example.com\t',
    '<ada@example.com>',
    'Ada Lovelace <ada@example.com>',
    '"Lovelace, Ada" <ada@example.com>',
    'ada@example.com <ada@example.com>',
    'mailto:ada@example.com',
    'Ada <mailto:ada@example.com>',
    'MAILTO:ada%40example.com?subject=Hello',
    '<mailto:ada@example.com>',
  ])('is read from %j', (text) => {
    expect(readPastedAddress(text)).toBe('ada@example.com');
  });

  it('keeps quotation marks that belong to it', () => {
    expect(readPastedAddress('"a <b>, c"@example.com')).toBe('"a <b>, c"@example.com');
  });

  it.each([
    ['ada', 'must contain an @'],
    ['mailto:ada%', 'must contain an @'],
    [
      'grace@example.com Ada <ada@example.com>',
      'must be one address alone: name@domain, without spaces, brackets or commas',
    ],
  ])('is not read from %j: it %s', (text, problem) => {
    expect(readPastedAddress(text)).toEqual({ problem });
  });
});

describe('a pasted list', () => {
  it('has addresses on separate lines, or with commas, semicolons or spaces between them', () => {
    const text = [
      'a@example.com b@example.com',
      '',
      'Cy <c@example.com>, "Dee, D" <d@example.com>;mailto:e@example.com',
      '"f f"@example.com',
    ];
    expect(readPastedList(text.join('\r\n'), 100)).toEqual({
      emails: [
        'a@example.com',
        'b@example.com',
        'c@example.com',
        'd@example.com',
        'e@example.com',
        '"f f"@example.com',
      ],
      mistakes: [],
    });
  });

  it('has the addresses in rows of a spreadsheet, whatever the other cells are', () => {
    const rows = ['1\tAnn Lee\tann@example.com', 'bee@example.com\tB, Bee\t', 'Cy\tcy(at)example.com'];
    expect(readPastedList(rows.join('\n'), 100)).toEqual({
      emails: ['ann@example.com', 'bee@example.com'],
      mistakes: ['Cy', 'cy(at)example.com'].map((text) => ({ line: 3, text, problem: 'must contain an @' })),
    });
  });

  it('names each part that is not an address, with its line', () => {
    expect(readPastedList('ada@example.com\nnobody, grace@example.com\n\nAda <ada@>', 100)).toEqual({
      emails: ['ada@example.com', 'grace@example.com'],
      mistakes: [
        { line: 2, text: 'nobody', problem: 'must contain an @' },
        { line: 4, text: 'Ada <ada@>', problem: 'must have a domain after the @' },
      ],
    });
  });

  it.each(['"', '"a,', '<', 'ä@ä.ä ', '",', ' '])(
    'of nothing but %j is read in linear time',
    async (text) => {
      const read = (length: number) => () => readPastedList(text.repeat(length / text.length), 100);
      const { long, short } = await cpuTimesOf(read(500_000), read(50_000), MAX_RATIO);
      expect(long / short).toBeLessThan(MAX_RATIO);
    },
  );

  it('is not read if it is longer than it may be', () => {
    expect(readPastedList('a@b\nc@d, e', 3)).not.toBeNull();
    expect(readPastedList('a@b\nc@d, e f', 3)).toBeNull();
  });
});
