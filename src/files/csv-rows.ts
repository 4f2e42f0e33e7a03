import { tooManyRows, UnreadableFileError } from './errors.js';
import { MAX_FILE_ROWS } from './file-limits.js';

/** A row may span lines, inside quotation marks. Anything longer than this is a missing quotation mark. */
export const MAX_ROW_LENGTH = 1024 * 1024;
const LONG_ROW_LENGTH = 16 * 1024;

const QUOTE = '"'.charCodeAt(0);
const CARRIAGE_RETURN = '\r'.charCodeAt(0);
const LINE_FEED = '\n'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);

export interface CsvRow {
  /** The line on which the row begins, counted from 1. */
  line: number;
  fields: string[];
  /** The row exactly as in the file, with its line ending. */
  raw: string;
  /** Whether a CR alone, which is no line break, may hide other rows in this one. */
  mayHideRows: boolean;
}

/** A CR between other text; at either end of a row it hides only an empty line. */
const BARE_RETURN = /[^\r]\r+[^\r\n]/;

/**
 * Splits CSV (RFC 4180) into rows, piece by piece. Consecutive empty lines form rows with one empty field. It replaces
 * `csv-parse`, which used a whole core for 90,000 rows a second, and it preserves each row exactly as in the file.
 */
export class CsvRows {
  private text = '';
  /** Whether a line break has arrived since the text was scanned last. */
  private mayHaveRow = false;
  /** A long row is scanned again only once its text has doubled, so that a row in many pieces takes linear time. */
  private nextScanLength = 0;
  private line = 1;
  private fields: string[] = [];
  /** The next line break and the next delimiter in the text, searched for once. */
  private lineFeedAt = -1;
  private delimiterAt = -1;
  private failure: unknown;
  private count = 0;
  private readonly quotedField: RegExp;

  /**
   * @param delimiter - one character; a line break if a line is one field
   * @param hasQuotes - whether quotation marks around a field are not a part of it
   */
  constructor(
    private readonly delimiter: string,
    private readonly hasQuotes = true,
    private readonly maxRows = MAX_FILE_ROWS,
  ) {
    this.quotedField = new RegExp(`(^|[${delimiter}])"[^"]*(?:""[^"]*)*"`, 'g');
  }

  /** Returns the rows that this piece of the file completes. Rows before a mistake are returned; the next call throws it. */
  read(piece: string): CsvRow[] {
    this.throwFailure();
    const rows: CsvRow[] = [];
    try {
      this.readInto(rows, piece);
    } catch (error) {
      this.failure = error;
    }
    return rows;
  }

  private readInto(rows: CsvRow[], piece: string): void {
    this.text += piece;
    this.mayHaveRow ||= piece.includes('\n');
    if (this.mayHaveRow && this.text.length >= this.nextScanLength) {
      this.lineFeedAt = -1;
      this.delimiterAt = -1;
      let start = 0;
      for (let end = this.scanRow(start); end >= 0; end = this.scanRow(start)) {
        const next = this.isEmptyLine(start, end) ? this.endOfEmptyLines(end) : end;
        rows.push(this.rowFrom(this.text.slice(start, next)));
        start = next;
      }
      this.text = this.text.slice(start);
      this.mayHaveRow = false;
      this.nextScanLength =
        this.text.length > LONG_ROW_LENGTH ? Math.min(2 * this.text.length, MAX_ROW_LENGTH) : 0;
    }
    this.refuseLongRow(this.text);
  }

  /** The rows behind a long one, and the last row, if the file does not end with a line break. */
  end(): CsvRow[] {
    this.mayHaveRow = true;
    this.nextScanLength = 0;
    const rows = this.read('');
    this.throwFailure();
    if (this.text === '') {
      return rows;
    }
    const raw = this.text;
    this.text += '\n';
    this.lineFeedAt = -1;
    this.delimiterAt = -1;
    if (this.scanRow(0) < 0) {
      throw new UnreadableFileError(
        'unterminated_quote',
        this.line,
        'the row that begins here has a quotation mark that is never closed.',
      );
    }
    return [...rows, this.rowFrom(raw)];
  }

  private throwFailure(): void {
    if (this.failure !== undefined) {
      throw this.failure;
    }
  }

