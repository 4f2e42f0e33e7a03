import { IncomingMessage, ServerResponse, createServer, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { isValidElement } from 'preact';
import { ValidationError } from '../errors/errors.js';
import { uncountOpen } from '../requests/open-of-accounts.js';
import { HtmlPage, renderHtml, SeeOther, StaticFile, type HtmlResponse } from '../responses/html-response.js';
import { sendError, sendHtml, sendJson, sendText, type TracedResponse } from '../responses/response.js';
import { countUnread } from '../responses/unread-responses.js';

/**
 * Longer than load balancers keep an idle connection, so that they close it, not the service: 90 seconds (Traefik), 2 minutes
 * (Caddy), 10 minutes (Google Cloud).
 */
const KEEP_ALIVE_MS = 620_000;

/** How long a response waits for a caller that does not read it. */
const UNREAD_MS = 65_000;

/** Node's limit on receiving a request. No route can allow a longer upload. */
const REQUEST_TIMEOUT_MS = 3_600_000;

/** The latest response on each connection. */
export const latestResponses = new WeakMap<Socket, ServerResponse>();

/** Nest on Express, for handlers that return an object for JSON, or an `HtmlResponse`. */
export class JsonExpressAdapter extends ExpressAdapter {
  override reply(response: Response & TracedResponse, body: object, status = response.statusCode): void {
    if (response.kind === 'html') {
      sendHtmlResponse(response, body as HtmlResponse);
    } else {
      sendJson(response, status, body);
    }
    uncountOpen(response.req);
    countUnread(response);
  }

  override status(response: Response, status: number): Response {
    response.statusCode = status;
    return response;
  }

  /** Refused requests, and requests to which Express would respond in HTML, do not reach Express. */
  override initHttpServer(): void {
    const app = this.getInstance();
    /** Connections with a malformed request. What follows may be a part of that request. */
    const refused = new WeakSet<Socket>();
    this.httpServer = createServer(
      {
        requireHostHeader: false,
        keepAliveTimeout: KEEP_ALIVE_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        ...prototypesOf(app),
      },
      (request: IncomingMessage, response: TracedResponse) => {
        latestResponses.set(request.socket, response);
        request.url = encodeLinkPath(encodeAddressPath(withoutLeadingSlashes(request.url!)));
        const problem = problemWithRequest(request);
        if (refused.has(request.socket)) {
          response.destroy();
        } else if (problem) {
          refused.add(request.socket);
          // It may have a response already, because too many requests are waiting.
          response.shouldKeepAlive = false;
          sendError(response, problem);
        } else if (!response.headersSent && !request.socket.destroyed) {
          app(request, response);
        }
      },
    ).setTimeout(UNREAD_MS);
  }
}

/** Sends nothing if a response was already sent. */
function sendHtmlResponse(response: TracedResponse, result: HtmlResponse): void {
  if (result instanceof SeeOther) {
    sendHtml(response, 303, '', { ...result.headers, Location: result.location });
  } else if (result instanceof StaticFile) {
    sendText(response, result.contentType, result.text);
  } else if (result instanceof HtmlPage) {
    const { status = 200, headers } = result.options;
    sendHtml(response, status, renderHtml(result.document), headers);
  } else if (isValidElement(result)) {
    sendHtml(response, 200, renderHtml(result));
  } else {
    throw new TypeError('A handler of an HTML route must return an HtmlResponse.');
  }
}

/** Characters that no host and port contains (RFC 9110, section 7.2). */
const NOT_IN_HOST = /[^\w.:[\]%~!$&'()*+;=-]/;

/**
 * The problem of a request that Node accepts and Express cannot route, or that a proxy may read in another way (RFC 9112,
 * sections 3.2, 6.1, and 6.3).
 */
function problemWithRequest(request: IncomingMessage): ValidationError | undefined {
  const problem = problemWithHost(request) ?? problemWithEncoding(request);
  if (problem !== undefined) {
    return ValidationError.ofRequest(problem);
  }
  return URL.canParse(request.url ?? '', 'http://localhost')
    ? undefined
    : ValidationError.ofRequest('The path of the request is malformed.');
}

function problemWithHost({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (headers.host === undefined) {
    return httpVersion === '1.1' ? 'The request lacks the header Host.' : undefined;
  }
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    hosts += name.length === 4 && name.toLowerCase() === 'host' ? 1 : 0;
  }
  if (hosts > 1) {
    return 'The request has several headers Host.';
  }
  return NOT_IN_HOST.test(headers.host) ? 'The header Host is not a host.' : undefined;
}

function problemWithEncoding({ headers, httpVersion }: IncomingMessage): string | undefined {
  const encoding = headers['transfer-encoding'];
  return encoding === undefined || (/^chunked$/i.test(encoding) && httpVersion === '1.1')
    ? undefined
    : 'The header Transfer-Encoding must be chunked, in HTTP/1.1.';
}

/** A base URL with a slash at its end makes clients send `//suppressions`. */
function withoutLeadingSlashes(url: string): string {
  return url.startsWith('//') ? url.replace(/^\/+/, '/') : url;
}

/** The prototypes that an Express application gives to requests and responses. */
interface Prototypes {
  request: object;
  response: object;
}

/**
 * Requests and responses with Express's prototypes from the start. Express sets the prototypes of the application on each
 * of them; if that changes a prototype, V8 discards what it knows about the object, which costs more than a lookup.
 */
function prototypesOf(app: Prototypes): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Of extends IncomingMessage> extends ServerResponse<Of> {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

const PREFIX = /^\/(?:suppressions|contacts)\//;
const PATH_IN_PATH = /(?:^|\/)(?:suppressions|contacts)\//;

/**
 * Encodes the slashes of an address in a path. The PHP and Java clients do not encode addresses, as in
 * `/suppressions/a/b@example.com`. A slash before an @ belongs to an address; no other path has one. A slash at the beginning
 * of an address must be encoded by the client: more likely, the client joined a base URL and a path with one slash too many,
 * and must not learn that the address is not suppressed. The same applies to another path of ours in the local part, because
 * then the base URL ends in `/suppressions`.
 */
export function encodeAddressPath(url: string): string {
  const end = url.indexOf('?');
  const at = url.lastIndexOf('@', end < 0 ? undefined : end);
  const prefix = at < 0 ? undefined : PREFIX.exec(url)?.[0];
  if (!prefix) {
    return url;
  }
  const localPart = url.slice(prefix.length, at);
  return localPart.includes('/') && !localPart.startsWith('/') && !PATH_IN_PATH.test(localPart)
    ? prefix + localPart.replaceAll('/', '%2F') + url.slice(at)
    : url;
}

/**
 * Makes the path of an unsubscribe link decodable. Mail programs append text to links or cut them, even within `%20`. The
 * router would refuse such a path before the page for recipients could explain it.
 */
function encodeLinkPath(url: string): string {
  if (!url.startsWith('/u/')) {
    return url;
  }
  try {
    decodeURIComponent(url.split('?', 1)[0]!);
    return url;
  } catch {
    return url.replaceAll('%', '%25');
  }
}
