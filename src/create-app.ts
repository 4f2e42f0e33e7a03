import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import type { AppEnv } from './app-env.js';
import { AppModule } from './app.module.js';
import { consolePages } from './console/access/console-controller.decorator.js';
import { serveGuides } from './docs/guides.js';
import { DtoPipe } from './http/pipes.js';
import { documentHeaders } from './http/responses/document-headers.js';
import { ErrorFilter } from './http/responses/error.filter.js';
import { JsonExpressAdapter } from './http/server/json-express-adapter.js';
import { respondToMalformedRequests } from './http/server/malformed-requests.js';
import { uncountOpen } from './http/requests/open-of-accounts.js';
import { logRequest, watchRequests } from './http/requests/open-requests.js';
import { measureRequest, Metrics } from './metrics/metrics.js';
import { JsonLogger } from './process/logger.js';
import { isTracing, traceRequests } from './tracing/tracing.js';
import { setUpOpenApi } from './docs/openapi.js';

/**
 * Creates the whole service, ready to listen.
 *
 * @param module - tests may pass a module with additional routes
 */
export async function createApp(
  env: AppEnv,
  logger: Logger,
  module: DynamicModule = AppModule.forRoot(env),
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(module, new JsonExpressAdapter(), {
    bodyParser: false,
    logger: new JsonLogger(logger),
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', trustedProxies(env.TRUST_PROXY));
  app.use(['/docs', '/openapi.json', '/llms.txt'], documentHeaders);
  app.use('/console', consolePages);
  app.useGlobalPipes(new DtoPipe());
  app.useGlobalFilters(new ErrorFilter());
  serveGuides(app);
  setUpOpenApi(app);
  const metrics = env.METRICS_PORT === undefined ? undefined : app.get(Metrics);
  watchRequests(app.getHttpServer(), (ended) => {
    uncountOpen(ended.request);
    if (env.ACCESS_LOG) {
      logRequest(logger, ended);
    }
    if (metrics) {
      measureRequest(metrics, ended);
    }
  });
  if (isTracing()) {
    traceRequests(app.getHttpServer());
  }
  respondToMalformedRequests(app.getHttpServer(), logger);
  return app;
}

/** Express's setting: the addresses of the proxies in front of the service; false if they are unknown. */
function trustedProxies(setting: string | undefined): string[] | false {
  return setting === 'none' ? [] : (setting?.split(',').map((name) => name.trim()) ?? false);
}
