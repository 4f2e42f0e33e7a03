import type { Test } from 'supertest';
import {
  examplesIn,
  operationsOf,
  readOpenApiDocument,
  type Operation,
} from '../support/openapi-document.js';
import { until } from '../support/until.js';
import { startFakeSes, type FakeSes } from '../support/fake-providers/ses.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, type World } from '../support/world.js';

const KEY_ERRORS = ['400', '401', '403', '413', '415', '429', '500', '503'];
const RATE_LIMIT_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
/** The headers of files, by operation. */
const OWN_HEADERS: Record<string, string[]> = {
  'GET /exports': ['Changes-Cursor', 'Erased-Count'],
  'POST /scrubs': ['Scrub-Id'],
};

const committed = readOpenApiDocument();
const tags = committed.tags.map(({ name }) => name);
const operations = operationsOf(committed);
const { schemas } = committed.components as unknown as { schemas: Record<string, Schema> };
const withKey = operations.filter(({ security = [] }) => security.some((scheme) => 'apiKey' in scheme));

describe('openapi.json', () => {
  let world: World;
  let ses: FakeSes;
  beforeAll(async () => {
    ses = await startFakeSes();
    world = await createWorld({ ...LOOPBACK, PROVIDER_API_URL_SES: ses.url });
  });
  afterAll(async () => {
    await world.close();
    await ses.close();
  });

  const unfinishedJobs = () => world.database.query(`SELECT FROM jobs WHERE status IN ('queued', 'running')`);

  it('is committed as the service serves it; if this fails, run: npm run openapi', async () => {
    const { body } = await world.anyone.get('/openapi.json').expect(200);
    expect(committed).toEqual(body);
  });

  it('is shown at /docs; /docs/index.html redirects there', async () => {
    await world.anyone.get('/docs').expect(200);
    for (const path of ['/docs/index.html', '/docs/index.html?x']) {
      const { headers } = await world.anyone.get(path).expect(308);
      expect(headers).toMatchObject({ location: '/docs' });
    }
  });

  it('begins with the check, and offers a form for each file', () => {
    expect(operations[0]!.name).toContain('/suppressions/check');
    const files = operations.filter(
      ({ requestBody }) => 'multipart/form-data' in (requestBody?.content ?? {}),
    );
    expect(files.map(({ operationId }) => operationId)).toEqual(['createImport', 'createScrub']);
  });

  it('has an example of each file, which is accepted as a generated client sends it', async () => {
    const files = ['createImport', 'createScrub'].flatMap((id) => {
      const { path, requestBody } = operations.find(({ operationId }) => operationId === id)!;
      return Object.entries(requestBody!.content).map(([type, content]) => ({ path, type, content }));
    });
    for (const { path, type, content } of files) {
      for (const example of examplesIn({ [type]: content })) {
        const body = type === 'application/json' ? JSON.stringify(example) : (example as string);
        const { ok } = await world.as(world.alice).post(path).set('Content-Type', type).send(body);
        expect({ [`${path} ${type}`]: ok }).toEqual({ [`${path} ${type}`]: true });
      }
    }
  });

  it('serves an icon at /favicon.ico, which browsers request by default', async () => {
    const { headers } = await world.anyone.get('/favicon.ico').expect(200);
    expect(headers['content-type']).toMatch(/^image\/svg\+xml/);
  });

  it('gives each operation a unique id', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('requires a key everywhere except for health', () => {
    const open = operations.filter((operation) => !withKey.includes(operation));
    expect(open.map(({ path }) => path)).toEqual(['/healthz', '/readyz']);
  });

  it('gives no address the format email, by which generated clients refuse real mailboxes', () => {
    expect(JSON.stringify(committed)).not.toContain('"format":"email"');
  });

  it('has every content type of a file that is returned', () => {
    const typesOf = (operation: string) =>
      Object.keys(operations.find(({ name }) => name === operation)!.responses['200']!.content!);
    expect(typesOf('GET /exports')).toEqual(['text/csv', 'application/x-ndjson', 'text/plain']);
    expect(typesOf('POST /scrubs')).toEqual(['text/csv', 'text/plain']);
  });

  it('explains every value of every enum', () => {
    expect([...unexplainedValues(committed)]).toEqual([]);
  });

  it('names each enum that several fields share', () => {
    const enums: string[] = [];
    JSON.stringify(committed, (key, value) => {
      if (key === 'enum') {
        enums.push((value as unknown[]).filter((each) => each !== null).join());
      }
      return value as unknown;
    });
    const repeated = enums.filter((values, index) => values.includes(',') && enums.indexOf(values) < index);
    expect(repeated).toEqual([]);
    expect(schemas.Change!.properties!.cause).toMatchObject({
      anyOf: [{ $ref: '#/components/schemas/Cause' }, { type: 'null' }],
    });
  });

  it('has Retry-After where a 409 asks for a retry', () => {
    const withIt = operations.filter(({ responses }) => responses['409']?.headers?.['Retry-After']);
    expect(withIt.map(({ operationId }) => operationId)).toEqual(['eraseContact']);
  });

  it('has integers instead of numbers, except for shares', () => {
    const names = [...schemasOf('number', committed)].map(([path]) => path.split('/').at(-1));
    expect(new Set(names)).toEqual(new Set(['incident_min_share']));
  });

  it('documents the fields of each object, without which generated clients cannot read it', () => {
    const without = [...schemasOf('object', committed)].filter(
      ([path, { properties, additionalProperties }]) =>
        !properties && (path.includes('Request/') ? additionalProperties === true : !additionalProperties),
    );
    // No contact has properties.
    expect(without.map(([path]) => path)).toEqual(['/components/schemas/Contact/properties/properties']);
  });

  it('has the format of ids in paths, which typed clients take from responses', () => {
    const parameters = operations.flatMap((operation) => operation.parameters);
    const others = parameters.filter(
      (parameter) => parameter.in === 'path' && parameter.schema.format !== 'uuid',
    );
    expect(new Set(others.map(({ name }) => name))).toEqual(
      new Set(['suppression', 'topic', 'contact', 'rule']),
    );
  });

  it('has the bounds of texts and arrays that the service refuses otherwise', () => {
    const headers = operations.flatMap(({ parameters }) =>
      parameters.filter(({ name }) => name === 'Idempotency-Key').map(({ schema }) => schema),
    );
    const bounds = { minLength: 1, maxLength: 256 };
    expect(headers).toEqual([expect.objectContaining(bounds), expect.objectContaining(bounds)]);
    expect(schemas.CreateWebhookRequest!.properties!.events).toMatchObject({ minItems: 1, maxItems: 100 });
    expect(schemas.BatchRemoveRequest!.properties!.ids).toMatchObject({ items: { format: 'uuid' } });
    expect(schemas.ChangeAccountRequest!.properties!.bounce_expiry).toMatchObject({
      minItems: 1,
      items: { pattern: expect.any(String) },
    });
  });

  it('allows unknown fields in exactly the bodies that ignore them', async () => {
    const wrong: string[] = [];
    for (const operation of operations) {
      const schema = bodySchemaOf(operation);
      if (schema?.properties) {
        const { body } = await tryOut(world, operation, new Map(), { unknown_field: 1 });
        const problems = (body.errors ?? []) as { path: string }[];
        const isRefused = problems.some(({ path }) => path === 'unknown_field');
        wrong.push(...(isRefused === (schema.additionalProperties === false) ? [] : [operation.name]));
      }
    }
    expect(wrong).toEqual([]);
  });

  it('allows null for exactly the optional fields of bodies that accept it', async () => {
    const wrong: string[] = [];
    let count = 0;
    for (const operation of operations) {
      const schema = bodySchemaOf(operation);
      for (const [field, { type, anyOf = [] }] of Object.entries(schema?.properties ?? {})) {
        if (!schema!.required?.includes(field)) {
          const mayBeNull = [type].flat().includes('null') || anyOf.some((one) => one.type === 'null');
          const problemWith = async (sent: object) => {
            const { body } = await tryOut(world, operation, new Map(), sent);
            return ((body.errors ?? []) as { path: string }[]).find(({ path }) => path === field);
          };
          const problem = await problemWith({ [field]: null });
          const isRefused = problem !== undefined && !(await problemWith({}));
          wrong.push(...(isRefused === mayBeNull ? [`${operation.name} ${field}`] : []));
          count++;
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(70);
  });

  it('has examples that run as they are, from the top of the page to the end', async () => {
    const ids = new Map([['incident', await createIncident(world)]]);
    for (const operation of operations) {
      await until(async () => (await unfinishedJobs()).length === 0);
      const response = await tryOut(world, operation, ids);
      ids.set(response.body.object, response.body.id);
      ids.set('scrub', response.headers['scrub-id'] ?? ids.get('scrub') ?? '');
      const documented = Object.entries(operation.responses).find(
        ([code]) => code === String(response.status),
      );
      const [example = {}] = examplesIn(documented?.[1].content);
      const [has, expected] =
        typeof example === 'string'
          ? [firstLineOf(response.text), firstLineOf(example)]
          : [Object.keys(response.body), Object.keys(example as object)];
      expect({ [operation.name]: response.ok, has }).toEqual({ [operation.name]: true, has: expected });
    }
  });
});

describe.each(operations)('openapi.json on $name', (operation) => {
  it('has an id, a summary and one tag', () => {
    expect(operation).toMatchObject({
      operationId: expect.stringMatching(/^[a-z][A-Za-z]+$/),
      summary: expect.stringMatching(/^[A-Z].*[^.]$/),
      tags: [expect.stringMatching(new RegExp(`^(${tags.join('|')})$`))],
    });
  });

  it('has an example for the body and for each response', () => {
    const bodies = { ...operation.responses, ...(operation.requestBody && { body: operation.requestBody }) };
    const without = Object.entries(bodies).filter(([, { content }]) => examplesIn(content).length === 0);
    expect(without.map(([name]) => name)).toEqual([]);
  });

  it('fills in the required parameters and no others', () => {
    const filledIn = operation.parameters.filter(({ schema }) => schema.example !== undefined);
    expect(filledIn).toEqual(operation.parameters.filter(({ required }) => required));
  });
});

describe.each(withKey)('openapi.json on $name', ({ name, description, responses, security }) => {
  it(`documents ${KEY_ERRORS.join(', ')}, since it needs a key`, () => {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(KEY_ERRORS));
  });

  it('documents that the database may be unavailable, whatever else causes 503', () => {
    expect(responses['503']!.description).toContain('`service_unavailable`');
  });

  it('names the scope that it requires', () => {
    const [scope] = security!.flatMap(({ apiKey = [] }) => apiKey);
    expect(description).toMatch(new RegExp(`^(?:.+[.] )?Scope: \`${scope}\`[.]$`, 's'));
    expect(responses['401']!.description).toContain(`lacks the scope ${scope}.`);
  });

  it('documents the headers of each response', () => {
    const headers = (status: string) => Object.keys(responses[status]!.headers ?? {});
    const [success] = Object.keys(responses);
    expect(headers(success!)).toEqual(['X-Request-Id', ...RATE_LIMIT_HEADERS, ...(OWN_HEADERS[name] ?? [])]);
    expect(headers('401')).toEqual(['X-Request-Id']);
    expect(headers('429')).toEqual(['X-Request-Id', ...RATE_LIMIT_HEADERS, 'Retry-After']);
    expect(headers('503')).toEqual(['X-Request-Id', ...RATE_LIMIT_HEADERS, 'Retry-After']);
  });
});

/** The paths of the enum values that no description beside or above them names. A constant needs none. */
function* unexplainedValues(node: unknown, path = '', above = ''): Iterable<string> {
  if (typeof node !== 'object' || node === null) {
    return;
  }
  const { enum: values = [], description = above } = node as { enum?: unknown[]; description?: string };
  if (values.length > 1) {
    yield* values
      .filter((value) => value !== null)
      .filter((value) => !description.includes(`\`${value}\`: `))
      .map((value) => `${path}: ${value}`);
  }
  for (const [key, child] of Object.entries(node)) {
    yield* unexplainedValues(child, `${path}/${key}`, key === 'schema' || key === 'items' ? description : '');
  }
}

/** The schemas of a type, by their paths. */
function* schemasOf(type: string, node: unknown, path = ''): Iterable<[string, Schema]> {
  if (typeof node === 'object' && node !== null) {
    if ('type' in node && node.type === type) {
      yield [path, node as Schema];
    }
    for (const [key, child] of Object.entries(node)) {
      yield* schemasOf(type, child, `${path}/${key}`);
    }
  }
}

const UUID = /^[0-9a-f-]{36}$/;

/**
 * Sends what Swagger UI has filled in. In place of an example of an id it takes that of the last object of this kind.
 *
 * @param ids - by the names of objects
 */
function tryOut(
  world: World,
  { method, path, parameters, requestBody }: Operation,
  ids: Map<string, string>,
  body = examplesIn(requestBody?.content)[0] as object | undefined,
): Test {
  const filledIn = new Map(
    parameters.map(({ name, schema }) => {
      const example = String(schema.example);
      return [name, UUID.test(example) ? ids.get(name) || example : example];
    }),
  );
  const url = path.replace(/\{(\w+)\}/g, (_braces, name: string) => encodeURIComponent(filledIn.get(name)!));
  const request = world.as(world.alice)[method](url);
  const [mediaType = ''] = Object.keys(requestBody?.content ?? {});
  return body ? request.set('Content-Type', mediaType).send(body) : request;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
}

/** The schema of a body in JSON; of an event, if the body may be an array of them. */
function bodySchemaOf({ requestBody }: Operation): Schema | undefined {
  const { schema } = (requestBody?.content['application/json'] ?? {}) as { schema?: Schema };
  const named = schema?.oneOf?.[0] ?? schema;
  return named?.$ref ? schemas[named.$ref.split('/').at(-1)!] : named;
}

/** Incidents come from events alone, so no operation of the page creates one. */
async function createIncident({ acme, database }: World): Promise<string> {
  const [incident] = await database.query<{ id: string }>(
    `INSERT INTO incidents (account_id, id, receiving_group, opened_at, active_at, is_convincing, held_through, held)
    VALUES ($1, uuid_v7(), 'gmail.com', now(), now(), false, uuid_v7(), 1)
    RETURNING id`,
    [acme.id],
  );
  return incident!.id;
}

function firstLineOf(text: string): string {
  return text.split(/\r?\n/, 1)[0]!;
}
