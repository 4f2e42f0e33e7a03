import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { sendJson } from './answer.js';

/** Nest on Express, for handlers that return nothing but objects. */
export class JsonExpressAdapter extends ExpressAdapter {
  override reply(response: Response, body: object, status = response.statusCode): void {
    sendJson(response, status, body);
  }

  override status(response: Response, status: number): Response {
    response.statusCode = status;
    return response;
  }
}
