import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import type { Env } from './config/env.js';
import { deadline } from './http/deadline.js';
import { ErrorFilter } from './http/error.filter.js';
import { JSON_BODY, requireJson } from './http/json-body.js';
import { answerMalformedRequests } from './http/malformed-requests.js';
import { requestLog } from './http/request-log.js';
import { createValidationPipe } from './http/validation.pipe.js';
import { RAW_BODY_PATH, readRawBody } from './inbound/raw-body.js';
import { JsonLogger } from './logger.js';
import { setUpOpenApi } from './openapi.js';

export type AppEnv = Env & { DATABASE_URL: string };

/** The whole service, ready to listen: `main.ts` and every test over HTTP take it from here. */
export async function createApp(env: AppEnv, logger: Logger): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(env), {
    bodyParser: false,
    logger: new JsonLogger(logger),
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(requestLog(logger), securityHeaders, refuseToBeStored, deadline);
  app.use(RAW_BODY_PATH, readRawBody);
  app.use(requireJson);
  app.useBodyParser('json', JSON_BODY);
  app.useGlobalPipes(createValidationPipe());
  app.useGlobalFilters(new ErrorFilter());
  setUpOpenApi(app);
  answerMalformedRequests(app.getHttpServer());
  return app;
}

/** Answers hold personal data, and are out of date as soon as somebody changes the list. */
function refuseToBeStored(_request: Request, response: Response, next: NextFunction): void {
  response.set('Cache-Control', 'no-store');
  next();
}

/** Swagger UI needs styles of its own. Nothing is forced to HTTPS: that is the proxy's part. */
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
