import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import {
  documentBodies,
  documentCommonParts,
  fillInId,
  rememberId,
  SHARED_STATUSES,
  withoutDto,
} from './openapi-common.js';
import { nameEnums } from './named-enums.js';

const TITLE = 'Suppression list';

const DESCRIPTION = `One suppression list for all mail providers and your own mail servers: the addresses that must not
be mailed, each with the reason and the date. The service implements the Resend suppressions API, so the official Resend
clients work with it unchanged.

**Try it out:** press *Authorize*, paste an API key, open an operation, and press *Execute*. In a
new account, with a key that has all scopes and \`contacts:erase\`, you can run most examples unchanged, from the top of the
page to the end. Those with the id of an incident, a provider list, or a lift need one of yours.

**Scopes:** the description of each operation ends with the scope that the API key needs. \`suppressions:write\` includes
\`suppressions:read\`, which includes \`suppressions:check\`.

**Errors:** all errors have the same body. Programs should use its \`code\`; \`name\` is the name that the Resend clients
know, and \`message\` is for people. An unknown path gets 404 \`route_not_found\`, or 400 if the base URL of the client is
probably wrong, as in \`/v1/suppressions\`. A method that a path does not support gets 405 \`method_not_allowed\`; the header
\`Allow\` lists the supported methods. After 503, the result is unknown: retry.

**Headers:** every response has \`X-Request-Id\`, either from the request or generated. 429, 503, and
409 \`erasure_in_progress\` have \`Retry-After\` in seconds. If the operator has set a rate limit, responses have
\`ratelimit-limit\`, \`ratelimit-remaining\`, and \`ratelimit-reset\`.

**Unknown fields** in a body are ignored by the operations of the Resend API and refused by all others. Every operation
refuses a field whose name looks like an optional field, such as \`expire_at\`, and a field without which the request would
mean something else, such as \`cause\` when an address is added. Unknown query parameters are always refused. An optional field
that is null counts as absent, unless its description says otherwise.

**Guides:** [all pages](/docs/guides/README.md), and [an index for assistants](/llms.txt).

This document as a file: [openapi.json](/openapi.json)`;

const API_KEY = `An API key begins with \`sup_\`. The operator of this service creates one with
\`npm run cli -- key create --account <name>\`.`;

/** Builds the document for Swagger UI and for `openapi.json`. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle(TITLE)
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setOpenAPIVersion('3.1.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This service')
    .addSecurity('apiKey', { type: 'http', scheme: 'bearer', description: API_KEY })
    .addTag('Checks', 'May these addresses be mailed? Ask before each mailing.')
    .addTag('Suppressions', 'Addresses that must not be mailed.')
    .addTag('Batches', 'Add and remove many addresses in one request.')
    .addTag('Counts', 'How many addresses are suppressed, and why.')
    .addTag('Imports', 'Import lists of suppressions from files of up to 1 GiB.')
    .addTag(
      'Lifts',
      'Undo a mistake that suppressed many addresses: count them, lift them, and put them back.',
    )
    .addTag(
      'Provider lists',
      'Compare the list with the lists of mail providers, and settle the differences.',
    )
    .addTag('Exports', 'Export the list, or a part of it, as a file.')
    .addTag('Scrubs', 'Remove suppressed addresses from a file of recipients.')
    .addTag('Topics', 'Kinds of mail that recipients can opt out of, and their choices.')
    .addTag('Contacts', 'Whether recipients have unsubscribed from everything.')
    .addTag('Unsubscribe', 'Links by which recipients unsubscribe.')
    .addTag('Rules', 'Patterns of addresses that the account allows or blocks.')
    .addTag('Events', 'Delivery events, such as bounces, complaints, and unsubscribes.')
    .addTag('Incidents', 'Waves of bounces that look like the fault of a receiving provider.')
    .addTag('Changes', 'Every change of the list, in order, for systems that keep a copy.')
    .addTag('Account', 'The settings of the account, and its audit log.')
    .addTag('Webhooks', 'Your endpoints that receive every change within seconds.')
    .addTag('Health', 'For load balancers and orchestrators. No key needed.')
    .build();
  const document = SwaggerModule.createDocument(app, config, { autoTagControllers: false });
  return documentCommonParts(nameEnums(documentBodies(withoutDto(document))));
}

/** Serves Swagger UI at /docs and the document at /openapi.json. */
export function setUpOpenApi(app: INestApplication): void {
  const adapter = app.getHttpAdapter();
  adapter.get('/', (_request: Request, response: Response) => response.redirect(302, '/docs'));
  // Swagger UI comes with a page of this name, which shows a sample API.
  adapter.get('/docs/index.html', (_request: Request, response: Response) => response.redirect(308, '/docs'));
  adapter.get('/favicon.ico', (_request: Request, response: Response) => {
    response.set('Cache-Control', 'public, max-age=86400').type('image/svg+xml').send(ICON);
  });
  let json: Buffer | undefined;
  adapter.get('/openapi.json', (_request: Request, response: Response) => {
    json ??= Buffer.from(JSON.stringify(createOpenApiDocument(app)));
    response.type('application/json').send(json);
  });
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app), {
    // Its own files of the document are written for each request, which takes a tenth of a second of CPU time as YAML.
    raw: false,
    customSiteTitle: TITLE,
    customfavIcon: `data:image/svg+xml,${encodeURIComponent(ICON)}${VIEWPORT}`,
    customCss: STYLE,
    swaggerOptions: {
      layout: 'BaseLayout',
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      defaultModelExpandDepth: 3,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      filter: true,
      plugins: [filterOperations, resolveReferences],
      requestInterceptor: fillInId,
      responseInterceptor: rememberId,
    },
  });
}

