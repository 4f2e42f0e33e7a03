const BOUNDARY = /\n(?=--[^\s-])/;
const IS_QUOTED_PRINTABLE = /^content-transfer-encoding:\s*quoted-printable/im;

/** The body of a message whose MIME boundary got lost, decoded from quoted-printable (RFC 2045, section 6.7). */
export function readBrokenBody(head: Uint8Array): string {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
  const [first = '', ...parts] = text.split(BOUNDARY).map(decodePart);
  const body = first.indexOf('\n\n');
  const decoded = [body < 0 ? '' : first.slice(body), ...parts].join('\n');
  return Buffer.from(decoded, 'latin1').toString('utf8');
}

function decodePart(part: string): string {
  const body = part.indexOf('\n\n');
  return body >= 0 && IS_QUOTED_PRINTABLE.test(part.slice(0, body))
    ? part.slice(0, body) + decodeQuotedPrintable(part.slice(body))
    : part;
}

function decodeQuotedPrintable(text: string): string {
  return text
    .replace(/=[ \t]*\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}
