import { tooManyRows, UnreadableFileError, type FileProblem } from './errors.js';
import { MAX_FILE_ROWS } from './file-limits.js';

const MAX_ITEM_LENGTH = 1024 * 1024;
const MAX_DEPTH = 32;

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE, COMMA, COLON, LINE_FEED] =
  Buffer.from('"\\[]{},:\n');
const LAST_WHITE_SPACE = ' '.charCodeAt(0);

export interface JsonItem {
  /** The line on which the item begins, counted from 1. */
  line: number;
  value: unknown;
}

/**
 * Where the items of a file are: `lines` are values one after the other (NDJSON), `array` is one array, and `{list}` is
 * an object with the items in the array of that name.
 */
export type JsonShape = 'lines' | 'array' | { list: string };

/** Splits a JSON document into its items, piece by piece, without holding more than one of them. */
export class JsonItems {
  private items: JsonItem[] = [];
  private text = '';
  private position = 0;
  private line = 1;
  private depth = 0;
  private isInString = false;
  private isInList = false;
  /** Whether the list that the shape names was found in the document. */
  hasList = false;
  /** Where the current item, or the current key of the outer object, begins in the text; -1 between items and keys. */
  private start = -1;
  private startLine = 1;
  private key = '';
  private failure: unknown;
  private count = 0;
  private readonly itemDepth: number;
  private readonly list: string | null;

  constructor(
    shape: JsonShape,
    private readonly maxItems = MAX_FILE_ROWS,
  ) {
    this.list = typeof shape === 'object' ? shape.list : null;
    this.itemDepth = shape === 'lines' ? 0 : shape === 'array' ? 1 : 2;
    this.isInList = this.list === null;
  }

  /** Returns the items that this piece of the file completes. Items before a mistake are returned; the next call throws it. */
  read(piece: string): JsonItem[] {
    this.throwFailure();
    this.items = [];
    try {
      this.scan(piece);
    } catch (error) {
      this.failure = error;
    }
    return this.items;
  }

  private scan(piece: string): void {
    this.text += piece;
    for (; this.position < this.text.length; this.position++) {
      const code = this.text.charCodeAt(this.position);
      if (this.isInString) {
        if (code === BACKSLASH) {
          this.position++;
        } else if (code === QUOTE) {
          this.isInString = false;
          this.completeAt(this.position + 1);
        } else if (code === LINE_FEED) {
          throw new UnreadableFileError(
            'malformed_json',
            this.line,
            'a string has no closing quotation mark.',
          );
        }
      } else if (code <= LAST_WHITE_SPACE) {
        this.completeScalar();
        this.line += code === LINE_FEED ? 1 : 0;
      } else {
        this.readStructure(code);
      }
    }
    this.discardParsed();
  }

  /** @throws {UnreadableFileError} if the file ends in the middle of its JSON */
  end(): JsonItem[] {
    this.throwFailure();
    this.items = [];
    this.completeScalar();
    if (this.depth > 0 || this.isInString) {
      throw this.malformed('the file ends in the middle of its JSON.', 'truncated');
    }
    return this.items;
  }

  private throwFailure(): void {
    if (this.failure !== undefined) {
      throw this.failure;
    }
  }

  private readStructure(code: number): void {
    switch (code) {
      case QUOTE:
        this.begin();
        this.isInString = true;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (this.list !== null && this.depth === 1 && code === OPEN_BRACKET && this.key === this.list) {
          this.isInList = true;
          this.hasList = true;
        }
        this.begin();
        if (++this.depth > MAX_DEPTH) {
          throw this.malformed(`nested more than ${MAX_DEPTH} levels deep.`);
        }
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        this.completeScalar();
        if (--this.depth < 0) {
          throw this.malformed('a bracket is closed that was never opened.');
        }
        if (this.list !== null && this.depth === 1) {
          this.isInList = false;
          this.key = '';
        }
        this.completeAt(this.position + 1);
        break;
      case COMMA:
      case COLON:
        this.completeScalar();
        break;
      default:
        this.begin();
    }
  }

  /** Remembers where an item, or a key of the outer object, begins. */
  private begin(): void {
    const isItem = this.isInList && this.depth === this.itemDepth;
    const isKey = this.list !== null && !this.isInList && this.depth === 1;
    if (this.start < 0 && (isItem || isKey)) {
      this.start = this.position;
      this.startLine = this.line;
    }
  }

  /** Completes a number, `true`, `false`, or `null`, which nothing terminates. */
  private completeScalar(): void {
    const isScalar = this.start >= 0 && !'"{['.includes(this.text[this.start]!);
    if (isScalar && !this.isInString) {
      this.completeAt(this.position);
    }
  }

  private completeAt(end: number): void {
    if (this.start < 0) {
      return;
    }
    if (this.isInList ? this.depth === this.itemDepth : this.depth === 1) {
      const value = this.parse(this.text.slice(this.start, end));
      this.start = -1;
      if (this.isInList) {
        if (++this.count > this.maxItems) {
          throw tooManyRows(this.startLine, this.maxItems);
        }
        this.items.push({ line: this.startLine, value });
      } else if (typeof value === 'string') {
        this.key = value;
      }
    }
  }

  private parse(json: string): unknown {
    if (json.length > MAX_ITEM_LENGTH) {
      throw this.malformed('an item is longer than 1 MiB.');
    }
    try {
      return JSON.parse(json);
    } catch {
      throw this.malformed('this is not JSON.');
    }
  }

  private discardParsed(): void {
    const from = this.start < 0 ? this.position : this.start;
    this.text = this.text.slice(from);
    this.position -= from;
    this.start = this.start < 0 ? -1 : 0;
    if (this.text.length > MAX_ITEM_LENGTH) {
      throw this.malformed('an item is longer than 1 MiB.');
    }
  }

  private malformed(why: string, problem: FileProblem = 'malformed_json'): UnreadableFileError {
    const line = this.start < 0 ? this.line : this.startLine;
    return new UnreadableFileError(problem, line, why);
  }
}