/** An envelope with a line through it. Browsers ask for /favicon.ico when they show JSON, which names no icon. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke-width="1.5">
  <path stroke="#3b4151" d="M1.5 3.5h13v9h-13zl6.5 5 6.5-5"/><path stroke="#f93e3e" d="M2 15 14 1"/>
</svg>
`;

/**
 * Without this, a phone renders the page at the width of a desktop. The page's template accepts markup only next to the icon.
 */
const VIEWPORT = `'/><meta name='viewport' content='width=device-width, initial-scale=1`;

/** Matches the rows of the errors that operations share, but not those of a response that was received. */
const SHARED_ERRORS = `.responses-table:not(.live-responses-table) tr.response:is(${SHARED_STATUSES.map((status) => `[data-code="${status}"]`).join(', ')})`;

/**
 * Hides menus with one choice, links, which no response has, and the headers, which the introduction describes. An error that
 * operations share takes one line, without an example.
 */
const STYLE = `
  .swagger-ui .scheme-container .schemes > .schemes-server-container,
  .swagger-ui .opblock-section-request-body .content-type:not(:has(option + option)),
  .swagger-ui .response-control-media-type,
  .swagger-ui .response-col_links,
  .swagger-ui .responses-table:not(.live-responses-table) .headers-wrapper,
  .swagger-ui ${SHARED_ERRORS} :is(.response-controls, .model-example) { display: none }
  @media (max-width: 640px) {
    .swagger-ui .responses-inner { padding: 10px }
    .swagger-ui .opblock-section-header { flex-wrap: wrap }
    .swagger-ui .responses-inner table tbody tr td:first-of-type { min-width: 3em }
  }
`;

/** The part of an immutable collection of Swagger UI that is used here. */
interface Collection<Value> {
  get(key: string): unknown;
  getIn(path: string[]): unknown;
  set(key: string, value: unknown): this;
  map(change: (value: Value, key: string) => Value): this;
  filter(condition: (value: Value) => boolean): this;
  size: number;
}

interface System {
  React: { useEffect(effect: () => void): void; createElement(component: unknown, props: object): unknown };
}

/**
 * A plugin: an operation opens in less than half of the time. To resolve the references of one operation, Swagger UI prepares the whole
 * document, because references may lead anywhere. Those of this document lead to its components. It runs as
 * {@link filterOperations} does.
 */
function resolveReferences() {
  type Part = Record<string, unknown>;
  const find = {
    part(document: unknown, path: string[]): unknown {
      return path.reduce((part, name) => (part as Part | undefined)?.[name], document);
    },
    /** @param within - the references that led here; a schema that contains itself keeps the reference */
    resolved(value: unknown, document: unknown, within: string[]): unknown {
      if (Array.isArray(value)) {
        return value.map((item) => find.resolved(item, document, within));
      }
      if (value === null || typeof value !== 'object' || within.includes((value as Part).$ref as string)) {
        return value;
      }
      const { $ref, ...rest } = value as Part;
      const fields = Object.entries(rest).map(([name, field]) => [
        name,
        find.resolved(field, document, within),
      ]);
      const own = Object.fromEntries(fields) as Part;
      if (typeof $ref !== 'string') {
        return own;
      }
      const target = find.part(document, $ref.split('/').slice(1));
      return { ...(find.resolved(target, document, [...within, $ref]) as Part), $$ref: $ref, ...own };
    },
  };
  return {
    fn: {
      async resolveSubtree(document: unknown, path: string[]) {
        return { errors: [], spec: find.resolved(find.part(document, path), document, []) };
      },
    },
  };
}

/**
 * A plugin: the filter of Swagger UI finds operations by their method, path, and texts, and not only by their tag. The browser
 * runs it from its source, so it can use nothing outside of itself. That includes functions in variables, for which the bundle of
 * the service calls a helper of its own.
 */
function filterOperations() {
  type Operation = Collection<unknown>;
  return {
    fn: {
      opsFilter(tags: Collection<Collection<unknown>>, phrase: string) {
        const words = phrase.toLowerCase().split(/\s+/);
        return tags
          .map((tag, name) => {
            const operations = (tag.get('operations') as Collection<Operation>).filter((operation) => {
              const texts = [['method'], ['path'], ['operation', 'summary'], ['operation', 'description']];
              const text = [name, ...texts.map((path) => operation.getIn(path))].join(' ').toLowerCase();
              return words.every((word) => text.includes(word));
            });
            return tag.set('operations', operations);
          })
          .filter((tag) => (tag.get('operations') as Collection<Operation>).size > 0);
      },
    },
    wrapComponents: {
      FilterContainer(original: unknown, { React }: System) {
        return (props: object) => {
          React.useEffect(() =>
            document
              .querySelector('.operation-filter-input')
              ?.setAttribute('placeholder', 'Filter by path, name, or text'),
          );
          return React.createElement(original, props);
        };
      },
    },
  };
}
