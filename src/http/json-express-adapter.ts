import { createServer, type IncomingMessage } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { sendJson, type TracedResponse } from './answer.js';
import { sendError } from './error.filter.js';
import { problemWithRequest } from './malformed-requests.js';

/** Longer than the balancers in front of us keep a connection that nobody uses: they close it, not we under their hands. */
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

  /** What was answered already, or what Express would answer in HTML, does not come to it. */
  override initHttpServer(): void {
    const app = this.getInstance();
    this.httpServer = createServer(
      { requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS },
      (request: IncomingMessage, response: TracedResponse) => {
        const problem = problemWithRequest(request);
        if (problem) {
          sendError(response, problem);
        } else if (!response.headersSent) {
          app(request, response);
        }
      },
    );
  }
}
