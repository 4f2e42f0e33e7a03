import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

const DESCRIPTION = `One suppression list for all mail providers and your own mail servers: the addresses that must not
be mailed, each with why and since when.

It speaks the Resend suppressions API, so the official Resend clients work with it unchanged.

**Try it out:** press *Authorize*, paste an API key, then open an operation.`;

/** Builds the document for the UI, for `openapi.json` and for the test that compares the two. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Suppression list')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This service')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key.' })
    .addTag('Suppressions', 'The addresses that must not be mailed.')
    .addTag('Health', 'For load balancers and orchestrators. No key needed.')
    .build();
  return SwaggerModule.createDocument(app, config);
}

/** Serves the UI at /docs and the document at /openapi.json. */
export function setUpOpenApi(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Suppression list',
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, tryItOutEnabled: true },
  });
}
