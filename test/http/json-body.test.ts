import { problemWithJson } from '../../src/validation/json-limits.js';
import { createWorld, type World } from '../support/world.js';

describe('a JSON body', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const post = (contentType: string, body: string | Buffer) =>
    world.as(world.alice).post('/suppressions/batch/add').set('Content-Type', contentType).send(body);

  it.each([
    '{',
    '{"emails": ["a@example.com"',
    'null',
    '5',
    '"text"',
    '{"emails": [undefined]}',
    '\u0000',
    '{"a":1}}',
  ])('of %j is refused with 400', async (body) => {
    const response = await post('application/json', body).expect(400);
    expect(response.body).toMatchObject({
      name: 'validation_error',
      message: 'The body is not a JSON object or array.',
    });
  });

  it('that is not UTF-8 is refused with 400', async () => {
    const latin1 = Buffer.from('{"emails": ["ada@example.com"], "note": "caf\u00e9"}', 'latin1');
    const { body } = await post('application/json', latin1)
      .serialize((sent: unknown) => sent as string)
      .expect(400);
    expect(body.message).toBe('The body is not UTF-8: encode it in UTF-8.');
  });

  it.each([
    ['post', '/suppressions'],
    ['post', '/suppressions/batch/add'],
    ['post', '/suppressions/batch/remove'],
    ['post', '/suppressions/check'],
    ['delete', '/suppressions/ada@example.com'],
  ] as const)('that is an array is refused with 400 by %s %s', async (method, path) => {
    const { body } = await world.as(world.alice)[method](path).send([{}]).expect(400);
    expect(body.message).toBe('The body must be a JSON object.');
  });

  it('nested deeper than 32 levels is refused with 400', async () => {
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    await post('application/json', `{"emails": ${nested}}`).expect(400);
    await post('application/json', `{"emails": ["a@example.com"], "other": ${nested}}`).expect(400);
    const { body } = await post(
      'application/json',
      `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    ).expect(400);
    expect(body.message).toBe('The body is nested more than 32 levels deep.');
    await post(
      'application/json',
      `{"emails": ["a@example.com"], "other": "${'['.repeat(100)}\\"{{"}`,
    ).expect(201);
  });

  it.each([
    ['an array of 300,000 objects', `[${Array(300_000).fill('{}').join()}]`],
    ['80,000 unknown fields', JSON.stringify(Object.fromEntries(numbers(80_000).map((n) => [`f${n}`, 1])))],
    ['500,000 numbers in place of addresses', `{"emails":[${Array(500_000).fill(1).join()}]}`],
  ])('with %s is refused before it is parsed', async (_what, json) => {
    const { body } = await post('application/json', json).expect(400);
    expect(body.message).toBe('The body has more than 10000 values.');
  });

  it('may have 9,000 fields that no operation reads', async () => {
    const unknown = Object.fromEntries(numbers(9_000).map((n) => [`f${n}`, 1]));
    await post('application/json', JSON.stringify({ ...unknown, emails: ['fields@example.com'] })).expect(
      201,
    );
  });

  it.each([
    ['{"email":"twice@example.com","email":"b@example.com"}', 'email'],
    ['{"email":"twice@example.com","x":{"y":[{}]},"\\u0065mail":"b@example.com"}', '\\u0065mail'],
    ['{"email":"twice@example.com","x":[{"y":1},{"y":1,"z":"y","y":2}]}', 'y'],
  ])(
    'with a name twice in one object is refused, since either value may be meant: %s',
    async (json, name) => {
      const add = world.as(world.alice).post('/suppressions').set('Content-Type', 'application/json');
      const { body } = await add.send(json).expect(400);
      expect(body.message).toBe(`The body has the field ${name} twice: send it once.`);
      expect((await world.as(world.alice).get('/suppressions/twice@example.com')).status).toBe(404);
    },
  );

  it('may have a name in several objects, and a name among its values', async () => {
    const json =
      '{"x":[{"a":1,"b":"a"},{"a":":","b":{"a":"{"}}],"y":{"x":"x\\":"},"email":"names@example.com"}';
    const add = world.as(world.alice).post('/suppressions').set('Content-Type', 'application/json');
    await add.send(json).expect(201);
  });

  const long = `"${'x'.repeat(500_000)}"`;
  it.each([
    ['colons after a long text', `[${long},${'[:],'.repeat(100_000)}1]`],
    ['commas and colons after a long text', `{${long}${',:'.repeat(200_000)}}`],
    ['colons and braces after a long text', `{${long}${':{'.repeat(20)}${'},:{'.repeat(100_000)}`],
    [
      'names without commas',
      `{${numbers(90_000)
        .map((n) => `"${n}":`)
        .join('')}1}`,
    ],
    [
      'names after each comma',
      `{${numbers(60_000)
        .map((n) => `"${n}":1`)
        .join()}}`,
    ],
    ['a long name', `{${long}:1,${long.slice(0, -1)}y":2}`],
  ])('with %s is checked without reading more than there is', (_what, json) => {
    const body = Buffer.from(json);
    const read = jest.spyOn(body, 'toString');
    problemWithJson(body, { depth: 32, values: 10_000, mayRepeatNames: false });
    const lengths = read.mock.calls.map(([, start, end]) => end! - start!);
    expect(lengths.length).toBeLessThan(10_000);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(body.length);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ])('declared as %s is refused with 415', async (contentType) => {
    const { body } = await post(contentType, 'emails=a').expect(415);
    expect(body).toMatchObject({
      statusCode: 415,
      name: 'validation_error',
      code: 'unsupported_media_type',
    });
  });

  it('of a GET is refused with 415 if it is not declared as JSON, and ignored otherwise', async () => {
    const get = () => world.as(world.alice).get('/suppressions');
    await get().set('Content-Type', 'text/plain').send('{}').expect(415);
    await get().send({}).expect(200);
  });

  it('in an unknown charset or content encoding is refused with 415', async () => {
    await post('application/json; charset=latin1', '{}').expect(415);
    await post('application/json', '{}').set('Content-Encoding', 'snappy').expect(415);
    const { body } = await post('application/json', '{}').set('Content-Encoding', 'gzip').expect(400);
    expect(body.message).toMatch(/^The body cannot be read: check its .* Content-Encoding/);
  });

  it('in another charset than UTF-8, which could hide its depth, is refused with 415', async () => {
    for (const charset of ['utf-16le', 'utf-7', 'utf-32']) {
      await post(`application/json; charset=${charset}`, '{"emails":["a@example.com"]}').expect(415);
    }
  });

  it('in a charset hidden behind another one is refused with 415', async () => {
    const body = Buffer.from(`{"\u2200":1,"emails":${'['.repeat(100)}${']'.repeat(100)}}`, 'utf16le');
    await post('application/json; x="; charset=utf-8"; charset=utf-16le', body).expect(415);
  });

  it('may be declared with parameters and in any letter case', () =>
    post('Application/JSON; charset=UTF-8', '{"emails":["json@example.com"]}').expect(201));

  it('over 1 MiB is refused with 413', async () => {
    const { body } = await post('application/json', `{"note": "${'x'.repeat(1024 * 1024)}"}`).expect(413);
    expect(body).toMatchObject({ statusCode: 413, name: 'validation_error', code: 'payload_too_large' });
  });
});

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
