import { DataSource } from 'typeorm';
import { FeedRepository } from '../../src/feed/feed.repository.js';
import { FeedSweep } from '../../src/feed/feed-sweep.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

describe('the sweep of the feed', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('numbers the changes of an account that nobody reads, in their order', async () => {
    const alice = await createKey(world);
    await suppress(world, alice, ['ada@example.com']);
    await suppress(world, alice, ['grace@example.com']);
    await world.app.get(FeedSweep).run();
    const [{ pending }] = await world.app
      .get(DataSource)
      .query('SELECT count(*)::integer AS pending FROM feed_pending');
    expect(pending).toBe(0);
    const { body } = await world.as(alice).get('/changes').expect(200);
    expect(body.data.map(({ email }: { email: string }) => email)).toEqual([
      'ada@example.com',
      'grace@example.com',
    ]);
  });

  it('continues with other accounts after one fails', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    await suppress(world, world.charlie, ['ada@example.com']);
    const feed = world.app.get(FeedRepository);
    const numberPending = feed.numberPending.bind(feed);
    const accountIds: number[] = [];
    feed.numberPending = (accountId) => {
      accountIds.push(accountId);
      return accountIds.length === 1 ? Promise.reject(new Error('lost')) : numberPending(accountId);
    };
    await world.app.get(FeedSweep).run();
    feed.numberPending = numberPending;
    const pending = await world.app.get(DataSource).query('SELECT DISTINCT account_id FROM feed_pending');
    expect(pending).toEqual([{ account_id: accountIds[0] }]);
  });
});
