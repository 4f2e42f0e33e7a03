import { randomUUID } from 'node:crypto';
import { createSource, postWithCredential, sparkpostBatch } from '../../support/sources.js';
import { until } from '../../support/until.js';
import { createWorld, suppress, type World } from '../../support/world.js';

describe('concurrent deliveries', () => {
  let world: World;
  let email: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(() => (email = `${randomUUID()}@example.com`));
  afterAll(() => world.close());

  it('of different accounts do not wait for each other, however large they are', async () => {
    const softLimit = { failures: 5, days: 7 };
    const large = await createSource(world, 'sparkpost', { options: { softLimit } });
    const foreign = await createSource(world, 'sparkpost', { account: 'globex', options: { softLimit } });
    const failure = { type: 'bounce', bounce_class: '22' };
    const failures = Array.from({ length: 1_000 }, (_, index) => ({
      ...failure,
      raw_rcpt_to: `m${index}-${email}`,
    }));
    await suppress(world, world.alice, [email]);
    const row = await world.database.lockRow('suppressions', `email = '${email}'`);
    const unsubscribe = { type: 'link_unsubscribe', raw_rcpt_to: email };
    const waits = postWithCredential(world, large, sparkpostBatch([...failures, unsubscribe]));
    await until(async () => (await world.database.countWaiting()) === 1);
    const passes = await postWithCredential(
      world,
      foreign,
      sparkpostBatch([{ ...failure, raw_rcpt_to: email }]),
    );
    await row.release();
    expect(passes.status).toBe(200);
    expect((await waits).status).toBe(200);
  });

  it('and requests about the same addresses end without a deadlock', async () => {
    const sparkpost = await createSource(world, 'sparkpost');
    const emails = Array.from({ length: 20 }, (_, index) => `m${index}-${email}`);
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, seed) => {
        const some = emails.filter((__, index) => (index * (seed + 3)) % 5 < 3);
        const shuffled = some.toSorted(
          (a, b) => (((a + seed).length * seed) % 7) - ((b + seed).charCodeAt(1) % 7),
        );
        if (seed % 4 === 0) {
          return (await world.as(world.alice).post('/suppressions/batch/add').send({ emails: shuffled }))
            .status;
        }
        if (seed % 4 === 1) {
          return (await world.as(world.alice).post('/suppressions/batch/remove').send({ emails: shuffled }))
            .status;
        }
        const kinds = [
          { type: 'bounce', bounce_class: '10' },
          { type: 'spam_complaint', fbtype: 'abuse' },
          { type: 'link_unsubscribe' },
        ];
        const batch = sparkpostBatch(
          shuffled.map((raw_rcpt_to, index) => ({ ...kinds[(index + seed) % 3], raw_rcpt_to })),
        );
        return (await postWithCredential(world, sparkpost, [...batch, ...batch.toReversed()])).status;
      }),
    );
    expect(statuses.filter((status) => status > 201)).toEqual([]);
  });
});
