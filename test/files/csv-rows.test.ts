import fc from 'fast-check';
import { CsvRows, MAX_ROW_LENGTH, type CsvRow } from '../../src/files/csv-rows.js';

function rowsOf(text: string, pieceLength = text.length || 1): CsvRow[] {
  const rows = new CsvRows(',');
  const found: CsvRow[] = [];
  for (let start = 0; start < text.length; start += pieceLength) {
    found.push(...rows.read(text.slice(start, start + pieceLength)));
  }
  return [...found, ...rows.end()];
}

describe('CsvRows', () => {
  it('reads fields with and without quotation marks, and any line ending', () => {
    expect(rowsOf('a,b\r\n"c,d","say ""hi"""\n,\ne').map(({ fields }) => fields)).toEqual([
      ['a', 'b'],
      ['c,d', 'say "hi"'],
      ['', ''],
      ['e'],
    ]);
  });

  it('reads a long row that arrives in many pieces', () => {
    const long = '""\n'.repeat(20_000);
    expect(rowsOf(`a,"${long}"\nb,c\n`, 7).map(({ fields }) => fields)).toEqual([
      ['a', long.replaceAll('""', '"')],
      ['b', 'c'],
    ]);
  });

  it('takes a quotation mark inside a plain field as it is', () => {
    expect(rowsOf('5" pipe,b\n')[0]!.fields).toEqual(['5" pipe', 'b']);
  });

  it('allows spaces after a closing quotation mark', () => {
    expect(rowsOf('"a" ,b\n')[0]!.fields).toEqual(['a', 'b']);
  });

  it('counts the lines of fields that span lines', () => {
    expect(rowsOf('a\n"b\nb\nb"\nc\n').map(({ line }) => line)).toEqual([1, 2, 5]);
  });

  it('notices every row that a CR alone hides, even at the end of a file', () => {
    const field = fc.constantFrom('', 'a', ' ', '"b"', '""', '"c,d"', '"e\rf"', '5" pipe');
    const row = fc.tuple(field, field).map((fields) => fields.join(','));
    fc.assert(
      fc.property(row, row, fc.constantFrom('\n', '\r\n', ''), (first, hidden, end) => {
        fc.pre(!first.endsWith('"') || hidden.startsWith(','));
        expect(rowsOf(`${first}\r${hidden}${end}`)).toEqual([expect.objectContaining({ mayHideRows: true })]);
        expect(rowsOf(`${first}\r\n${hidden}${end}`)).not.toContainEqual(
          expect.objectContaining({ mayHideRows: true }),
        );
      }),
      { examples: [['a,', ',', '']] },
    );
  });

  it('keeps every row as it stands in the file, in pieces of any size', () => {
    const field = fc.oneof(
      fc.constantFrom('', 'a', '"b,""\n"', 'ü', '"\r\n"'),
      fc.stringMatching(/^[a-z ]{0,5}$/),
    );
    const row = fc.array(field, { minLength: 1, maxLength: 4 }).map((fields) => fields.join(','));
    const file = fc
      .array(fc.tuple(row, fc.constantFrom('\n', '\r\n')), { maxLength: 8 })
      .map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(file, fc.integer({ min: 1, max: 7 }), (text, pieceLength) => {
        const inPieces = rowsOf(text, pieceLength);
        const withText = (rows: CsvRow[]) => rows.filter(({ raw }) => raw.trim() !== '');
        expect(withText(inPieces)).toEqual(withText(rowsOf(text)));
        expect(inPieces.map(({ raw }) => raw).join('')).toBe(text);
      }),
    );
  });

  it('makes few rows of millions of empty lines, and keeps them', () => {
    const empty = '\n'.repeat(1_000_000) + '\r\n'.repeat(1_000_000);
    const rows = rowsOf(`a\n${empty}""\n\nb\n`, 65_536);
    expect(rows.length).toBeLessThan(500);
    expect(rows.map(({ raw }) => raw).join('')).toBe(`a\n${empty}""\n\nb\n`);
    expect(rows.filter(({ raw }) => raw.trim() !== '')).toMatchObject([
      { line: 1, raw: 'a\n' },
      { line: 2_000_002, raw: '""\n' },
      { line: 2_000_004, raw: 'b\n' },
    ]);
  });

  it('refuses a file with too many rows, and names the line', () => {
    const rows = new CsvRows(',', true, 3);
    expect(rows.read('a\nb\n\n\n\nc\n')).toHaveLength(3);
    expect(() => rows.end()).toThrow(
      expect.objectContaining({
        problem: 'too_many_rows',
        line: 6,
        message: 'Line 6: the file has more than 3 rows. Split it.',
      }),
    );
  });

  it.each([
    ['a quotation mark that is never closed', 'a\n"b\nc\n', 'unterminated_quote', 2],
    ['text behind a closing quotation mark', 'a\n"b\nb"c,d\n', 'misplaced_quote', 3],
    ['a row longer than 1 MiB', `a\n"${'b\n'.repeat(MAX_ROW_LENGTH)}`, 'row_too_long', 2],
    ['a line longer than 1 MiB', `a\n${'b'.repeat(MAX_ROW_LENGTH + 1)}\n`, 'row_too_long', 2],
  ])('names the line of %s', (_mistake, text, problem, line) => {
    expect(() => rowsOf(text, 65_536)).toThrow(expect.objectContaining({ problem, line }));
  });

  it('reads a row of less than 1 MiB with rows behind it', () => {
    const row = `"${'b\n'.repeat(0.4 * MAX_ROW_LENGTH)}"\n`;
    expect(rowsOf(row + 'c\n'.repeat(0.2 * MAX_ROW_LENGTH), 65_536)).toHaveLength(
      1 + Math.floor(0.2 * MAX_ROW_LENGTH),
    );
  });

  it('never holds more than the longest row of an endless line', () => {
    const rows = new CsvRows(',');
    const read = () => {
      for (let piece = 0; piece < 1_000; piece++) {
        rows.read('x'.repeat(65_536));
        expect(piece).toBeLessThan(17);
      }
    };
    expect(read).toThrow(expect.objectContaining({ problem: 'row_too_long', line: 1 }));
  });
});
