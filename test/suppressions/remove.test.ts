import { createWorld, suppress, type World } from '../support/world.js';

describe('DELETE /suppressions/:suppression', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it.each(['id', 'email'] as const)('removes a record by its %s, once', async (by) => {
    const email = `by-${by}@example.com`;
    const [id] = await suppress(world, world.alice, [email]);
    const path = `/suppressions/${by === 'id' ? id : email}`;
    const { body } = await world.as(world.alice).delete(path).expect(200);
    expect(body).toEqual({ object: 'suppression', id, deleted: true });
    await world.as(world.alice).get(path).expect(404);
    await world.as(world.alice).delete(path).expect(404);
  });

  it('gives an address that is added again a new id', async () => {
    const [first] = await suppress(world, world.alice, ['again@example.com']);
    await world.as(world.alice).delete(`/suppressions/${first}`).expect(200);
    const [second] = await suppress(world, world.alice, ['again@example.com']);
    expect(second).not.toBe(first);
  });

  it('takes a note in the body', async () => {
    const [id] = await suppress(world, world.alice, ['noted@example.com']);
    await world.as(world.alice).delete(`/suppressions/${id}`).send({ note: 'New mailbox' }).expect(200);
    const { body } = await world.as(world.alice).get(`/suppressions/${id}/history`);
    expect(body.data[0]).toMatchObject({ action: 'removed', note: 'New mailbox' });
  });

  it('refuses a path that is neither an id nor an address', () =>
    world.as(world.alice).delete('/suppressions/neither').expect(400));
});

describe('POST /suppressions/batch/remove', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';
  const batchRemove = (body: object) => world.as(world.alice).post('/suppressions/batch/remove').send(body);

  it('removes by addresses: each record once, in the order of the request, without unknown addresses', async () => {
    const [a, b] = await suppress(world, world.alice, ['a@example.com', 'b@example.com']);
    const emails = ['B@example.com', 'unknown@example.com', 'a@example.com', 'b@example.com'];
    const { body } = await batchRemove({ emails }).expect(200);
    expect(body).toEqual({
      data: [b, a].map((id) => ({ object: 'suppression', id, deleted: true })),
    });
  });

  it('removes by ids: each record once, in the order of the request, without unknown ids', async () => {
    const [c, d] = await suppress(world, world.alice, ['c@example.com', 'd@example.com']);
    const ids = [d, UNKNOWN_ID, c!.toUpperCase(), d];
    const { body } = await batchRemove({ ids, note: 'Cleaning' }).expect(200);
    expect(body.data).toEqual([
      { object: 'suppression', id: d, deleted: true },
      { object: 'suppression', id: c, deleted: true },
    ]);
    const history = await world.as(world.alice).get(`/suppressions/${c}/history`);
    expect(history.body.data[0]).toMatchObject({ action: 'removed', note: 'Cleaning' });
  });

  it.each([
    [{}, 'emails'],
    [{ emails: ['a@example.com'], ids: [UNKNOWN_ID] }, 'ids'],
    [{ emails: [] }, 'emails'],
    [{ ids: [] }, 'ids'],
    [{ ids: ['a@example.com'] }, 'ids[0]'],
    [{ ids: [5] }, 'ids[0]'],
    [{ emails: ['a'] }, 'emails[0]'],
    [{ ids: Array(101).fill(UNKNOWN_ID) }, 'ids'],
  ])('refuses %j', async (body, path) => {
    const answer = await batchRemove(body).expect(400);
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toEqual([path]);
  });

  it('removes overlapping batches in different orders at once: each record once, no 5xx', async () => {
    const emails = Array.from({ length: 50 }, (_, index) => `gone-${index}@example.com`);
    await suppress(world, world.alice, emails);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        batchRemove({ emails: index % 2 ? emails : emails.toReversed() }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(answers.flatMap(({ body }) => body.data)).toHaveLength(50);
  });
});
