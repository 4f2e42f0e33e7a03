import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import type { TracedResponse } from './response.js';

/** Swagger UI needs inline styles. Nothing forces HTTPS here, because that is the task of the proxy. */
const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  strictTransportSecurity: false,
});

export function documentHeaders(request: Request, response: Response, next: NextFunction): void {
  response.set('Cache-Control', 'no-store');
  response.set('X-Request-Id', (response as TracedResponse).requestId);
  securityHeaders(request, response, next);
}
