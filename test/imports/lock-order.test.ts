import { ended, importFile, upload } from '../support/imports.js';
import { suppress, createWorld, type World } from '../support/world.js';

describe('an import locks no later address while it waits for an earlier one', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const byHand = (email: string) => suppress(world, world.alice, [email]);
  const byEvent = (email: string) =>
    world.as(world.alice).post('/events').send({ type: 'complaint', email }).expect(200);
  const byImport = (email: string) =>
    importFile(world, world.alice, `email,cause\n${email},complaint\n`, { format: 'csv' });

  it.each([
    {
      title: 'with the second cause of the earlier one',
      earlier: byEvent,
      later: byHand,
      causes: ['complaint', 'unsubscribe'],
      strengthened: 2,
    },
    {
      title: 'with the second cause of the earlier one, if another import added the later one',
      earlier: byEvent,
      later: byImport,
      causes: ['complaint', 'unsubscribe'],
      strengthened: 1,
    },
    {
      title: 'with its only cause, if another import added the later one',
      earlier: byHand,
      later: byImport,
      causes: ['complaint'],
      strengthened: 1,
    },
  ])('$title', async ({ title, earlier, later, causes, strengthened }) => {
    const [first, last] = ['ada', 'zoe'].map((name) => `${name}-${title.length}@example.com`) as [
      string,
      string,
    ];
    await earlier(first);
    await later(last);
    const { release } = await world.database.lockRow('suppressions', `email = '${first}'`);
    const rows = causes.map((cause) => `${first},${cause}\n`).join('');
    const { body } = await upload(world, world.alice, `email,cause\n${last},complaint\n${rows}`).expect(202);
    await world.database.untilWaiting();
    const unlocked = await world.database.query(
      'SELECT email FROM suppressions WHERE email = $1 FOR UPDATE SKIP LOCKED',
      [last],
    );
    await release();
    expect(await ended(world, world.alice, body.id)).toMatchObject({ status: 'completed', strengthened });
    expect(unlocked).toEqual([{ email: last }]);
  });
});
