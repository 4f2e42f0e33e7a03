import { transactionBefore } from '../../src/database/transaction.js';
import { CAUSES } from '../../src/ledger/cause.js';
import type { DataSource } from 'typeorm';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { RemovalsRepository } from '../../src/suppressions/removals.repository.js';
import { createSource, postWithCredential, sparkpostBatch, type TestSource } from '../support/sources.js';
import { until } from '../support/until.js';
import { createWorld, setCause, suppress, type World } from '../support/world.js';

const ACME = 1;
const ACTOR = { type: 'cli', id: null, name: 'test' } as const;

describe('the revisions of an address', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const history = async (address: string, query: object = {}) => {
    const { body } = await world
      .as(world.alice)
      .get(`/suppressions/${address}/history`)
      .query(query)
      .expect(200);
    return body.data as { id: string; action: string }[];
  };
  it('rise with its changes, even if one has to wait for another', async () => {
    const [id] = await suppress(world, world.alice, ['waiting@example.com']);
    await setCause(world, id!, 'bounce', null);
    const dataSource = world.app.get<DataSource>(getDataSourceToken());
    const emails = ['waiting@example.com' as EmailAddress];
    const { adding } = await transactionBefore(
      dataSource,
      performance.now() + 20_000,
      async (transaction) => {
        await world.app
          .get(RemovalsRepository)
          .lift(
            { accountId: ACME, actor: ACTOR },
            { emails },
            { cause: null, note: null, liftable: CAUSES },
            transaction,
          );
        // Two that would strengthen the record, and wait for its removal.
        const waiting = Promise.all([1, 2].map(() => suppress(world, world.alice, emails)));
        await until(async () => (await world.database.countWaiting()) === 2);
        return { adding: waiting };
      },
    );
    const [[first], [second]] = (await adding) as [string[], string[]];
    expect(first).toBe(second);
    expect((await history('waiting@example.com')).map(({ action }) => action)).toEqual([
      'added',
      'removed',
      'added',
    ]);
  });

  describe('while the database clock goes back', () => {
    let source: TestSource;
    beforeAll(async () => {
      source = await createSource(world, 'sparkpost', {
        options: { softLimit: { failures: 2, days: 7 } },
      });
      await world.database.query('CREATE SEQUENCE clock_steps');
      await world.database.query(`
        CREATE FUNCTION backward_clock() RETURNS timestamptz LANGUAGE sql VOLATILE
        AS $$ SELECT clock_timestamp() - nextval('clock_steps') * interval '1 minute' $$`);
      const functions = await world.database.query<{ definition: string }>(
        `SELECT pg_get_functiondef(oid) AS definition FROM pg_proc WHERE proname IN ('uuid_v7', 'uuid_v7_from')`,
      );
      for (const { definition } of functions) {
        await world.database.query(definition.replace('clock_timestamp()', 'backward_clock()'));
      }
      await world.database.query(
        'ALTER TABLE suppression_changes ALTER COLUMN created_at SET DEFAULT backward_clock()',
      );
    });

    it('give the history its order, page by page', async () => {
      const expected: string[] = [];
      for (let round = 0; round < 3; round++) {
        await suppress(world, world.alice, ['back@example.com']);
        await world.as(world.alice).delete('/suppressions/back@example.com').expect(200);
        expected.unshift('removed', 'added');
      }
      const whole = await history('back@example.com');
      expect(whole.map(({ action }) => action)).toEqual(expected);
      expect(whole.map(({ id }) => id)).toEqual(whole.map(({ id }) => id).sort());
      const first = await history('back@example.com', { limit: 4 });
      const second = await history('back@example.com', { limit: 4, after: first[3]!.id });
      expect([...first, ...second]).toEqual(whole);
    });

    it('keep failures from before a removal out of the soft limit', async () => {
      const fail = async () => {
        const deferral = { type: 'bounce', bounce_class: '22', raw_rcpt_to: 'soft@example.com' };
        const { status } = await postWithCredential(world, source, sparkpostBatch([deferral]));
        expect(status).toBe(200);
      };
      const get = () => world.as(world.alice).get('/suppressions/soft@example.com');
      await fail();
      await fail();
      await get().expect(200);
      await world.as(world.alice).delete('/suppressions/soft@example.com').expect(200);
      await fail();
      await get().expect(404);
      await fail();
      await get().expect(200);
    });
  });
});
