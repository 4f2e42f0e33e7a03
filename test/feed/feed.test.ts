import { AccountsService } from '../../src/accounts/accounts.service.js';
import { BEGINNING } from '../../src/feed/feed-position.js';
import { FeedService } from '../../src/feed/feed.service.js';
import { createWorld, suppress, type World } from '../support/world.js';

describe('the feed', () => {
  let world: World;
  let feed: FeedService;
  let acme: number;

  beforeAll(async () => {
    world = await createWorld();
    feed = world.app.get(FeedService);
    acme = (await world.app.get(AccountsService).get('acme')).id;
  });
  afterAll(() => world.close());

  it('has the changes of an account in the order in which they were made', async () => {
    await suppress(world, world.alice, ['ada@example.com', 'bob@example.com']);
    await world.as(world.alice).delete('/suppressions/ada@example.com').expect(200);
    await suppress(world, world.charlie, ['other@example.com']);
    const { changes, position, hasMore } = await feed.read(acme, BEGINNING, 1000);
    expect(changes.map(({ type, email, position: at }) => [at, type, email])).toEqual([
      [1, 'suppression.added', 'ada@example.com'],
      [2, 'suppression.added', 'bob@example.com'],
      [3, 'suppression.removed', 'ada@example.com'],
    ]);
    expect(changes[0]!.suppression).toMatchObject({ email: 'ada@example.com', cause: 'manual' });
    expect(changes[2]).toMatchObject({ suppression: null, removed: changes[0]!.suppression });
    expect(position).toEqual({ position: 3, changeId: changes[2]!.id });
    expect(hasMore).toBe(false);
    expect(await feed.head(acme)).toEqual(position);
  });
});
