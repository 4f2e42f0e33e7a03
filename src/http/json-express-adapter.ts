import { IncomingMessage, ServerResponse, createServer, type ServerOptions } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { sendJson, type TracedResponse } from './response.js';
import { sendError } from './error.filter.js';
import { problemWithRequest } from './malformed-requests.js';

/**
 * Longer than the balancers in front of us keep a connection that nobody uses: they close it, not we under their hands. So
 * long, or twice that, an answer waits for a caller who reads nothing of it.
 */
const KEEP_ALIVE_MS = 65_000;

/** Nest on Express, for handlers that return nothing but objects. */
export class JsonExpressAdapter extends ExpressAdapter {
  override reply(response: Response, body: object, status = response.statusCode): void {
    sendJson(response, status, body);
  }

  override status(response: Response, status: number): Response {
    response.statusCode = status;
    return response;
  }

  /** What was answered already, what nobody can answer any more, or what Express would answer in HTML, does not come to it. */
  override initHttpServer(): void {
    const app = this.getInstance();
    this.httpServer = createServer(
      { requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS, ...prototypesOf(app) },
      (request: IncomingMessage, response: TracedResponse) => {
        const problem = problemWithRequest(request);
        if (problem) {
          sendError(response, problem);
        } else if (!response.headersSent && !request.socket.destroyed) {
          app(request, response);
        }
      },
    ).setTimeout(KEEP_ALIVE_MS);
  }
}

/** What Express's application gives to each request and response as its prototype. */
interface Prototypes {
  request: object;
  response: object;
}

/**
 * Requests and responses that are Express's from their birth. Express gives each the prototype of the application;
 * where it is another one than before, V8 forgets all it knows about the object, which costs more than a lookup.
 */
function prototypesOf(app: Prototypes): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Of extends IncomingMessage> extends ServerResponse<Of> {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
