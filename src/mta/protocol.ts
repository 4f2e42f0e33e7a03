/** A protocol in which a mail server asks questions. Requests of a connection are answered in order. */
export interface Protocol<Request> {
  name: string;
  createReader(): RequestReader<Request>;
  answer(request: Request): Promise<string>;
}

export interface RequestReader<Request> {
  /**
   * The requests that a chunk completes.
   *
   * @throws {MalformedRequestError}
   */
  read(chunk: Buffer): Request[];
  /** A last request that the end of the connection completes, if the protocol has such requests. */
  end?(): Request[];
}

/** What follows cannot be interpreted, so the connection is closed without an answer. */
export class MalformedRequestError extends Error {
  override readonly name = 'MalformedRequestError';
}

/** What to do with mail while verdicts are unknown. */
export type OnFailure = 'defer' | 'pass';

const NEWLINE = 0x0a;

/** Neither part of an address nor of an attribute. */
const TOO_LONG = '\0';

/** Splits a stream of bytes into lines, without their line feeds. Bytes that are not UTF-8 become U+FFFD. */
export class LineSplitter implements RequestReader<string> {
  private rest: Buffer[] = [];
  private restLength = 0;

  /** @param maxLength - in bytes; a longer line is replaced by a NUL */
  constructor(private readonly maxLength: number) {}

  read(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.keep(chunk.subarray(start, end));
      lines.push(this.takeRest());
      start = end + 1;
    }
    this.keep(chunk.subarray(start));
    return lines;
  }

  /** The last line, if it has no line feed. */
  end(): string[] {
    return this.restLength > 0 ? [this.takeRest()] : [];
  }

  private keep(part: Buffer): void {
    this.restLength += part.length;
    if (this.restLength > this.maxLength) {
      this.rest = [];
    } else if (part.length > 0) {
      this.rest.push(part);
    }
  }

  private takeRest(): string {
    const line = this.restLength > this.maxLength ? TOO_LONG : Buffer.concat(this.rest).toString();
    this.rest = [];
    this.restLength = 0;
    return line;
  }
}
