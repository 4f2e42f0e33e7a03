import { readFileSync } from 'node:fs';
import { createWorld, type World } from '../support/world.js';

interface Schema {
  $ref?: string;
  oneOf?: Schema[];
  required?: string[];
  properties?: Record<string, unknown>;
}

interface Document {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
}

/** Of the account, null is a value of some settings. Of the others, exactly one must be given. */
const EXCEPTIONS = ['/account', '/suppressions/batch/remove emails', '/suppressions/batch/remove ids'];

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as Document;

const OPTIONAL_FIELDS = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { requestBody }]) => {
    const schema = requestBody?.content['application/json']?.schema ?? {};
    const { $ref } = schema.oneOf?.[0] ?? schema;
    const { properties = {}, required = [] } = components.schemas[$ref?.split('/').at(-1) ?? ''] ?? {};
    return Object.keys(properties)
      .filter((field) => !required.includes(field))
      .filter((field) => !EXCEPTIONS.includes(path) && !EXCEPTIONS.includes(`${path} ${field}`))
      .map((field) => [method as 'post', path, field] as const);
  }),
);

describe('an optional field of a body', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it.each(OPTIONAL_FIELDS)('can be null: %s %s, %s', async (method, path, field) => {
    const url = path.replaceAll(/\{\w+\}/g, '0198a5fa-1c3d-7e2b-8a90-4b5c6d7e8f90');
    const { body } = await world
      .as(world.alice)
      [method](url)
      .send({ [field]: null });
    const errors = (body.errors ?? []) as { path: string }[];
    expect(errors.filter((error) => error.path === field)).toEqual([]);
  });
});
