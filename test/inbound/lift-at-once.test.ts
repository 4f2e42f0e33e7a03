import { randomUUID } from 'node:crypto';
import { DIALECTS } from '../support/day-dialects.js';
import { createSource, post, readLedger, type TestSource } from '../support/sources.js';
import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

const GROUP_OF_ALL_MAIL = 7;
const { prove, secrets } = DIALECTS.sendgrid!;

describe('a resubscribe, and a later unsubscribe of the same source in the same moment', () => {
  let world: World;
  let sendgrid: TestSource;
  beforeAll(async () => {
    world = await createWorld();
    const options = { unsubscribeGroups: [GROUP_OF_ALL_MAIL] };
    sendgrid = await createSource(world, 'sendgrid', { secrets: secrets!, options });
  });
  afterAll(() => world.close());

  const tell = async (...events: object[]) => {
    const text = JSON.stringify(events);
    const { status } = await post(world, sendgrid, text, prove(text, '', {}));
    expect(status).toBe(200);
  };
  const waiting = async () => {
    const [row] = await world.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row!.count;
  };

  it('leave the address suppressed', async () => {
    const email = 'ada@example.com';
    const held = 'zoe@example.com';
    await suppress(world, world.alice, [held]);
    await tell(event('unsubscribe', email, 30));
    const row = await world.database.lockRow('suppressions', `email = '${held}'`);
    const later = tell(event('unsubscribe', email, 10), event('unsubscribe', held, 10));
    await until(async () => (await waiting()) === 1);
    let isOver = false;
    const lift = tell(event('group_resubscribe', email, 20)).then(() => (isOver = true));
    await until(async () => isOver || (await waiting()) === 2);
    await row.release();
    await Promise.all([later, lift]);
    expect(await readLedger(world, email)).toEqual(['added unsubscribe by sendgrid']);
  });
});

function event(type: string, email: string, secondsAgo: number): object {
  const timestamp = Math.floor(Date.now() / 1000) - secondsAgo;
  return { event: type, email, timestamp, sg_event_id: randomUUID(), asm_group_id: GROUP_OF_ALL_MAIL };
}
