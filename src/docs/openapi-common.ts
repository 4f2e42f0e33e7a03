import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Responses = Operation['responses'];
type Response = Extract<Responses[string], { description: string }>;
type Header = NonNullable<Response['headers']>[string];
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Exclude<Schemas[string], { $ref: string }>;

/** The errors of nearly every operation: described once, and shown in one line by Swagger UI. */
export const SHARED_STATUSES = ['401', '403', '413', '415', '429', '500', '503'];

const HEADERS: Record<string, Header> = {
  'X-Request-Id': {
    description: 'The id of the request: the one that the caller sent in this header, or a new one.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'The number of seconds to wait before a retry.',
    schema: { type: 'integer' },
  },
  'ratelimit-limit': {
    description:
      'The number of requests that the account may send per second. Only if the operator has set a limit.',
    schema: { type: 'integer' },
  },
  'ratelimit-remaining': {
    description: 'The number of requests left in the current second. Only if the operator has set a limit.',
    schema: { type: 'integer' },
  },
  'ratelimit-reset': {
    description: 'The number of seconds until the limit is reset. Only if the operator has set a limit.',
    schema: { type: 'integer' },
  },
};

const RATE_LIMIT_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

/** Names schemas like their classes, but without `Dto`. `@ApiSchema` gives a schema another name. */
export function withoutDto(document: OpenAPIObject): OpenAPIObject {
  const json = JSON.stringify(document).replaceAll(/(#\/components\/schemas\/\w+)Dto"/g, '$1"');
  const named = JSON.parse(json) as OpenAPIObject;
  const schemas = Object.entries(named.components!.schemas!);
  named.components!.schemas = Object.fromEntries(
    schemas.map(([name, schema]) => [name.replace(/Dto$/, ''), schema]),
  );
  return named;
}

const BODY = /(?:Request|PostedEvent)$/;
/** The only body that refuses null for an optional field, because null is the value of some settings. */
const SETTINGS = 'ChangeAccountRequest';

/** The bodies of Resend's API and of MTA Hooks, which ignore unknown fields. */
const OPEN =
  /^(?:(?:Batch)?(?:Add|Remove)|(?:Create|Update)(?:Topic|Contact|Webhook)|SetContactTopics|MtaHook)Request$/;

/** Documents that a body refuses unknown fields, and that an optional field may be null, which counts as absent. */
export function documentBodies(document: OpenAPIObject): OpenAPIObject {
  for (const [name, schema] of Object.entries(document.components!.schemas!)) {
    if (!('properties' in schema) || !BODY.test(name)) {
      continue;
    }
    if (!OPEN.test(name)) {
      schema.additionalProperties = false;
    }
    for (const [field, property] of Object.entries(schema.properties!)) {
      if (!schema.required?.includes(field) && name !== SETTINGS) {
        schema.properties![field] = orNull(property as Schema);
      }
    }
  }
  return document;
}

function orNull({ allOf, ...property }: Schema): Schema {
  if (allOf) {
    return { ...property, anyOf: [...allOf, { type: 'null' }] };
  }
  if (typeof property.type !== 'string') {
    return property;
  }
  return {
    ...property,
    type: [property.type, 'null'],
    ...(property.enum && { enum: [...property.enum, null] }),
  };
}

/**
 * Documents what all operations have in common: their scopes, the headers of their responses, and the errors that they
 * share, which move into `components`.
 */
export function documentCommonParts(document: OpenAPIObject): OpenAPIObject {
  document.components = { ...document.components, headers: HEADERS };
  const operations = Object.values(document.paths)
    .flatMap((path) => Object.values(path as Record<string, Operation>))
    .filter(({ responses }) => responses);
  for (const operation of operations) {
    const scope = scopeOf(operation);
    if (scope) {
      operation.description = [operation.description, `Scope: \`${scope}\`.`].filter(Boolean).join(' ');
    }
    for (const [status, response] of Object.entries(operation.responses) as [string, Response][]) {
      response.headers = { ...headersOf(status, scope !== undefined), ...response.headers };
    }
  }
  for (const status of SHARED_STATUSES) {
    shareResponses(document, operations, status);
  }
  return document;
}

function headersOf(status: string, needsKey: boolean): Record<string, Header> {
  const names = [
    'X-Request-Id',
    ...(needsKey && status !== '401' && status !== '403' ? RATE_LIMIT_HEADERS : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Shares the responses with a status that several operations have in common. Those to a key without the scope name the scope. */
function shareResponses(document: OpenAPIObject, operations: Operation[], status: string): void {
  const users = new Map<string, Operation[]>();
  for (const operation of operations.filter(({ responses }) => status in responses)) {
    const json = JSON.stringify(operation.responses[status]);
    users.set(json, [...(users.get(json) ?? []), operation]);
  }
  const byUse = [...users]
    .filter(([, { length }]) => length > 1)
    .toSorted(([, a], [, b]) => b.length - a.length);
  for (const [json, sharing] of status === '401' ? byUse : byUse.slice(0, 1)) {
    const scope = status === '401' ? `-${scopeOf(sharing[0]!)?.replace(':', '-')}` : '';
    const name = `${STATUS_CODES[status]}${scope}`.replaceAll(/[^\w-]/g, '');
    document.components!.responses = { ...document.components!.responses, [name]: JSON.parse(json) };
    sharing.forEach(({ responses }) => (responses[status] = { $ref: `#/components/responses/${name}` }));
  }
}

function scopeOf({ security }: Operation): string | undefined {
  return security?.flatMap((scheme) => scheme.apiKey ?? [])[0];
}

/** The part of the requests and responses of Swagger UI that is used here. */
interface Exchange {
  url: string;
  headers?: Record<string, string>;
  obj?: unknown;
}

type Browser = typeof globalThis & { idsByObject?: Record<string, string> };

/*
 * The examples in the documentation name objects by fixed ids, which no account has. These functions let the examples run
 * from the top of the page to the end: an example id stands for the last object of its kind. Swagger UI runs them in the
 * browser from their source, so they can use nothing outside of themselves.
 */

/** A `responseInterceptor`: remembers the id of the object in a response. */
export function rememberId(response: Exchange): Exchange {
  const ids = ((globalThis as Browser).idsByObject ??= {});
  const { object, id } = (response.obj ?? {}) as { object?: string; id?: string };
  if (object && id) {
    ids[object] = id;
  }
  const scrub = response.headers?.['scrub-id'];
  if (scrub) {
    ids.scrub = scrub;
  }
  return response;
}

/** A `requestInterceptor` that replaces example ids, as in `/imports/0198a5f4-…`. They all have the same beginning. */
export function fillInId(request: Exchange): Exchange {
  const ids = (globalThis as Browser).idsByObject ?? {};
  request.url = request.url.replace(
    /\/([\w-]+)s\/0198a5f[0-9a-f-]{29}(?=[/?]|$)/g,
    (path: string, segment: string) => {
      const object = segment.replace('-', '_');
      const id = ids[object] ?? ids[`webhook_${object}`] ?? ids[`provider_list_${object}`];
      return id === undefined ? path : `/${segment}s/${id}`;
    },
  );
  return request;
}
