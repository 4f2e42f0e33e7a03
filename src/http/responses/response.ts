import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { ApiError } from '../errors/api-error.js';
import type { RouteOptions } from '../route.js';
import { ErrorPage, renderHtml } from './html-response.js';

const COMMON_HEADERS = {
  // Responses hold personal data, and are outdated as soon as somebody changes the list.
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

export const SECURITY_HEADERS = {
  ...COMMON_HEADERS,
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const PAGE_HEADERS = {
  ...COMMON_HEADERS,
  // With no-referrer, browsers would send `Origin: null` with the forms of our own pages (Fetch, section 3.2).
  'Referrer-Policy': 'same-origin',
  'X-Robots-Tag': 'noindex, nofollow',
  'Content-Security-Policy': PAGE_POLICY,
};

const SCRIPTED_PAGE_HEADERS = {
  ...PAGE_HEADERS,
  'Content-Security-Policy': `${PAGE_POLICY}; script-src 'self'; connect-src 'self'`,
};

const FILE_HEADERS = { ...SECURITY_HEADERS, 'Cache-Control': 'public, max-age=31536000, immutable' };

/** The headers of each kind of response, as `writeHead` takes them. */
const HEADERS_OF = {
  json: Object.entries(SECURITY_HEADERS).flat(),
  page: Object.entries(PAGE_HEADERS).flat(),
  scriptedPage: Object.entries(SCRIPTED_PAGE_HEADERS).flat(),
  file: Object.entries(FILE_HEADERS).flat(),
};

/** Keyed by name. Each element of a list is a header. */
export type ResponseHeaders = Readonly<Record<string, string | string[]>>;

/**
 * A body that writes its own JSON. This saves a tenth of the service's time for a page of the list, and for a check. Long JSON is
 * in pieces: as one string, the 180 KB of a check would be copied twice, each time into memory that V8 requests from the system.
 */
export interface WritesJson {
  writeJson(): string[];
}

/** A response with the id of its request and, unless it is JSON, its kind, its error page, and whether pages load scripts. */
export interface TracedResponse extends ServerResponse<IncomingMessage> {
  requestId?: string;
  kind?: RouteOptions['response'];
  errorPage?: RouteOptions['errorPage'];
  script?: boolean;
}

/** Sends an error as the route promises: as a page, even in place of a file, or as JSON. */
export function sendError(response: TracedResponse, error: ApiError): void {
  const { errorPage = response.kind === 'html' ? ErrorPage : undefined } = response;
  if (errorPage) {
    const { statusCode, headers } = error;
    sendHtml(response, statusCode, renderHtml(errorPage(error, response.req)), headers);
  } else {
    sendJson(response, error.statusCode, error.toBody(), error.headers);
  }
}

/**
 * Sends JSON in one write. Does nothing if a response was already sent, such as 503 at the deadline. Express's
 * `response.json` checks settings, charset, ETag and freshness: a tenth of the time of a lookup.
 */
export function sendJson(
  response: TracedResponse,
  status: number,
  body: object,
  headers: ResponseHeaders = {},
): void {
  const type = 'application/json; charset=utf-8';
  const write = () => (body as Partial<WritesJson>).writeJson?.() ?? [JSON.stringify(body)];
  send(response, status, write, { type, standard: HEADERS_OF.json, headers });
}

/** Sends an HTML page. Does nothing if a response was already sent. */
export function sendHtml(
  response: TracedResponse,
  status: number,
  html: string,
  headers: ResponseHeaders = {},
): void {
  const standard = response.script ? HEADERS_OF.scriptedPage : HEADERS_OF.page;
  send(response, status, () => [html], { type: 'text/html; charset=utf-8', standard, headers });
}

/** Sends a text that caches may keep. Does nothing if a response was already sent. */
export function sendText(response: TracedResponse, type: string, text: string): void {
  send(response, 200, () => [text], { type, standard: HEADERS_OF.file, headers: {} });
}

interface Head {
  type: string;
  standard: readonly string[];
  headers: ResponseHeaders;
}

function send(
  response: TracedResponse,
  status: number,
  write: () => string[],
  { type, standard, headers }: Head,
): void {
  if (response.headersSent) {
    return;
  }
  const pieces = write();
  const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const head: OutgoingHttpHeader[] = ['Content-Type', type, 'Content-Length', String(bytes), ...standard];
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
