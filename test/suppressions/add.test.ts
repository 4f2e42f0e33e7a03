import { createWorld, setCause, type World } from '../support/world.js';

describe('POST /suppressions', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const add = (body: object) => world.as(world.alice).post('/suppressions').send(body);

  it('answers 201 with a new id, then 200 with the same id', async () => {
    const first = await add({ email: 'Ada@Example.com' }).expect(201);
    expect(first.body).toEqual({ object: 'suppression', id: expect.any(String) });
    const second = await add({ email: 'ada@example.com' }).expect(200);
    expect(second.body).toEqual(first.body);
  });

  it('adds an address once when many add it at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => add({ email: 'race@example.com' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('makes a bounce manual, and keeps its id and its time', async () => {
    const { body } = await add({ email: 'bounced@example.com' });
    await setCause(world, body.id, 'bounce', '5e2ff6b2-5a43-4b10-a9b0-6f2e6d4c0a11');
    const before = await world.as(world.alice).get(`/suppressions/${body.id}`);
    expect(before.body).toMatchObject({
      origin: 'bounce',
      source_id: '5e2ff6b2-5a43-4b10-a9b0-6f2e6d4c0a11',
    });
    await add({ email: 'bounced@example.com', note: 'They asked, too' }).expect(200);
    const after = await world.as(world.alice).get(`/suppressions/${body.id}`);
    expect(after.body).toEqual({ ...before.body, origin: 'manual', source_id: null });
    const history = await world.as(world.alice).get(`/suppressions/${body.id}/history`);
    expect(history.body.data[0]).toMatchObject({
      action: 'strengthened',
      cause: 'manual',
      note: 'They asked, too',
    });
  });

  it.each(['complaint', 'unsubscribe'])('leaves a %s as it is', async (cause) => {
    const { body } = await add({ email: `${cause}@example.com` });
    await setCause(world, body.id, cause, null);
    const before = await world.as(world.alice).get(`/suppressions/${body.id}`);
    await add({ email: `${cause}@example.com` }).expect(200);
    const after = await world.as(world.alice).get(`/suppressions/${body.id}`);
    expect(after.body).toEqual(before.body);
  });

  it('shows an unsubscribe as manual with a null source id', async () => {
    const { body } = await add({ email: 'left@example.com' });
    await setCause(world, body.id, 'unsubscribe', '5e2ff6b2-5a43-4b10-a9b0-6f2e6d4c0a11');
    const found = await world.as(world.alice).get(`/suppressions/${body.id}`);
    expect(found.body).toMatchObject({ origin: 'manual', source_id: null });
  });

  it.each([
    [{}, 'must be given'],
    [{ email: null }, 'must be a string'],
    [{ email: ['a@example.com'] }, 'must be a string'],
    [{ email: 'nobody' }, 'must contain an @'],
    [
      { email: 'a@example.com, b@example.com' },
      'must be one address alone: name@domain, without spaces, brackets or commas',
    ],
    [
      { email: 'Ada <ada@example.com>' },
      'must be one address alone: name@domain, without spaces, brackets or commas',
    ],
  ])('refuses %j', async (body, message) => {
    const answer = await add(body).expect(400);
    expect(answer.body.errors).toEqual([{ path: 'email', message }]);
  });
});
