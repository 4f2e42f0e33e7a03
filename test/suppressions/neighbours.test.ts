import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

/** Of the ten connections of an instance, three are kept for lookups. */
const WRITING_CONNECTIONS = 7;

describe('an account whose requests all wait for a lock', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('does not delay the lookups of another account', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    const [id] = await suppress(world, world.charlie, ['ada@example.com']);
    await world.as(world.charlie).get(`/suppressions/${id}`).expect(200);
    const lock = await world.database.lockRow('suppressions', 'account_id = 1');
    const removals = Promise.all(
      Array.from({ length: 30 }, () => world.as(world.alice).delete('/suppressions/ada@example.com')),
    );
    await until(async () => (await world.database.countWaiting()) === WRITING_CONNECTIONS);
    for (let turn = 0; turn < 10; turn++) {
      await world.as(world.charlie).get(`/suppressions/${id}`).expect(200);
      await world.as(world.charlie).get('/suppressions/ada@example.com').expect(200);
    }
    expect(await world.database.countWaiting()).toBe(WRITING_CONNECTIONS);
    await lock.release();
    const statuses = (await removals).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });
});