  private rowFrom(raw: string): CsvRow {
    this.refuseLongRow(raw);
    if (++this.count > this.maxRows) {
      throw tooManyRows(this.line, this.maxRows);
    }
    const row = { line: this.line, fields: this.fields, raw, mayHideRows: this.mayHideRows(raw) };
    const maySpanLines = raw.charCodeAt(0) <= CARRIAGE_RETURN || (this.hasQuotes && raw.includes('"'));
    this.line += maySpanLines ? Math.max(1, countLineFeeds(raw)) : 1;
    return row;
  }

  private isEmptyLine(start: number, end: number): boolean {
    return end - start <= 2 && this.fields.length === 1 && this.fields[0] === '';
  }

  /** Without this, millions of empty lines, which compress to a few kilobytes, would each cost as much as a row. */
  private endOfEmptyLines(from: number): number {
    const { text } = this;
    let end = from;
    while (end - from < LONG_ROW_LENGTH) {
      const lineFeedAt = text.charCodeAt(end) === CARRIAGE_RETURN ? end + 1 : end;
      if (text.charCodeAt(lineFeedAt) !== LINE_FEED) {
        break;
      }
      end = lineFeedAt + 1;
    }
    return end;
  }

  private mayHideRows(raw: string): boolean {
    const returnAt = raw.indexOf('\r');
    const isLineEnding = returnAt === raw.length - 2 && raw.endsWith('\n');
    if (returnAt < 0 || isLineEnding || !BARE_RETURN.test(raw)) {
      return false;
    }
    return BARE_RETURN.test(raw.replace(this.quotedField, '$1""'));
  }

  /** Reads the fields of a row. Returns the position behind it, or -1 if its end has not arrived. */
  private scanRow(start: number): number {
    this.fields = [];
    let position = start;
    do {
      position =
        this.hasQuotes && this.text.charCodeAt(position) === QUOTE
          ? this.scanQuotedField(position, start)
          : this.scanPlainField(position);
    } while (position >= 0 && this.text.charCodeAt(position - 1) !== LINE_FEED);
    return position;
  }

  /** Like {@link scanRow}, for one field and the delimiter or line break behind it. */
  private scanPlainField(start: number): number {
    const { text } = this;
    if (this.lineFeedAt < start) {
      this.lineFeedAt = indexIn(text, '\n', start);
    }
    if (this.delimiterAt < start) {
      this.delimiterAt = indexIn(text, this.delimiter, start);
    }
    if (this.delimiterAt < this.lineFeedAt) {
      this.fields.push(text.slice(start, this.delimiterAt));
      return this.delimiterAt + 1;
    }
    if (this.lineFeedAt === Infinity) {
      return -1;
    }
    const hasReturn = this.lineFeedAt > start && text.charCodeAt(this.lineFeedAt - 1) === CARRIAGE_RETURN;
    this.fields.push(text.slice(start, this.lineFeedAt - (hasReturn ? 1 : 0)));
    return this.lineFeedAt + 1;
  }

  private scanQuotedField(start: number, startOfRow: number): number {
    const { text } = this;
    const close = closingQuote(text, start + 1);
    if (close < 0) {
      return -1;
    }
    let end = close + 1;
    while (text.charCodeAt(end) === SPACE) {
      end++;
    }
    if (text.charCodeAt(end) === CARRIAGE_RETURN) {
      end++;
    }
    if (end >= text.length) {
      return -1;
    }
    if (text.charCodeAt(end) !== LINE_FEED && text[end] !== this.delimiter) {
      throw new UnreadableFileError(
        'misplaced_quote',
        this.line + countLineFeeds(text.slice(startOfRow, close)),
        'text follows a closing quotation mark. A quotation mark inside a quoted field is written twice.',
      );
    }
    const content = text.slice(start + 1, close);
    this.fields.push(content.includes('"') ? content.replaceAll('""', '"') : content);
    return end + 1;
  }

  private refuseLongRow(raw: string): void {
    if (raw.length > MAX_ROW_LENGTH) {
      throw new UnreadableFileError(
        'row_too_long',
        this.line,
        'the row that begins here is longer than 1 MiB. A closing quotation mark may be missing.',
      );
    }
  }
}

function indexIn(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index < 0 ? Infinity : index;
}

/** The position of the quotation mark that closes a field, or -1. A doubled one belongs to the field. */
function closingQuote(text: string, from: number): number {
  let position = text.indexOf('"', from);
  while (position >= 0 && text.charCodeAt(position + 1) === QUOTE) {
    position = text.indexOf('"', position + 2);
  }
  return position;
}

export function countLineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    count++;
  }
  return count;
}
