/**
 * A report comes before the message that it returns (RFC 6522, section 3), so the head of a message holds all of it.
 * Reading no more bounds the time and the memory that a message can take, whatever its size and structure: the limits
 * leave room for a report on some hundred recipients.
 */
const MAX_BYTES = 256 * 1024;
const MAX_LINES = 4_000;
/** Lines that begin with two hyphens may each begin a MIME part. */
const MAX_BOUNDARIES = 100;

const LF = 0x0a;
const CR = 0x0d;
const HYPHEN = 0x2d;

/** The beginning of a message within these limits, with LF at the end of lines: CR, CRLF and CRCRLF do occur. */
export function readableHead(raw: Uint8Array): Uint8Array {
  const head = new Uint8Array(Math.min(raw.length, MAX_BYTES));
  let length = 0;
  let lines = 0;
  let boundaries = 0;
  for (let index = 0; index < head.length; index += 1) {
    const byte = raw[index]!;
    if (byte === CR && endsInLf(raw, index)) {
      continue;
    }
    head[length] = byte === CR ? LF : byte;
    length += 1;
    if (head[length - 1] === LF) {
      lines += 1;
      boundaries += raw[index + 1] === HYPHEN && raw[index + 2] === HYPHEN ? 1 : 0;
      if (lines >= MAX_LINES || boundaries > MAX_BOUNDARIES) {
        break;
      }
    }
  }
  return head.subarray(0, length);
}

/** Whether this CR, or the second of two, stands before an LF. */
function endsInLf(raw: Uint8Array, index: number): boolean {
  return raw[index + 1] === LF || (raw[index + 1] === CR && raw[index + 2] === LF);
}
