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
  const text = JSON.stringify(body);
  const head = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(text)),
    ...SECURITY_HEADERS_FLAT,
  ];
  if (response.requestId !== undefined) {
    head.push('X-Request-Id', response.requestId);
  }
  for (const name in headers) {
    head.push(name, headers[name]!);
  }
  response.writeHead(status, head);
  response.end(text);
}
