import { createWorld, suppress, type World } from '../support/world.js';

describe('a neighbour', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('whose batches all wait for a lock holds up nobody else', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    const [id] = await suppress(world, world.charlie, ['ada@example.com']);
    await world.as(world.charlie).get(`/suppressions/${id}`).expect(200);
    const lock = await world.database.lockRow('suppressions', 'account_id = 1');
    const waiting = Promise.all(
      Array.from({ length: 30 }, () => world.as(world.alice).delete('/suppressions/ada@example.com')),
    );
    const answers = [];
    for (let turn = 0; turn < 10; turn++) {
      answers.push((await world.as(world.charlie).get(`/suppressions/${id}`)).status);
      answers.push((await world.as(world.charlie).get('/suppressions/ada@example.com')).status);
    }
    await lock.release();
    expect(answers).toEqual(Array(20).fill(200));
    const statuses = (await waiting).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });
});
