import { LineSplitter, type Protocol, type RequestReader } from './protocol.js';
import type { Questions } from './questions.js';
import type { Answer } from './verdict-source.js';

/** Longer than any address with a purpose. */
const MAX_LINE_BYTES = 4_096;
/** An address, whose local part may be quoted (RFC 5321, section 4.1.2), and a purpose. */
const LINE = /^\s*((?:"(?:[^"\\]|\\.)*")?\S*)(?:\s+(.*?))?\s*$/s;

/**
 * A protocol for Exim's `${readsocket}`, OpenSMTPD filters, and scripts. A line is an address, or an address and a purpose. The
 * answers are the lines `send`, `suppressed <cause> <id>`, `invalid`, and `unavailable`.
 */
export class LineProtocol implements Protocol<string> {
  readonly name = 'line';

  constructor(private readonly questions: Questions) {}

  createReader(): RequestReader<string> {
    return new LineSplitter(MAX_LINE_BYTES);
  }

  async answer(line: string): Promise<string> {
    const [, address = '', purpose] = LINE.exec(line) ?? [];
    return `${toLine(await this.questions.ask({ protocol: this.name, address, purpose }))}\n`;
  }
}

function toLine(answer: Answer): string {
  return answer.verdict === 'suppressed' ? `suppressed ${answer.cause} ${answer.id}` : answer.verdict;
}
