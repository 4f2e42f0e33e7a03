import { Client } from 'pg';
import { createSource, postWithCredential, sparkpostBatch } from '../../support/sources.js';
import { until } from '../../support/until.js';
import { createWorld, type World } from '../../support/world.js';

describe('the ids of stored events', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('have the order in which their deliveries got the address locks', async () => {
    const source = await createSource(world, 'sparkpost', {
      options: { softLimit: { failures: 3, days: 7 } },
    });
    const holder = new Client(world.database.url);
    holder.on('error', () => undefined);
    await holder.connect();
    await holder.query(
      `SELECT pg_advisory_lock(hashtext('address ' || accounts.id), number)
       FROM accounts CROSS JOIN generate_series(0, 63) AS number`,
    );
    const soft = { type: 'bounce', bounce_class: '22', raw_rcpt_to: 'soft@example.com' };
    const answer = postWithCredential(world, source, sparkpostBatch([soft])).then(({ status }) => status);
    await until(async () => {
      const waiting = await world.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
      );
      return waiting.length === 1;
    });
    const [meanwhile] = await world.database.query<{ id: string }>('SELECT uuid_v7() AS id');
    await holder.end();
    expect(await answer).toBe(200);
    const stored = await world.database.query<{ isLater: boolean }>(
      'SELECT id > $1 AS "isLater" FROM delivery_events',
      [meanwhile!.id],
    );
    expect(stored).toEqual([{ isLater: true }]);
  });
});
