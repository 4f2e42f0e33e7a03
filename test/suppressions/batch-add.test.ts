import { cases } from '../support/cases.js';
import { createWorld, suppress, type World } from '../support/world.js';

const COUNT = cases(200, 1000);

describe('POST /suppressions/batch/add', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const batchAdd = (body: unknown) =>
    world
      .as(world.alice)
      .post('/suppressions/batch/add')
      .send(body as object);

  it('answers 201 with one id for each address, in the order of the request', async () => {
    const { body } = await batchAdd({ emails: ['z@example.com', 'a@example.com', 'm@example.com'] }).expect(
      201,
    );
    expect(body.data).toEqual(Array(3).fill({ object: 'suppression', id: expect.any(String) }));
    for (const [index, email] of ['z@example.com', 'a@example.com', 'm@example.com'].entries()) {
      const found = await world.as(world.alice).get(`/suppressions/${body.data[index].id}`);
      expect(found.body).toMatchObject({ email, origin: 'manual', source_id: null });
    }
  });

  it('returns one id for an address that the request names twice', async () => {
    const { body } = await batchAdd({
      emails: ['twice@example.com', 'TWICE@example.com ', 'once@example.com'],
    });
    expect(body.data[0].id).toBe(body.data[1].id);
    expect(body.data[2].id).not.toBe(body.data[0].id);
  });

  it('returns the id of an address that is already suppressed, and does not rewrite its row', async () => {
    const rowOf = () =>
      world.database.query(`SELECT ctid, xmin, xmax, * FROM suppressions WHERE email = 'kept@example.com'`);
    const [id] = await suppress(world, world.alice, ['kept@example.com']);
    const before = await rowOf();
    const again = await suppress(world, world.alice, ['new@example.com', 'kept@example.com']);
    expect(again[1]).toBe(id);
    expect(await rowOf()).toEqual(before);
  });

  it('takes a hundred of the longest addresses', async () => {
    const emails = Array.from(
      { length: 100 },
      (_, index) => `${'ü'.repeat(120)}${index}@${'long.'.repeat(11)}example.com`,
    );
    const { body } = await batchAdd({ emails }).expect(201);
    expect(new Set(body.data.map(({ id }: { id: string }) => id)).size).toBe(100);
  });

  it.each([
    ['no emails', {}, 'emails', 'must be an array of 1 to 100 email addresses'],
    ['null', { emails: null }, 'emails', 'must be an array of 1 to 100 email addresses'],
    ['a string', { emails: 'a@example.com' }, 'emails', 'must be an array of 1 to 100 email addresses'],
    [
      'an object',
      { emails: { 0: 'a@example.com' } },
      'emails',
      'must be an array of 1 to 100 email addresses',
    ],
    ['an empty array', { emails: [] }, 'emails', 'must have at least 1 email address'],
    ['101', { emails: Array(101).fill('a@example.com') }, 'emails', 'must have at most 100 email addresses'],
    ['a note that is no text', { emails: ['a@example.com'], note: 5 }, 'note', 'must be a string'],
    [
      'a note too long',
      { emails: ['a@example.com'], note: 'x'.repeat(1001) },
      'note',
      'must have at most 1000 characters',
    ],
    [
      'a note with NUL',
      { emails: ['a@example.com'], note: '\0' },
      'note',
      'must not contain NUL characters or unpaired surrogates',
    ],
  ])('refuses %s', async (_what, body, path, message) => {
    const answer = await batchAdd(body).expect(400);
    const error = { statusCode: 400, name: 'validation_error', message: `${path} ${message}.` };
    expect(answer.body).toEqual({
      ...error,
      code: 'validation_error',
      error,
      errors: [{ path, message }],
    });
  });

  it('refuses a body that is an array', async () => {
    const { body } = await batchAdd(['a@example.com']).expect(400);
    expect(body.message).toBe('The body must be a JSON object.');
  });

  it('names each invalid address by its index, and adds none of the valid ones', async () => {
    const emails = [
      'good@example.com',
      'no-at',
      42,
      null,
      { email: 'x@example.com' },
      'a@b@c.example',
      '\u0000@example.com',
    ];
    const { body } = await batchAdd({ emails }).expect(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'emails[1]',
      'emails[2]',
      'emails[3]',
      'emails[4]',
      'emails[5]',
      'emails[6]',
    ]);
    expect(body.message).toContain('emails[1] must contain an @');
    expect(body.message).toContain('and 3 more (see errors)');
    await world.as(world.alice).get('/suppressions/good@example.com').expect(404);
  });

  it('ignores unknown fields', async () => {
    const { body } = await batchAdd({
      emails: ['extra@example.com'],
      unknown: 'field',
      __proto__: { x: 1 },
    }).expect(201);
    const found = await world.as(world.alice).get(`/suppressions/${body.data[0].id}`);
    expect(found.body.origin).toBe('manual');
  });

  it('adds overlapping batches in different orders at once: no 5xx, one id for each address', async () => {
    const addresses = Array.from({ length: 60 }, (_, index) => `busy-${index}@example.com`);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const turned = [...addresses.slice(index % 60), ...addresses.slice(0, index % 60)];
        const emails = index % 2 ? turned : turned.toReversed();
        return batchAdd({ emails }).then(({ status, body }) => ({ status, emails, body }));
      }),
    );
    const ids = new Map<string, Set<string>>(addresses.map((email) => [email, new Set()]));
    for (const { status, emails, body } of answers) {
      expect(status).toBe(201);
      emails.forEach((email, index) => ids.get(email)!.add(body.data[index].id));
    }
    expect([...ids.values()].map(({ size }) => size)).toEqual(Array(60).fill(1));
    const [ledger] = await world.database.query<{ lines: number }>(
      `SELECT count(*)::integer AS lines FROM suppression_changes WHERE email LIKE 'busy-%'`,
    );
    expect(ledger!.lines).toBe(60);
  });

  it('adds many realistic addresses, each of which is then found by address and by id', async () => {
    const addresses = Array.from(
      { length: COUNT },
      (_, index) => `First.Last+${index}@Mail${index % 7}.Example.com`,
    );
    for (let start = 0; start < COUNT; start += 100) {
      const emails = addresses.slice(start, start + 100);
      const ids = await suppress(world, world.alice, emails);
      await Promise.all(
        emails.map(async (email, index) => {
          const byAddress = await world
            .as(world.alice)
            .get(`/suppressions/${encodeURIComponent(email)}`)
            .expect(200);
          const byId = await world.as(world.alice).get(`/suppressions/${ids[index]}`).expect(200);
          expect(byAddress.body).toEqual(byId.body);
          expect(byId.body).toMatchObject({ id: ids[index], email: email.toLowerCase() });
        }),
      );
    }
  });
});
