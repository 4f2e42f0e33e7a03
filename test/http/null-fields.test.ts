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

/** Null is a value of some settings of the account. A batch to remove needs `emails`, or else `ids`. */
const EXCEPTIONS = ['/account', '/suppressions/batch/remove emails'];

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

  it.each([
    { emails: ['ada@example.com'], ids: null },
    { emails: null, ids: ['0198a5fa-1c3d-7e2b-8a90-4b5c6d7e8f90'] },
  ])('can be null if the other one is given: POST /suppressions/batch/remove %j', async (body) => {
    await world.as(world.alice).post('/suppressions/batch/remove').send(body).expect(200);
  });

  it('removes what the description says, if null is not its absence', async () => {
    const api = world.as(world.alice);
    const { body: topic } = await api
      .post('/topics')
      .send({ name: 'News', description: 'Monthly', default_subscription: 'opt_in' });
    await api.patch(`/topics/${topic.id}`).send({ description: null }).expect(200);
    const { body: changed } = await api.get(`/topics/${topic.id}`);
    expect(changed).toMatchObject({ name: 'News', description: null });
  });
});
