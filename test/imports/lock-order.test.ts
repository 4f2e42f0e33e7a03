import { ended, importFile, upload } from '../support/imports.js';
import { suppress, createWorld, type World } from '../support/world.js';

describe('an import that changes several causes of its addresses', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it.each([
    [
      'an event',
      (email: string) => world.as(world.alice).post('/events').send({ type: 'complaint', email }).expect(200),
    ],
    [
      'another import',
      (email: string) => importFile(world, world.alice, `email,cause\n${email},complaint\n`),
    ],
  ])('locks no later address while it waits for an earlier one that %s added', async (what, add) => {
    const [first, last] = ['ada', 'zoe'].map((name) => `${name}-${what.length}@example.com`) as [
      string,
      string,
    ];
    await add(first);
    await suppress(world, world.alice, [last]);
    const { release } = await world.database.lockRow('suppressions', `email = '${first}'`);
    const file = `email,cause\n${last},complaint\n${first},complaint\n${first},unsubscribe\n`;
    const { body } = await upload(world, world.alice, file).expect(202);
    await world.database.untilWaiting();
    const unlocked = await world.database.query(
      'SELECT email FROM suppressions WHERE email = $1 FOR UPDATE SKIP LOCKED',
      [last],
    );
    expect(unlocked).toEqual([{ email: last }]);
    await release();
    expect(await ended(world, world.alice, body.id)).toMatchObject({ status: 'completed', strengthened: 2 });
  });
});
