import type { INestApplication } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

const TITLE = 'Suppression list';

const DESCRIPTION = `One suppression list for all mail providers and your own mail servers: the addresses that must not
be mailed, each with why and since when. It speaks the Resend suppressions API, so the official Resend clients work with
it unchanged.

**Try it out:** press *Authorize*, paste an API key, open an operation and press *Execute*. Every example runs as it is,
from the top of the page to its end.

**Scopes:** a key with \`suppressions:read\` gets, lists, checks and reads the history; one with \`suppressions:write\`
also adds and removes; one with \`events:write\` tells events.

**Errors:** every error has the same body. Decide by its \`name\`, which never changes; the \`message\` is for people. A
path that does not exist is answered 404 \`not_found\`, a method that a path does not have 405 \`method_not_allowed\`.

This document as a file: [openapi.json](/openapi.json)`;

const API_KEY = `An API key begins with \`sup_\`. Whoever runs this service makes one with
\`npm run cli -- key create --account <name>\`.`;

/** Builds the document for the UI, for `openapi.json` and for the test that compares the two. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle(TITLE)
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setOpenAPIVersion('3.1.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This service')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: API_KEY }, 'apiKey')
    .addTag('Suppressions', 'The addresses that must not be mailed, one at a time.')
    .addTag('Batches', 'Many addresses in one request.')
    .addTag('Imports', 'Files of other providers, of any size.')
    .addTag('Exports', 'The whole list, or a part of it, as a file.')
    .addTag('Scrubs', 'Recipient files without the addresses that must not be mailed.')
    .addTag('Topics', 'Kinds of mail that recipients can opt out of, and what they chose.')
    .addTag('Rules', 'Domains and names that the account allows or blocks.')
    .addTag('Events', 'What happened to the mail of your own mailers.')
    .addTag('Health', 'For load balancers and orchestrators. No key needed.')
    .build();
  return SwaggerModule.createDocument(app, config, { autoTagControllers: false });
}

/** Serves the UI at /docs and the document at /openapi.json. */
export function setUpOpenApi(app: INestApplication): void {
  const adapter = app.getHttpAdapter();
  adapter.get('/', (_request: Request, response: Response) => response.redirect(302, '/docs'));
  // Swagger UI comes with a page of this name, which shows a sample API.
  adapter.get('/docs/index.html', (_request: Request, response: Response) => response.redirect(308, '/docs'));
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: TITLE,
    customfavIcon: ICON + VIEWPORT,
    customCss: STYLE,
    swaggerOptions: {
      layout: 'BaseLayout',
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      defaultModelExpandDepth: 3,
      displayRequestDuration: true,
      persistAuthorization: true,
      tryItOutEnabled: true,
    },
  });
}

/** An envelope, struck through. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke-width="1.5">
    <path stroke="#3b4151" d="M1.5 3.5h13v9h-13zl6.5 5 6.5-5"/><path stroke="#f93e3e" d="M2 15 14 1"/>
  </svg>`,
)}`;

/** Without it a phone draws the page at the width of a desktop. The template of the page takes markup only beside the icon. */
const VIEWPORT = `'/><meta name='viewport' content='width=device-width, initial-scale=1`;

/** Hides what leaves nothing to choose: the one server, the one media type, the links that no answer has. */
const STYLE = `
  .swagger-ui .scheme-container .schemes > .schemes-server-container,
  .swagger-ui .opblock-section-request-body .content-type,
  .swagger-ui .response-control-media-type,
  .swagger-ui .response-col_links { display: none }
  @media (max-width: 640px) {
    .swagger-ui .responses-inner { padding: 10px }
    .swagger-ui .responses-inner table tbody tr td:first-of-type { min-width: 3em }
  }
`;
