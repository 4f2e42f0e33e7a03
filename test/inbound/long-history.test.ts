import { randomUUID } from 'node:crypto';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { poolOf } from '../../src/database/pool.js';
import { findRecord, reportByResend, reportSoftFailure, type Fact } from '../support/facts.js';
import { importFile } from '../support/imports.js';
import { forbidStatistics, rowsOfStatements, recordStatements, type Statements } from '../support/plans.js';
import {
  createSource,
  postResend,
  postWithCredential,
  sparkpostBatch,
  type TestSource,
} from '../support/sources.js';
import { createWorld, type World } from '../support/world.js';

const EMAIL = 'probe@example.com';
/** Lines of the ledger, and as many events, in equal parts of each kind. */
const LINES = 100_000;
/** Far fewer than the lines of any kind. */
const MAX_ROWS = 5_000;
/** In the background, whenever it is time: they read up to 5,000 events, and pass them through several nodes of the plan. */
const WATCHING = ['count-results-of-events', 'read-bounces-of-events'];
const MAX_WATCHED_ROWS = 60_000;
const FACTS: Fact[] = ['bounce', 'manual', 'complaint', 'unsubscribe', 'resubscribe', 'removed', 'listed'];

describe('an address with a hundred thousand lines in the ledger, and as many events', () => {
  let world: World;
  let resend: TestSource;
  let sparkpost: TestSource;
  const used: Statements = new Map();

  beforeAll(async () => {
    world = await createWorld({ DATABASE_POOL_SIZE: '2' });
    recordStatements(world, used);
    await forbidStatistics(world);
    resend = await createSource(world, 'resend');
    sparkpost = await createSource(world, 'sparkpost', {
      options: { softLimit: { failures: 3, days: 7 } },
    });
    await world
      .as(world.alice)
      .patch('/account')
      .send({ bounce_expiry: ['7d', '30d'] })
      .expect(200);
    await reportAll('first@example.com');
    await writeHistory();
  });
  afterAll(async () => {
    await world?.close();
  });

  /** Every kind of event, and an import. */
  const reportAll = async (email: string) => {
    for (const fact of FACTS) {
      await reportByResend(world, resend, fact, email);
    }
    for (const subscription of ['opt_out', 'opt_in']) {
      const data = { email, topics: [{ id: 'news', subscription }] };
      const body = { type: 'contact.topics.updated', created_at: new Date().toISOString(), data };
      expect((await postResend(world, resend, body)).status).toBe(200);
    }
    await reportSoftFailure(world, sparkpost, email);
    await importFile(world, world.alice, `email,cause\n${email},bounce\n${email},complaint\n`);
  };

  /**
   * Records that were added and removed, one after the other; opt-ins and opt-outs; and a record that one source reported again and
   * again, and changed in its weaker cause. Most events do not count for what they are asked for.
   */
  const writeHistory = async () => {
    const [topic] = await world.database.query<{ id: string }>('SELECT id FROM topics');
    const record = randomUUID();
    await world.database.query(
      `INSERT INTO suppressions (account_id, email, id, cause, created_at) VALUES ($1, $2, $3, 'manual', now())`,
      [resend.accountId, EMAIL, record],
    );
    const kinds = `(VALUES
      ('added', 'manual', false, false), ('cause_added', 'bounce', false, false), ('cause_removed', 'bounce', false, false),
      ('removed', 'manual', false, false), ('opted_out', NULL, true, false), ('opted_in', NULL, true, false),
      ('cause_added', 'bounce', false, true), ('cause_removed', 'bounce', false, true)
    ) AS kind (action, cause, is_choice, is_current)`;
    await world.database.query(
      `INSERT INTO suppression_changes
        (account_id, email, action, cause, suppression_id, topic_id, actor_type, actor_id, actor_name, occurred_at)
      SELECT $1, $2, action::suppression_action, cause::suppression_cause,
        CASE WHEN is_current THEN $3::uuid WHEN NOT is_choice THEN md5('record' || number)::uuid END,
        CASE WHEN is_choice THEN $4::uuid END,
        'source', $5::uuid, 'resend', now() - number * interval '1 minute'
      FROM generate_series(1, ${LINES} / 8) AS number, ${kinds}
      ORDER BY number`,
      [resend.accountId, EMAIL, record, topic!.id, resend.id],
    );
    await world.database.query(
      `INSERT INTO suppression_changes
        (account_id, email, action, cause, suppression_id, actor_type, actor_id, actor_name)
      VALUES ($1, $2, 'added', 'manual', $3, 'source', $4, 'resend')`,
      [resend.accountId, EMAIL, record, resend.id],
    );
    const events = `(VALUES
      ($4::uuid, 'manual', 'suppress', 'nothing', $3::uuid, NULL::uuid), ($4, 'bounce', 'suppress', 'nothing', NULL, NULL),
      ($4, 'removed', 'lift', 'removed', $3, NULL), ($4, 'unsubscribe', 'opt-out', 'opted_out', NULL, $6::uuid),
      ($5, 'bounce', 'watch', 'counted', NULL, NULL), ($5, 'unknown', 'watch', 'counted', NULL, NULL),
      ($5, 'delivered', 'success', 'nothing', NULL, NULL), ($4, 'unknown', 'none', 'nothing', NULL, NULL)
    ) AS event (source_id, kind, effect, outcome, suppression_id, topic_id)`;
    await world.database.query(
      `INSERT INTO delivery_events
        (account_id, recipient, received_at, occurred_at, source_id, key, kind, effect, outcome, suppression_id, topic_id,
          raw_message_id, revision, reason)
      SELECT $1, $2, now(), now() - (${LINES} - number) * interval '1 second', source_id,
        md5(number || source_id::text || kind || effect), kind::delivery_event_kind, effect::delivery_event_effect,
        outcome::delivery_event_outcome, suppression_id, topic_id,
        CASE WHEN effect = 'watch' THEN 'repeated' END, CASE WHEN effect = 'watch' THEN 1 END, 'It happened.'
      FROM generate_series(1, ${LINES} / 8) AS number, ${events}
      ORDER BY number`,
      [resend.accountId, EMAIL, record, resend.id, sparkpost.id, topic!.id],
    );
  };

  it.each(['force_generic_plan', 'force_custom_plan'])(
    'costs an event a bounded number of rows (%s)',
    async (mode) => {
      await reportAll(EMAIL);
      const pool = poolOf(world.app.get<DataSource>(getDataSourceToken()));
      const handled = await rowsOfStatements(pool, used, mode);
      expect(Object.keys(handled)).toEqual(
        expect.arrayContaining([
          'find-address-states',
          'find-soft-failures',
          'find-effective-choices',
          'find-withdrawn-since',
          'set-topic-preferences',
        ]),
      );
      const limitOf = (name: string) => (WATCHING.includes(name) ? MAX_WATCHED_ROWS : MAX_ROWS);
      expect(Object.entries(handled).filter(([name, rows]) => rows > limitOf(name))).toEqual([]);
    },
  );

  it('holds up neither its own deliveries nor another account', async () => {
    const deliver = async (number: number) => {
      const raw_rcpt_to = [EMAIL, `healthy${number}@example.com`];
      const events = raw_rcpt_to.flatMap((address) =>
        ['10', '22'].map((bounce_class) => ({ type: 'bounce', bounce_class, raw_rcpt_to: address })),
      );
      return (await postWithCredential(world, sparkpost, sparkpostBatch(events))).status;
    };
    const charlie = world.as(world.charlie);
    const check = async () => (await charlie.post('/suppressions/check').send({ emails: [EMAIL] })).status;
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, number) => [await deliver(number), await check()]),
    );
    expect(new Set(statuses.flat())).toEqual(new Set([200]));
    expect(await findRecord(world, 'healthy19@example.com')).toMatchObject({ cause: 'bounce' });
  });
});
