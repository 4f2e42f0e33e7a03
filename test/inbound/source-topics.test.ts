import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { tmpdir } from 'node:os';
import { DataSource } from 'typeorm';
import { OptOutMovesService, type SourceTopicKey } from '../../src/inbound/sources/opt-out-moves.service.js';
import { runCommand } from '../support/command-line.js';
import { basic } from '../support/deliveries.js';
import {
  createSource,
  mailgunBody,
  post,
  postResend,
  postWithCredential,
  sparkpostBatch,
  type Headers,
  type TestSource,
} from '../support/sources.js';
import { TEST_SECRETS_KEY } from '../support/test-app.js';
import { ended, importFile } from '../support/imports.js';
import { untilErased } from '../support/erasures.js';
import { createKey, createWorld, sendPatiently, type World } from '../support/world.js';

const ADA = 'ada@example.com';
const EVE = 'eve@example.com';
const GROUP_KEY = 'sendgrid-group-10';
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

describe('an unsubscribe from one kind of mail', () => {
  let world: World;
  let alice: string;
  let account: string;
  let sendgrid: TestSource;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => {
    alice = await createKey(world);
    account = (await world.as(alice).get('/account')).body.name;
    const verification_key = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    sendgrid = await createSource(world, 'sendgrid', { account, secrets: { verification_key } });
  });
  afterAll(() => world.close());

  let seconds = 1_763_632_740;
  const eventOf = (type: string, fields: object = {}) => ({
    event: type,
    email: ADA,
    sg_event_id: randomUUID(),
    timestamp: seconds++,
    asm_group_id: 10,
    ...fields,
  });
  const report = (type: string, fields: object = {}, status = 200) =>
    deliver([eventOf(type, fields)], status);
  const deliver = async (events: object[], status = 200) => {
    const body = JSON.stringify(events);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = {
      'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
      'X-Twilio-Email-Event-Webhook-Signature': sign(
        'sha256',
        Buffer.from(timestamp + body),
        keys.privateKey,
      ).toString('base64'),
    };
    expect((await post(world, sendgrid, body, headers)).status).toBe(status);
  };
  const createTopic = async (name: string): Promise<string> =>
    (await world.as(alice).post('/topics').send({ name, default_subscription: 'opt_in' }).expect(201)).body
      .id;
  const cli = async (line: string) => {
    const settings = { DATABASE_URL: world.database.url, SECRETS_KEY: TEST_SECRETS_KEY };
    return runCommand(line.split(' '), settings, tmpdir());
  };
  const map = async (mapping: string, source = sendgrid) => {
    const { code, problems } = await cli(`source map ${source.id} ${mapping}`);
    expect({ code, problems }).toEqual({ code: 0, problems: [] });
  };
  const check = async (body: object = {}, email = ADA) =>
    (
      await world
        .as(alice)
        .post('/suppressions/check')
        .send({ emails: [email], ...body })
    ).body.data?.[0]?.verdict;
  const lastEvent = async () => (await world.as(alice).get('/events').query({ email: ADA })).body.data[0];
  const history = async (): Promise<Record<string, unknown>[]> =>
    (await world.as(alice).get(`/suppressions/${ADA}/history`)).body.data;
  const topics = async () =>
    JSON.parse((await cli(`source show ${sendgrid.id} --json`)).stdout).topics as object[];

  it('that is mapped stops the mail of that topic, and not the password reset', async () => {
    const news = await createTopic('News');
    await map('news=group:10');
    await report('group_unsubscribe');
    expect(await check({ topic: 'news' })).toBe('suppressed');
    expect(await check()).toBe('send');
    expect(await check({ transactional: true })).toBe('send');
    expect(await lastEvent()).toMatchObject({
      kind: 'unsubscribe',
      effect: 'opt-out',
      outcome: 'opted_out',
      topic: news,
      suppression_id: null,
    });
    expect(await history()).toMatchObject([
      { action: 'opted_out', topic: news, actor: { type: 'source', id: sendgrid.id } },
    ]);
    const [{ via }] = (await world.database.query('SELECT via FROM topic_preferences WHERE topic_id = $1', [
      news,
    ])) as [{ via: string }];
    expect(via).toBe('source');
    await report('group_unsubscribe');
    expect(await lastEvent()).toMatchObject({ outcome: 'nothing', topic: news });
  });

  it('survives the revert of an import that had added it before', async () => {
    await createTopic('News');
    await map('news=group:10');
    const { id } = await importFile(world, alice, `${ADA}\n`, { topic: 'news' });
    await report('group_unsubscribe');
    expect(await lastEvent()).toMatchObject({ outcome: 'nothing' });
    await world.as(alice).post(`/imports/${id}/revert`).expect(202);
    expect(await ended(world, alice, id)).toMatchObject({ status: 'reverted', reverted: 0 });
    expect(await check({ topic: 'news' })).toBe('suppressed');
  });

  it('that nobody mapped is an opt-out of a private topic, which the source shows', async () => {
    await report('group_unsubscribe');
    await report('group_unsubscribe', { email: EVE });
    expect(await check({ topic: GROUP_KEY })).toBe('suppressed');
    expect(await check()).toBe('send');
    const { body } = await world.as(alice).get(`/topics/${GROUP_KEY}`).expect(200);
    expect(body).toMatchObject({ visibility: 'private', default_subscription: 'opt_in' });
    expect(await topics()).toEqual([{ unit: 'group:10', topic: GROUP_KEY, mapped: false }]);
    expect((await cli(`source show ${sendgrid.id}`)).stdout).toMatch(/group:10 +sendgrid-group-10 +false/);
  });

  it('stays with the topic that the service created, if a person maps the group to that topic', async () => {
    await report('group_unsubscribe');
    await map(`${GROUP_KEY}=group:10`);
    expect(await topics()).toEqual([{ unit: 'group:10', topic: GROUP_KEY, mapped: true }]);
    expect(await check({ topic: GROUP_KEY })).toBe('suppressed');
  });

  it('moves to the topic that the group is mapped to later', async () => {
    await report('group_unsubscribe');
    await report('group_unsubscribe', { email: EVE });
    await createTopic('News');
    await world
      .as(alice)
      .patch(`/contacts/${EVE}/topics`)
      .send([{ id: 'news', subscription: 'opt_in' }]);
    await map('news=group:10');
    expect(await check({ topic: 'news' })).toBe('suppressed');
    expect(await check({ topic: 'news' }, EVE)).toBe('send');
    await world.as(alice).get(`/topics/${GROUP_KEY}`).expect(404);
    expect(await topics()).toEqual([{ unit: 'group:10', topic: 'news', mapped: true }]);
    await report('group_resubscribe');
    expect(await check({ topic: 'news' })).toBe('send');
  });

  /** @returns the topic that the opt-outs move to */
  async function beginMove(recipients: number): Promise<string> {
    await report('group_unsubscribe');
    const { id: news } = (
      await world.as(alice).post('/topics').send({ name: 'News', default_subscription: 'opt_in' })
    ).body;
    await world.database.query(
      `INSERT INTO topic_preferences (account_id, email, contact_id, topic_id, subscription, via)
      SELECT account_id, 'user' || n || '@example.com', gen_random_uuid(), topic_id, 'opt_out', 'source'
      FROM source_topics, generate_series(1, $2) AS n
      WHERE source_id = $1`,
      [sendgrid.id, recipients],
    );
    await world.database.query(
      'UPDATE source_topics SET moving_from = topic_id, topic_id = $2, is_mapped = true WHERE source_id = $1',
      [sendgrid.id, news],
    );
    return news;
  }

  async function moving(): Promise<(SourceTopicKey & { movedUpTo: string }) | undefined> {
    const [row] = await world.database.query(
      `SELECT account_id AS "accountId", source_id AS "sourceId", unit_kind AS "unitKind", unit_name AS "unitName",
        moved_up_to AS "movedUpTo"
      FROM source_topics WHERE source_id = $1 AND moving_from IS NOT NULL`,
      [sendgrid.id],
    );
    return row as (SourceTopicKey & { movedUpTo: string }) | undefined;
  }

  it('moves in short transactions, and in the background if the command is interrupted', async () => {
    const recipients = 2_500;
    const news = await beginMove(recipients);
    await world.app.get(OptOutMovesService).run();
    const [moved] = await world.database.query(
      `SELECT count(*)::int AS lines, count(DISTINCT xmin::text)::int AS transactions FROM suppression_changes
      WHERE topic_id = $1`,
      [news],
    );
    expect(moved).toEqual({ lines: recipients + 1, transactions: 3 });
    expect(await world.database.query('SELECT FROM source_topics WHERE moving_from IS NOT NULL')).toEqual([]);
  });

  it.each(['again', 'for the first time'])(
    'does not move if its recipient is opting in to that topic %s',
    async (how) => {
      const news = await beginMove(0);
      if (how === 'again') {
        const choices = [{ id: news, subscription: 'opt_out' }];
        await world.as(alice).patch(`/contacts/${ADA}/topics`).send(choices).expect(200);
      }
      const { accountId } = (await moving())!;
      let moves: Promise<void> | undefined;
      await world.app.get(DataSource).transaction(async (transaction) => {
        await transaction.query(
          `INSERT INTO topic_preferences (account_id, email, contact_id, topic_id, subscription, via)
          VALUES ($1, $2, gen_random_uuid(), $3, 'opt_in', 'api')
          ON CONFLICT (account_id, email, topic_id) DO UPDATE
          SET subscription = 'opt_in', updated_at = clock_timestamp()`,
          [accountId, ADA, news],
        );
        moves = world.app.get(OptOutMovesService).run();
        await world.database.untilWaiting();
      });
      await moves;
      expect(await check({ topic: 'news' })).toBe('send');
    },
  );

  it('that has moved is not read again after an interruption', async () => {
    const news = await beginMove(1_500);
    const row = await moving();
    const moves = world.app.get(OptOutMovesService);
    let steps = 0;
    await moves.finish(row!, () => steps++ === 1);
    await world.database.query(`DELETE FROM topic_preferences WHERE topic_id = $1`, [news]);
    await moves.run();
    expect(
      await world.database.query(
        'SELECT count(*)::int AS "movedAfterwards" FROM topic_preferences WHERE topic_id = $1',
        [news],
      ),
    ).toEqual([{ movedAfterwards: 501 }]);
  });

  it('moves although its address was erased meanwhile, and its block kept', async () => {
    await beginMove(1_500);
    const moves = world.app.get(OptOutMovesService);
    let steps = 0;
    await moves.finish((await moving())!, () => steps++ === 1);
    const last = 'user999@example.com';
    expect((await moving())!.movedUpTo < last).toBe(true);
    const kept = { keep_block: true, reference: 'Case 4711' };
    await untilErased(world, async () => world.as(alice).post(`/contacts/${last}/erase`).send(kept));
    await moves.run();
    expect(await check({ topic: 'news' }, last)).toBe('suppressed');
  });

  it('moves in steps of a bounded size, however many opt-outs are from other topics', async () => {
    const news = await beginMove(10);
    const offers = await createTopic('Offers');
    await world.database.query(
      `INSERT INTO topic_preferences (account_id, email, contact_id, topic_id, subscription, via)
      SELECT account_id, 'other' || n || '@example.com', gen_random_uuid(), $2, 'opt_out', 'source'
      FROM source_topics, generate_series(1, 22000) AS n
      WHERE source_id = $1`,
      [sendgrid.id, offers],
    );
    const moves = world.app.get(OptOutMovesService);
    const steps: string[] = [];
    for (let row = await moving(); row; row = await moving()) {
      let step = 0;
      await moves.finish(row, () => step++ === 1);
      steps.push(row.movedUpTo);
    }
    expect(steps).toEqual(['', expect.stringMatching(/^other/), expect.stringMatching(/^other/)]);
    const moved = await world.database.query('SELECT FROM topic_preferences WHERE topic_id = $1', [news]);
    expect(moved).toHaveLength(11);
  });

  it('keeps a source from being deleted until it has moved, though another move fails', async () => {
    await createTopic('News');
    await report('group_unsubscribe');
    const other = await createSource(world, 'sparkpost', { account });
    const event = { type: 'list_unsubscribe', raw_rcpt_to: EVE, list_id: 'news.example.com' };
    await postWithCredential(world, other, sparkpostBatch([event]));
    await world.database.query(
      `UPDATE source_topics SET moving_from = topic_id, is_mapped = true, topic_id = (
        SELECT id FROM topics WHERE account_id = source_topics.account_id AND key = 'news'
      )
      WHERE source_id = ANY ($1)`,
      [[sendgrid.id, other.id]],
    );
    expect((await cli(`source delete ${sendgrid.id}`)).problems).toEqual([
      expect.stringContaining('still moving'),
    ]);
    const locked = await world.database.lockRow('source_topics', `source_id = '${other.id}'`);
    const moves = world.app.get(OptOutMovesService).run();
    await world.database.cancelWaiting();
    await moves;
    await locked.release();
    expect([await check({ topic: 'news' }), await check({ topic: 'news' }, EVE)]).toEqual([
      'suppressed',
      'send',
    ]);
    expect((await cli(`source delete ${sendgrid.id}`)).code).toBe(0);
    expect(await check({ topic: 'news' })).toBe('suppressed');
  });

  it('is not reverted by a resubscribe before it has moved', async () => {
    await createTopic('News');
    await report('group_unsubscribe');
    await world.database.query(
      'UPDATE source_topics SET moving_from = topic_id, is_mapped = true WHERE source_id = $1',
      [sendgrid.id],
    );
    await report('group_resubscribe', {}, 503);
    expect(await check({ topic: GROUP_KEY })).toBe('suppressed');
    await world.app.get(OptOutMovesService).run();
    await report('group_resubscribe');
    expect(await check({ topic: GROUP_KEY })).toBe('send');
  });

  it('moves although an import opted out of that topic later, and survives a revert of the import', async () => {
    await createTopic('News');
    await report('group_unsubscribe');
    const { id } = await importFile(world, alice, `${ADA}\n`, { topic: 'news' });
    await map('news=group:10');
    await world.as(alice).post(`/imports/${id}/revert`).expect(202);
    expect(await ended(world, alice, id)).toMatchObject({ status: 'reverted', reverted: 0 });
    expect(await check({ topic: 'news' })).toBe('suppressed');
  });

  it('moves although the revert of a later import restored an earlier opt-in', async () => {
    await createTopic('News');
    await world
      .as(alice)
      .patch(`/contacts/${ADA}/topics`)
      .send([{ id: 'news', subscription: 'opt_in' }])
      .expect(200);
    await report('group_unsubscribe');
    const { id } = await importFile(world, alice, `${ADA}\n`, { topic: 'news' });
    await world.as(alice).post(`/imports/${id}/revert`).expect(202);
    expect(await ended(world, alice, id)).toMatchObject({ status: 'reverted', reverted: 1 });
    expect(await check({ topic: 'news' })).toBe('send');
    await map('news=group:10');
    expect(await check({ topic: 'news' })).toBe('suppressed');
  });

  it('is reverted by a resubscribe to that group, and by no other', async () => {
    await createTopic('News');
    await createTopic('Offers');
    await map('news=group:10');
    await map('offers=group:20');
    await report('group_unsubscribe');
    await report('group_unsubscribe', { asm_group_id: 20 });
    await report('group_resubscribe', { asm_group_id: 20 });
    expect(await check({ topic: 'offers' })).toBe('send');
    expect(await lastEvent()).toMatchObject({ effect: 'opt-in', outcome: 'opted_in' });
    await report('group_resubscribe', { asm_group_id: 30 });
    expect(await lastEvent()).toMatchObject({ effect: 'none', outcome: 'nothing', topic: null });
    expect(await check({ topic: 'news' })).toBe('suppressed');
  });

  it('that the recipient chose elsewhere is not reverted by the provider', async () => {
    await createTopic('News');
    await map('news=group:10');
    await world
      .as(alice)
      .patch(`/contacts/${ADA}/topics`)
      .send([{ id: 'news', subscription: 'opt_out' }]);
    await report('group_resubscribe');
    expect(await check({ topic: 'news' })).toBe('suppressed');
    expect(await lastEvent()).toMatchObject({ effect: 'opt-in', outcome: 'nothing' });
  });

  it('that the recipient repeated elsewhere is not reverted by the provider', async () => {
    await createTopic('News');
    await map('news=group:10');
    await report('group_unsubscribe');
    // The file may be from the same provider, so it does not repeat the choice.
    await importFile(world, alice, `${ADA}\n`, { topic: 'news' });
    const optOut = () =>
      world
        .as(alice)
        .patch(`/contacts/${ADA}/topics`)
        .send([{ id: 'news', subscription: 'opt_out' }])
        .expect(200);
    await optOut();
    await optOut();
    expect(await history()).toMatchObject([
      { action: 'opted_out', actor: { type: 'api_key' } },
      { action: 'opted_out', actor: { type: 'source' } },
    ]);
    await report('group_resubscribe');
    expect(await check({ topic: 'news' })).toBe('suppressed');
  });

  it('that the recipient is repeating elsewhere is not reverted by the provider', async () => {
    const topic = await createTopic('News');
    await map('news=group:10');
    await report('group_unsubscribe');
    const row = await world.database.lockRow('topic_preferences', `topic_id = '${topic}'`);
    const optOut = world
      .as(alice)
      .patch(`/contacts/${ADA}/topics`)
      .send([{ id: 'news', subscription: 'opt_out' }])
      .then(({ status }) => status);
    await world.database.untilWaiting();
    const reported = report('group_resubscribe');
    await world.database.untilWaiting(2);
    await row.release();
    expect(await optOut).toBe(200);
    await reported;
    expect(await check({ topic: 'news' })).toBe('suppressed');
    expect(await lastEvent()).toMatchObject({ effect: 'opt-in', outcome: 'nothing' });
  });

  it('no longer counts if the recipient joined again later, whatever arrives first', async () => {
    await createTopic('News');
    await map('news=group:10');
    await report('group_resubscribe', { timestamp: 1_763_700_000 });
    await report('group_unsubscribe', { timestamp: 1_763_600_000 });
    expect(await check({ topic: 'news' })).toBe('send');
    await report('group_unsubscribe', { timestamp: 1_763_800_000 });
    expect(await check({ topic: 'news' })).toBe('suppressed');
  });

  it('does not count if the recipient opted in here after it, although it arrives later', async () => {
    const topic = await createTopic('News');
    await map('news=group:10');
    await report('group_unsubscribe');
    await world
      .as(alice)
      .patch(`/contacts/${ADA}/topics`)
      .send([{ id: topic, subscription: 'opt_in' }]);
    await report('group_unsubscribe');
    expect(await check({ topic })).toBe('send');
    const { body } = await world.as(alice).get('/events').query({ email: ADA, limit: 1 }).expect(200);
    expect(body.data[0]).toMatchObject({
      outcome: 'nothing',
      reason: 'It happened before the recipient opted in to the topic.',
    });
    await report('group_unsubscribe', { timestamp: Math.floor(Date.now() / 1000) });
    expect(await check({ topic })).toBe('suppressed');
  });

  it('counts in a delivery by its time, whatever the order of the delivery is', async () => {
    await createTopic('News');
    await map('news=group:10');
    const out = eventOf('group_unsubscribe', { timestamp: 1_763_600_100 });
    await deliver([out, eventOf('group_resubscribe', { timestamp: 1_763_600_050 })]);
    expect(await check({ topic: 'news' })).toBe('suppressed');
    const sameTime = { timestamp: 1_763_600_200 };
    await deliver([eventOf('group_unsubscribe', sameTime), eventOf('group_resubscribe', sameTime)]);
    expect(await check({ topic: 'news' })).toBe('send');
  });

  it('waits while its kind of mail is mapped, and counts for the new topic', async () => {
    await report('group_unsubscribe');
    await createTopic('News');
    const mapping = await world.database.lockRow('source_topics', `source_id = '${sendgrid.id}'`);
    const reported = report('group_unsubscribe', { email: EVE });
    await world.database.untilWaiting();
    await mapping.release();
    await reported;
    await map('news=group:10');
    expect(await check({ topic: 'news' }, EVE)).toBe('suppressed');
  });

  it('creates one topic for a group, however many deliveries arrive at once', async () => {
    const emails = Array.from({ length: 8 }, (_, index) => `user${index}@example.com`);
    await Promise.all(emails.map((email) => report('group_unsubscribe', { email })));
    const { body } = await world.as(alice).get('/topics').expect(200);
    expect(body.data.map(({ key }: { key: string }) => key)).toEqual([GROUP_KEY]);
    for (const email of emails) {
      expect(await check({ topic: GROUP_KEY }, email)).toBe('suppressed');
    }
  });

  it('gets a topic even if names of kinds of mail have the same beginning, or cannot be keys or stored', async () => {
    const sparkpost = await createSource(world, 'sparkpost', { account });
    const lists = Array.from({ length: 25 }, (_, index) => [
      `${'newsletter-'.repeat(6)}${index}`,
      `新聞${index}`,
    ]).flat();
    lists.push('offers\0', 'events\u{D800}', 'x'.repeat(201), 'x'.repeat(202));
    const events = lists.map((list_id, index) => ({
      type: 'list_unsubscribe',
      raw_rcpt_to: `user${index}@example.com`,
      list_id,
    }));
    const response = await sendPatiently(() => postWithCredential(world, sparkpost, sparkpostBatch(events)));
    expect(response.status).toBe(200);
    const { body } = await world.as(alice).get('/topics?limit=100').expect(200);
    expect(new Set(body.data.map(({ key }: { key: string }) => key)).size).toBe(lists.length);
    const names = body.data.map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => name === `sparkpost list ${'x'.repeat(35)}`)).toHaveLength(2);
  });

  it('gets a topic whose name does not have the address of the recipient, which an erasure would leave there', async () => {
    const sparkpost = await createSource(world, 'sparkpost', { account });
    const events = [ADA, EVE].map((email) => ({
      type: 'list_unsubscribe',
      raw_rcpt_to: email,
      list_id: `mail for ${email.toUpperCase()}`,
    }));
    await postWithCredential(world, sparkpost, sparkpostBatch(events));
    const { body } = await world.as(alice).get('/topics').expect(200);
    expect(body.data).toMatchObject([
      { key: 'sparkpost-list-mail-for-recipient', name: 'sparkpost list mail for recipient' },
    ]);
    const units = await world.database.query('SELECT unit_name FROM source_topics WHERE source_id = $1', [
      sparkpost.id,
    ]);
    expect(units).toEqual([{ unit_name: 'mail for recipient' }]);
    expect(await check({ topic: 'sparkpost-list-mail-for-recipient' }, EVE)).toBe('suppressed');
  });

  it('is from the list even if its name contains the address as a part of another one, or many times', async () => {
    await createTopic('News');
    const sparkpost = await createSource(world, 'sparkpost', { account });
    await map('news=list:news@example.com', sparkpost);
    const events = ['news@example.com', 's@example.com.'.repeat(14), 's@example.com '.repeat(14)].map(
      (list_id) => ({ type: 'list_unsubscribe', raw_rcpt_to: 's@example.com', list_id }),
    );
    expect((await postWithCredential(world, sparkpost, sparkpostBatch(events))).status).toBe(200);
    const short = { type: 'list_unsubscribe', raw_rcpt_to: 'a@b', list_id: 'a@b '.repeat(50) };
    expect((await postWithCredential(world, sparkpost, sparkpostBatch([short]))).status).toBe(200);
    expect(await check({ topic: 'news' }, 's@example.com')).toBe('suppressed');
  });

  it('shares a topic with others once the source has 1,000 topics, and its resubscribe reverts nothing', async () => {
    await report('group_unsubscribe');
    await world.database.query(
      `INSERT INTO source_topics (account_id, source_id, unit_kind, unit_name, topic_id, is_mapped)
      SELECT account_id, source_id, unit_kind, 'many' || number, topic_id, false
      FROM source_topics, generate_series(1, 999) AS number
      WHERE source_id = $1`,
      [sendgrid.id],
    );
    await report('group_unsubscribe', { asm_group_id: 20 });
    await report('group_unsubscribe', { asm_group_id: 30, email: EVE });
    expect(await check({ topic: 'sendgrid-group' })).toBe('suppressed');
    expect(await check({ topic: 'sendgrid-group' }, EVE)).toBe('suppressed');
    await report('group_resubscribe', { asm_group_id: 30 });
    expect(await check({ topic: 'sendgrid-group' })).toBe('suppressed');
    await createTopic('News');
    await map('news=group:*');
    expect(await check({ topic: 'news' }, EVE)).toBe('suppressed');
    await report('group_unsubscribe', { asm_group_id: 40, email: 'new@example.com' });
    expect(await check({ topic: 'news' }, 'new@example.com')).toBe('suppressed');
  });

  it('still counts for a topic that is archived', async () => {
    const news = await createTopic('News');
    await map('news=group:10');
    await world.as(alice).delete('/topics/news').expect(200);
    await report('group_unsubscribe');
    expect(await lastEvent()).toMatchObject({ outcome: 'opted_out', topic: news });
    expect(await check()).toBe('send');
  });

  it('of Postmark is from a message stream, mapped or not', async () => {
    await createTopic('News');
    const postmark = await createSource(world, 'postmark', { account });
    await map('news=stream:broadcast', postmark);
    const change = (MessageStream: string) => {
      const body = {
        RecordType: 'SubscriptionChange',
        MessageStream,
        Recipient: ADA,
        SuppressSending: true,
        SuppressionReason: 'ManualSuppression',
        Origin: 'Recipient',
        ChangedAt: new Date().toISOString(),
      };
      const { username = '', password = '' } = postmark.secrets;
      return post(world, postmark, body, basic(username, password) as Headers);
    };
    expect((await change('broadcast')).status).toBe(200);
    expect([await check({ topic: 'news' }), await check()]).toEqual(['suppressed', 'send']);
    expect((await change('promotions')).status).toBe(200);
    expect([await check({ topic: 'postmark-stream-promotions' }), await check()]).toEqual([
      'suppressed',
      'send',
    ]);
  });

  it('of SparkPost is from the list that it names, or else from all mail', async () => {
    const sparkpost = await createSource(world, 'sparkpost', { account });
    const leave = (list: object) =>
      postWithCredential(
        world,
        sparkpost,
        sparkpostBatch([{ type: 'list_unsubscribe', raw_rcpt_to: ADA, ...list }]),
      );
    expect((await leave({ list_id: 'news.example.com' })).status).toBe(200);
    expect([await check({ topic: 'sparkpost-list-news.example.com' }), await check()]).toEqual([
      'suppressed',
      'send',
    ]);
    expect((await leave({})).status).toBe(200);
    expect(await check()).toBe('suppressed');
  });

  it('of Mailgun is from all mail unless a tag is mapped, since the event does not say what was left', async () => {
    await createTopic('News');
    const mailgun = await createSource(world, 'mailgun', { account });
    await map('news=tag:news', mailgun);
    const leave = async (email: string, tags: string[]) => {
      const event = { event: 'unsubscribed', recipient: email, tags };
      expect((await post(world, mailgun, mailgunBody(mailgun, event))).status).toBe(200);
    };
    await leave(ADA, ['news']);
    await leave(EVE, ['offers']);
    expect([await check({ topic: 'news' }), await check(), await check({}, EVE)]).toEqual([
      'suppressed',
      'send',
      'suppressed',
    ]);
  });

  it('of Mailgun stops no other mail when Mailgun refuses the next message with the mapped tag', async () => {
    await createTopic('News');
    const mailgun = await createSource(world, 'mailgun', { account });
    await map('news=tag:news', mailgun);
    const tell = async (event: Record<string, unknown>) =>
      expect((await post(world, mailgun, mailgunBody(mailgun, event))).status).toBe(200);
    const refusal = { event: 'failed', severity: 'permanent', reason: 'suppress-unsubscribe' };
    await tell({ event: 'unsubscribed', recipient: ADA, tags: ['news'] });
    await tell({ ...refusal, recipient: ADA, tags: ['news'] });
    await tell({ ...refusal, recipient: EVE, tags: ['offers'] });
    expect([await check({ topic: 'news' }), await check(), await check({}, EVE)]).toEqual([
      'suppressed',
      'send',
      'suppressed',
    ]);
  });

  it('of Mailjet is from a list, unless the source names it as one of all mail', async () => {
    await createTopic('News');
    const mailjet = await createSource(world, 'mailjet', { account, options: { contactLists: [1] } });
    await map('news=list:7', mailjet);
    const leave = (mj_list_id: number) =>
      postWithCredential(world, mailjet, { event: 'unsub', email: ADA, time: seconds++, mj_list_id });
    expect((await leave(7)).status).toBe(200);
    expect((await leave(8)).status).toBe(200);
    expect([await check({ topic: 'news' }), await check({ topic: 'mailjet-list-8' })]).toEqual([
      'suppressed',
      'suppressed',
    ]);
    expect(await check()).toBe('send');
    expect((await leave(1)).status).toBe(200);
    expect(await check()).toBe('suppressed');
  });

  it('of Resend is from the topic that contact.topics.updated names, mapped or not', async () => {
    await createTopic('News');
    const resend = await createSource(world, 'resend', { account });
    await map('news=topic:b6d24b8e-af0b-4c3c-be0c-359bbd97381e', resend);
    const change = async (news: string, offers: string) => {
      const changed = [
        { id: 'b6d24b8e-af0b-4c3c-be0c-359bbd97381e', subscription: news },
        { id: '07d84122-7224-4881-9c31-1c048e204602', subscription: offers },
      ];
      const created_at = new Date(seconds++ * 1000).toISOString();
      const event = { type: 'contact.topics.updated', created_at, data: { email: ADA, topics: changed } };
      expect((await postResend(world, resend, event)).status).toBe(200);
    };
    const offers = 'resend-topic-07d84122-7224-4881-9c31-1c048e204602';
    const verdicts = async () => [
      await check({ topic: 'news' }),
      await check({ topic: offers }),
      await check(),
    ];
    await change('opt_out', 'opt_out');
    expect(await verdicts()).toEqual(['suppressed', 'suppressed', 'send']);
    await change('opt_in', 'opt_out');
    expect(await verdicts()).toEqual(['send', 'suppressed', 'send']);
  });

  it('of a source is mapped when the source is created, all or nothing', async () => {
    await createTopic('News');
    const create = (topic: string) =>
      cli(`source create --account ${account} --provider sendgrid --name mapped --topic ${topic} --json`);
    for (const [mapping, code] of [
      ['news', 2],
      ['news=group:', 2],
      ['news=room:10', 2],
      ['news=stream:10', 2],
      ['unknown=group:10', 2],
    ] as const) {
      expect({ mapping, code: (await create(mapping)).code }).toEqual({ mapping, code });
    }
    const { id } = JSON.parse((await create('news=group:10 --topic news=group:20')).stdout);
    expect(JSON.parse((await cli(`source show ${id} --json`)).stdout).topics).toEqual([
      { unit: 'group:10', topic: 'news', mapped: true },
      { unit: 'group:20', topic: 'news', mapped: true },
    ]);
    const { stdout } = await cli(`source list --account ${account} --json`);
    expect(JSON.parse(stdout)).toHaveLength(2);
    await cli(`source delete ${id}`);
  });
});
