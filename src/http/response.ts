import type { IncomingMessage, ServerResponse } from 'node:http';

export const SECURITY_HEADERS = [
  // Answers hold personal data, and are out of date as soon as somebody changes the list.
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
] as const;

/** A body that writes its own JSON, where that is worth it: of a page of records it saves a tenth of the service's time. */
export interface WritesJson {
  writeJson(): string;
}

/** Some 20 KB of JSON. */
const ELEMENTS_AT_ONCE = 100;

const SECURITY_HEADERS_FLAT = SECURITY_HEADERS.flat();

/** A response whose request was given an id when it arrived. */
export interface TracedResponse extends ServerResponse<IncomingMessage> {
  requestId?: string;
}

/**
 * Answers with JSON, in one write; drops what comes after an answer, as when it came too late. Express's own
 * `response.json` looks at settings, charset, etag and freshness on the way: a tenth of what a lookup costs.
 */
export function sendJson(
  response: TracedResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) {
    return;
  }
  const pieces = toJson(body);
  const octets = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const head = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(octets),
    ...SECURITY_HEADERS_FLAT,
  ];
  if (response.requestId !== undefined) {
    head.push('X-Request-Id', response.requestId);
  }
  for (const name in headers) {
    head.push(name, headers[name]!);
  }
  response.writeHead(status, head);
  pieces.slice(0, -1).forEach((piece) => response.write(piece));
  response.end(pieces.at(-1));
}

/**
 * The JSON of a body, in pieces where its data is long. As one string of 180 KB the answer to a check would be copied twice,
 * each time into memory that V8 asks the system for: a seventh of the service's time for a check.
 */
function toJson(body: object & { data?: unknown } & Partial<WritesJson>): string[] {
  if (body.writeJson) {
    return [body.writeJson()];
  }
  if (!Array.isArray(body.data) || body.data.length <= ELEMENTS_AT_ONCE) {
    return [JSON.stringify(body)];
  }
  const { data, ...rest } = body as { data: unknown[] };
  const pieces = [JSON.stringify({ ...rest, data: [] }).slice(0, -']}'.length)];
  for (let first = 0; first < data.length; first += ELEMENTS_AT_ONCE) {
    const elements = JSON.stringify(data.slice(first, first + ELEMENTS_AT_ONCE)).slice(1, -1);
    pieces.push(first === 0 ? elements : `,${elements}`);
  }
  return [...pieces, ']}'];
}
