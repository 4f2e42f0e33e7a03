import { IncomingMessage, ServerResponse, createServer, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { sendHtmlResponse, type HtmlResponse } from '../responses/html-response.js';
import { sendError, sendJson, type TracedResponse } from '../responses/response.js';
import { encodeAddressPath, encodeLinkPath } from './encode-path.js';
import { problemWithRequest } from './malformed-requests.js';

/**
 * Longer than the load balancers in front of the service keep an idle connection, so that they close it, not the service.
 * It is also how long a response waits for a caller that does not read it.
 */
const KEEP_ALIVE_MS = 65_000;

/** Node's own limit on receiving a request, which ends the longest upload that a route may allow. */
const REQUEST_TIMEOUT_MS = 3_600_000;

/** Nest on Express, for handlers that return an object for JSON, or an `HtmlResponse`. */
export class JsonExpressAdapter extends ExpressAdapter {
  override reply(response: Response & TracedResponse, body: object, status = response.statusCode): void {
    if (response.kind === 'html') {
      sendHtmlResponse(response, body as HtmlResponse);
    } else {
      sendJson(response, status, body);
    }
  }

  override status(response: Response, status: number): Response {
    response.statusCode = status;
    return response;
  }

  /** Refused requests, and requests to which Express would respond in HTML, do not reach Express. */
  override initHttpServer(): void {
    const app = this.getInstance();
    /** What follows a malformed request may be a part of it. */
    const refused = new WeakSet<Socket>();
    this.httpServer = createServer(
      {
        requireHostHeader: false,
        keepAliveTimeout: KEEP_ALIVE_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        ...prototypesOf(app),
      },
      (request: IncomingMessage, response: TracedResponse) => {
        request.url = encodeLinkPath(encodeAddressPath(withoutLeadingSlashes(request.url!)));
        const problem = problemWithRequest(request);
        if (problem) {
          refused.add(request.socket);
          response.setHeader('Connection', 'close');
          sendError(response, problem);
        } else if (refused.has(request.socket)) {
          response.destroy();
        } else if (!response.headersSent && !request.socket.destroyed) {
          app(request, response);
        }
      },
    ).setTimeout(KEEP_ALIVE_MS);
  }
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
