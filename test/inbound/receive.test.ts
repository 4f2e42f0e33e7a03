import { randomUUID } from 'node:crypto';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { PoolClient } from 'pg';
import request, { type Agent } from 'supertest';
import type { DataSource } from 'typeorm';
import { DeadlineExceededError, markLost } from '../../src/database/errors.js';
import { poolOf } from '../../src/database/pool.js';
import { type Delivery, SharedDeliveries } from '../../src/inbound/inbox/shared-deliveries.js';
import { PROVIDER_NAMES } from '../../src/inbound/providers/providers.js';
import { sparkpost } from '../../src/inbound/providers/sparkpost.js';
import { SourceChangesService } from '../../src/inbound/sources/source-changes.service.js';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { skipTime } from '../support/clock.js';
import { OWN_UUID } from '../support/deliveries.js';
import { OPERATOR } from '../support/operator.js';
import { BOUNCES } from '../support/provider-bounces.js';
import { observeQueries } from '../support/queries.js';
import {
  createSource,
  mailgunBody,
  post,
  postResend,
  postWithCredential,
  readInbox,
  readLedger,
  readList,
  resendHeaders,
  sparkpostBatch,
  type TestSource,
} from '../support/sources.js';
import { startTestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

let world: World;
beforeAll(async () => (world = await createWorld()));
afterAll(() => world.close());

describe('deliveries that are accepted', () => {
  const bounceOf = (email: string) => ({
    type: 'bounce',
    bounce_class: '10',
    raw_rcpt_to: email,
    raw_reason: '550 5.1.1 no such user',
  });

  describe('a delivery to a source', () => {
    let source: TestSource;
    beforeEach(async () => (source = await createSource(world, 'sparkpost')));

    it('gets 200 with an empty object, and its events are applied', async () => {
      const { status, body } = await postWithCredential(
        world,
        source,
        sparkpostBatch([bounceOf('ada@example.com')]),
      );
      expect([status, body]).toEqual([200, {}]);
      expect(await readInbox(world, source)).toEqual(['ada@example.com bounce suppress: added']);
      const { body: record } = await world.as(world.alice).get('/suppressions/ada@example.com').expect(200);
      expect(record).toMatchObject({ origin: 'bounce', source_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    });

    it('appears in the history with the source and the diagnostic', async () => {
      await postWithCredential(world, source, sparkpostBatch([bounceOf('why@example.com')]));
      const { body } = await world.as(world.alice).get('/suppressions/why@example.com/history').expect(200);
      expect(body.data[0]).toMatchObject({
        action: 'added',
        actor: { type: 'source', id: source.id, name: 'sparkpost' },
        note: '550 5.1.1 no such user',
      });
    });

    it('counts from when it arrived if the clock of the provider is more than 24 hours ahead', async () => {
      const event = { ...bounceOf('future@example.com'), timestamp: String(Date.UTC(2999, 0) / 1000) };
      const { status } = await postWithCredential(world, source, sparkpostBatch([event]));
      expect(status).toBe(200);
      const { body } = await world.as(world.alice).get('/events?email=future@example.com').expect(200);
      const [{ outcome, occurred_at, received_at }] = body.data;
      expect({ outcome, occurred_at }).toEqual({ outcome: 'added', occurred_at: received_at });
    });

    it('applies its valid events even if another one is invalid', async () => {
      const batch = sparkpostBatch([
        bounceOf('good@example.com'),
        bounceOf('no address'),
        { type: 'delivery', raw_rcpt_to: 'fine@example.com' },
        bounceOf('also-good@example.com'),
      ]);
      const { status } = await postWithCredential(world, source, ['nonsense', ...batch]);
      expect(status).toBe(200);
      expect((await readInbox(world, source)).toSorted()).toEqual([
        'also-good@example.com bounce suppress: added',
        'fine@example.com delivered success: nothing',
        'good@example.com bounce suppress: added',
        'null bounce none: nothing',
        'null unknown none: nothing',
      ]);
    });

    it('of an unknown type is stored and gets 200', async () => {
      const { status } = await postWithCredential(
        world,
        source,
        sparkpostBatch([{ type: 'telepathy', raw_rcpt_to: 'seer@example.com' }]),
      );
      expect(status).toBe(200);
      expect(await readInbox(world, source)).toEqual(['seer@example.com unknown none: nothing']);
    });

    it.each(['text/plain; charset=UTF-8', 'application/octet-stream', 'application/x-www-form-urlencoded'])(
      'is read as JSON although it says %s',
      async (type) => {
        const event = { type: 'contact.updated', data: { email: 'plain@example.com', unsubscribed: true } };
        const resend = await createSource(world, 'resend');
        const { status } = await post(world, resend, event, {
          ...resendHeaders(resend, event, randomUUID()),
          'Content-Type': type,
        });
        expect(status).toBe(200);
        expect(await readInbox(world, resend)).toHaveLength(1);
      },
    );

    it('changes only the list of its own account', async () => {
      const theirs = await createSource(world, 'sparkpost', { account: 'globex' });
      const mine = { ...source, path: theirs.path };
      const batch = sparkpostBatch([bounceOf('shared@example.com')]);
      expect((await postWithCredential(world, mine, batch)).status).toBe(401);
      expect((await postWithCredential(world, theirs, batch)).status).toBe(200);
      expect((await postWithCredential(world, source, batch)).status).toBe(200);
      const rows = (await readList(world)).filter(({ email }) => email === 'shared@example.com');
      expect(rows).toHaveLength(2);
      expect(new Set(rows.map(({ account_id }) => account_id)).size).toBe(2);
      await world.as(world.charlie).delete('/suppressions/shared@example.com').expect(200);
      await world.as(world.alice).get('/suppressions/shared@example.com').expect(200);
    });
  });

  describe('a large batch', () => {
    it('is read in parts, so that other requests are served in between, and stored as a whole', async () => {
      const source = await createSource(world, 'sparkpost');
      const emails = Array.from({ length: 1_050 }, () => `${randomUUID()}@example.com`);
      const batch = sparkpostBatch(emails.map((raw_rcpt_to) => ({ type: 'delivery', raw_rcpt_to })));
      const read = jest.spyOn(sparkpost, 'read');
      const { status } = await postWithCredential(world, source, batch);
      const sizes = read.mock.calls.map(([part]) => (part as unknown[]).length);
      read.mockRestore();
      expect(status).toBe(200);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
      expect((await readInbox(world, source)).toSorted()).toEqual(
        emails.map((email) => `${email} delivered success: nothing`).toSorted(),
      );
    });

    it('of more than 5,000 events is refused, and none is stored', async () => {
      const source = await createSource(world, 'sparkpost');
      const { status, body } = await postWithCredential(
        world,
        source,
        Array.from({ length: 5_001 }, () => 0),
      );
      expect([status, body.code]).toEqual([400, 'malformed_body']);
      expect(await readInbox(world, source)).toEqual([]);
    });
  });
});

const bounceOf = (email: string) => ({
  type: 'bounce',
  bounce_class: '10',
  raw_rcpt_to: email,
  raw_reason: '550 5.1.1 no such user',
});

describe('a delivery to a source', () => {
  let source: TestSource;
  beforeEach(async () => (source = await createSource(world, 'sparkpost')));

  const stateOf = async ({ id }: TestSource) => {
    const { badSignatures, lastError } = await world.app.get(SourcesService).get(id);
    return { badSignatures, lastError };
  };

  it('that is repeated has no effect', async () => {
    const batch = sparkpostBatch([bounceOf('twice@example.com')]);
    const statuses = [
      (await postWithCredential(world, source, batch)).status,
      (await postWithCredential(world, source, [...batch, ...batch])).status,
    ];
    expect(statuses).toEqual([200, 200]);
    await world.as(world.alice).delete('/suppressions/twice@example.com').expect(200);
    await postWithCredential(world, source, batch);
    expect(await readInbox(world, source)).toHaveLength(1);
    expect(await readLedger(world, 'twice@example.com')).toEqual([
      'added bounce by sparkpost',
      'removed bounce by alice',
    ]);
  });

  it('with the same key several times counts once, as the first event', async () => {
    const keys = Array.from({ length: 60 }, (_, index) => `key-${60 - index}`);
    const eventsOf = (word: string) =>
      keys.map((key) => ({ ...bounceOf(`${word}-${key}@example.com`), event_id: key }));
    const batch = sparkpostBatch([...eventsOf('first'), ...eventsOf('second')]);
    expect((await postWithCredential(world, source, batch)).status).toBe(200);
    const first = keys.map((key) => `first-${key}@example.com`);
    expect((await readInbox(world, source)).toSorted()).toEqual(
      first.map((email) => `${email} bounce suppress: added`).toSorted(),
    );
    const listed = (await readList(world)).map(({ email }) => email);
    expect(listed.filter((email) => email.includes('-key-'))).toEqual(first.toSorted());
  });

  it('that arrives twenty times at once leaves one line in the ledger', async () => {
    const batch = sparkpostBatch(['y', 'x', 'z'].map((name) => bounceOf(`${name}-at-once@example.com`)));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        postWithCredential(world, source, index % 2 ? batch : batch.toReversed()),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await readInbox(world, source)).toHaveLength(3);
    for (const name of ['x', 'y', 'z']) {
      expect(await readLedger(world, `${name}-at-once@example.com`)).toEqual(['added bounce by sparkpost']);
    }
  });

  it('of Mailgun can be repeated with its token, but no other event can use it', async () => {
    const mailgun = await createSource(world, 'mailgun');
    const body = mailgunBody(mailgun, { event: 'complained', recipient: 'once@example.com' });
    const retries = await Promise.all(Array.from({ length: 5 }, () => post(world, mailgun, body)));
    expect(new Set(retries.map(({ status }) => status))).toEqual(new Set([200]));
    const forged = {
      ...body,
      'event-data': { ...body['event-data'], id: 'another', recipient: 'victim2@example.com' },
    };
    const answer = await post(world, mailgun, forged);
    expect([answer.status, answer.body.code]).toEqual([401, 'invalid_signature']);
    expect(await readInbox(world, mailgun)).toEqual(['once@example.com complaint suppress: added']);
    expect(await stateOf(mailgun)).toMatchObject({ badSignatures: '1' });
  });

  it.each(['acme', 'globex'])(
    'of Mailgun that was accepted is refused at another source with the same signing key, of %s',
    async (account) => {
      const mailgun = await createSource(world, 'mailgun');
      const other = await createSource(world, 'mailgun', { account });
      const recipient = `captured-${account}@example.com`;
      const body = mailgunBody(mailgun, { event: 'complained', recipient });
      expect((await post(world, mailgun, body)).status).toBe(200);
      const answers = [await post(world, other, body), await post(world, mailgun, body)];
      expect(answers.map(({ status }) => status)).toEqual([401, 200]);
      expect(answers[0]!.body.message).toContain('at another source');
      expect(await readInbox(world, other)).toEqual([]);
      await world.app.get(SourceChangesService).delete({ actor: OPERATOR, deadline: Infinity }, mailgun.id);
      expect((await post(world, other, body)).status).toBe(401);
      expect(await readLedger(world, recipient)).toEqual(['added complaint by mailgun']);
    },
  );

  it('of Resend that its dashboard replays with a new signature has no effect', async () => {
    const resend = await createSource(world, 'resend');
    const event = {
      type: 'suppression.added',
      data: { email: 'replay@example.com', origin: 'complaint', source_id: randomUUID() },
    };
    const earlier = resendHeaders(resend, event, 'msg_replay', 60);
    expect((await post(world, resend, event, earlier)).status).toBe(200);
    expect((await postResend(world, resend, event, 'msg_replay')).status).toBe(200);
    expect(await readInbox(world, resend)).toHaveLength(1);
  });
});

describe('a delivery to a source', () => {
  let source: TestSource;
  beforeEach(async () => (source = await createSource(world, 'sparkpost')));

  const stateOf = async ({ id }: TestSource) => {
    const { badSignatures, lastError } = await world.app.get(SourcesService).get(id);
    return { badSignatures, lastError };
  };

  it('gets 503 if the secrets of the source cannot be read, and source show says so', async () => {
    await world.database.query(
      `UPDATE sources
       SET secrets = (SELECT jsonb_object_agg(name, 'AAAA') FROM jsonb_object_keys(secrets) AS name)
       WHERE id = $1`,
      [source.id],
    );
    const { status } = await postWithCredential(world, source, sparkpostBatch([bounceOf('no@example.com')]));
    expect(status).toBe(503);
    expect((await stateOf(source)).lastError).toMatch(/^The secrets of this source cannot be read/);
  });

  it('to an unknown URL occupies no connection that other requests need', async () => {
    const connect = jest.spyOn(poolOf(world.app.get<DataSource>(getDataSourceToken())), 'connect');
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { status } = await world.anyone.post(`/inbound/${randomUUID()}`).send({});
        return status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([404]));
    const ofBackgroundTasks = 25;
    expect(connect.mock.calls.length).toBeLessThan(ofBackgroundTasks);
    connect.mockRestore();
  });

  it('that fails unexpectedly is recorded, without the message of the error', async () => {
    const check =
      'ALTER TABLE delivery_events ADD CONSTRAINT refusal CHECK (recipient <> $$fails@example.com$$)';
    await world.database.query(check);
    const { status } = await postWithCredential(
      world,
      source,
      sparkpostBatch([bounceOf('fails@example.com')]),
    );
    await world.database.query('ALTER TABLE delivery_events DROP CONSTRAINT refusal');
    expect(status).toBe(500);
    expect(await stateOf(source)).toEqual({
      badSignatures: '0',
      lastError: 'The delivery could not be stored. The log says why.',
    });
  });

  it('that is forged is refused and only counted', async () => {
    const batch = sparkpostBatch([bounceOf('victim@example.com')]);
    const forged = await post(world, source, batch, {
      Authorization: `Basic ${Buffer.from('a:b').toString('base64')}`,
    });
    const bare = await post(world, source, batch);
    for (const { status, body, headers } of [forged, bare]) {
      expect([status, body.code, headers['www-authenticate']]).toEqual([
        401,
        'invalid_signature',
        'Basic realm="inbound"',
      ]);
    }
    expect(await readInbox(world, source)).toEqual([]);
    expect(await readLedger(world, 'victim@example.com')).toEqual([]);
    expect(await stateOf(source)).toEqual({
      badSignatures: '2',
      lastError: 'The delivery cannot be verified: it has no credential.',
    });
  });

  it('is refused if its signature is for other bytes, too old, or for another source', async () => {
    const resend = await createSource(world, 'resend');
    const other = await createSource(world, 'mailgun', { secrets: { signing_key: randomUUID() } });
    const event = {
      type: 'suppression.added',
      data: { email: 'stale@example.com', origin: 'bounce', source_id: randomUUID() },
    };
    const headers = resendHeaders(resend, event, 'msg_1');
    const old = { ...headers, 'svix-timestamp': String(Number(headers['svix-timestamp']) - 600) };
    const answers = [
      await post(world, resend, { ...event, type: 'suppression.removed' }, headers),
      await post(world, resend, event, old),
      await post(world, other, mailgunBody({ ...other, secrets: { signing_key: 'guess' } }, { event: 'x' })),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await readLedger(world, 'stale@example.com')).toEqual([]);
  });

  it('that is malformed gets 400 and is recorded', async () => {
    const bodies = ['', '{', '{"not":"an array"}', '['.repeat(200), Buffer.from([0xff]).toString('latin1')];
    for (const body of bodies) {
      const answer = await postWithCredential(world, source, body);
      expect([answer.status, answer.body.code]).toEqual([400, 'malformed_body']);
    }
    expect(await stateOf(source)).toMatchObject({
      badSignatures: '0',
      lastError: expect.stringMatching(/malformed/),
    });
  });

  it('larger than 2 MiB is refused, and a batch of a thousand long events is smaller', async () => {
    const long = { rcpt_meta: { note: 'x'.repeat(1_500) } };
    const events = Array.from({ length: 1_000 }, () => ({ ...bounceOf('batch@example.com'), ...long }));
    expect((await postWithCredential(world, source, sparkpostBatch(events))).status).toBe(200);
    const { status, body } = await postWithCredential(world, source, `["${'x'.repeat(2 * 1024 * 1024)}"]`);
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
  });

  it.each(['nobody', 'A'.repeat(32), '%00', 'A'.repeat(31) + '%00'])(
    'to a URL that no source has is not found: %s',
    async (id) => {
      const { status, body } = await post(world, { path: `/inbound/${id}` }, []);
      expect([status, body.code]).toEqual([404, 'source_not_found']);
    },
  );

  it('to a paused source gets 503 and is accepted after the source is resumed', async () => {
    const changes = world.app.get(SourceChangesService);
    const batch = sparkpostBatch([bounceOf('patient@example.com')]);
    await changes.pause({ actor: OPERATOR, deadline: Infinity }, source.id);
    const { status, body, headers } = await postWithCredential(world, source, batch);
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'source_paused', '600']);
    expect(await readInbox(world, source)).toEqual([]);
    await changes.resume({ actor: OPERATOR, deadline: Infinity }, source.id);
    expect((await postWithCredential(world, source, batch)).status).toBe(200);
    expect(await readInbox(world, source)).toHaveLength(1);
  });

  it('to a deleted source is not found, and its changes remain', async () => {
    const mailgun = await createSource(world, 'mailgun');
    const event = { event: 'complained', recipient: 'stays@example.com' };
    expect((await post(world, mailgun, mailgunBody(mailgun, event))).status).toBe(200);
    await world.app.get(SourceChangesService).delete({ actor: OPERATOR, deadline: Infinity }, mailgun.id);
    expect((await post(world, mailgun, mailgunBody(mailgun, event))).status).toBe(404);
    expect(await readInbox(world, mailgun)).toEqual([]);
    expect(await readLedger(world, 'stays@example.com')).toEqual(['added complaint by mailgun']);
  });

  it('gets 503 with another SECRETS_KEY or none', async () => {
    for (const SECRETS_KEY of ['5a'.repeat(32), '']) {
      const misled = await startTestApp(world.database.url, { SECRETS_KEY });
      const elsewhere = { ...world, anyone: request.agent(misled.url) as Agent };
      const { status } = await postWithCredential(elsewhere, source, []);
      expect(status).toBe(503);
      const ids = { accountId: world.acme.id, source: source.id };
      expect(misled.logLines()).toContainEqual(
        expect.objectContaining({ ...ids, reason: expect.stringContaining('SECRETS_KEY') }),
      );
      await misled.close();
    }
  });
});

describe('a hard bounce through the route', () => {
  it.each(Object.entries(BOUNCES))('of %s suppresses, with our own id of the mail', async (name, deliver) => {
    const email = `${name}@example.com`;
    const { source, send } = await deliver(world, email);
    await send();
    const { id } = source;
    expect(await readInbox(world, source)).toEqual([`${email} bounce suppress: added`]);
    const row = (await readList(world)).find((one) => one.email === email);
    expect(row).toMatchObject({ cause: 'bounce', email_id: OWN_UUID });
    const { body } = await world.as(world.alice).get(`/suppressions/${email}/history`).expect(200);
    expect(body.data[0]).toMatchObject({ actor: { type: 'source', id, name }, note: expect.any(String) });
  });

  it('is tested for every provider except Amazon SES, which has its own tests', () => {
    expect([...Object.keys(BOUNCES), 'ses'].toSorted()).toEqual([...PROVIDER_NAMES].toSorted());
  });
});

/** Each of two waits is shorter than a statement may take, and both together are longer than a request may. */
const FIRST_WAIT_MS = 2_500;

describe('a delivery that takes too long', () => {
  const inTransaction = async () => {
    const [row] = await world.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'suppression-list' AND state <> 'idle'`,
    );
    return row!.count;
  };

  it.each(['of a provider', "of the account's own mailers"])(
    '%s gets 503 and has no effect',
    async (whose) => {
      const source = await createSource(world, 'sparkpost');
      const held = `held-${source.id}@example.com`;
      await suppress(world, world.alice, [held]);
      const email = `late-${source.id}@example.com`;
      const deliver = (...emails: string[]) =>
        whose === 'of a provider'
          ? postWithCredential(
              world,
              source,
              sparkpostBatch(
                emails.map((raw_rcpt_to) => ({ type: 'spam_complaint', fbtype: 'abuse', raw_rcpt_to })),
              ),
            )
          : world
              .as(world.alice)
              .post('/events')
              .send(emails.map((one) => ({ type: 'complaint', email: one })));
      expect((await deliver('early@example.com')).status).toBe(200);
      const sources = await world.database.lockRow('sources', 'true');
      const record = await world.database.lockRow('suppressions', `email = '${held}'`);
      const answer = deliver(email, held).then(({ status }) => status);
      await world.database.untilWaiting();
      skipTime(FIRST_WAIT_MS);
      await sources.release();
      expect(await answer).toBe(503);
      await record.release();
      await until(async () => (await inTransaction()) === 0);
      expect((await readList(world)).filter((row) => row.email === email)).toEqual([]);
      const stored = await world.database.query('SELECT FROM delivery_events WHERE recipient = $1', [email]);
      expect(stored).toEqual([]);
      expect((await deliver(email, held)).status).toBe(200);
    },
  );
});

describe('a delivery that the database cannot store in time', () => {
  it('gets 503, and is not recorded as an error of its source', async () => {
    const source = await createSource(world, 'sparkpost');
    const inbox = await world.database.lock('delivery_events');
    const refused = postWithCredential(
      world,
      source,
      sparkpostBatch([{ type: 'spam_complaint', fbtype: 'abuse', raw_rcpt_to: 'late@example.com' }]),
    ).then(({ status }) => status);
    await world.database.cancelWaiting();
    expect(await refused).toBe(503);
    await inbox.release();
    const { lastError } = await world.app.get(SourcesService).get(source.id);
    expect(lastError).toBeNull();
  });
});

describe('a delivery of many events', () => {
  let queries: { stop(): void };
  /** Of transactions that store events: background work has others. */
  let statements = 0;
  beforeAll(async () => {
    const transactions = new WeakMap<PoolClient, string[]>();
    queries = observeQueries(world, ([query], client) => {
      const text = typeof query === 'string' ? query : (query as { text: string }).text;
      if (text === 'START TRANSACTION') {
        transactions.set(client, []);
      } else if (text === 'COMMIT') {
        const sent = transactions.get(client) ?? [];
        const isStoring = sent.some((statement) => statement.includes('INTO delivery_events'));
        statements += isStoring ? sent.length : 0;
        transactions.delete(client);
      } else if (!text.startsWith('SET LOCAL ')) {
        transactions.get(client)?.push(text);
      }
    });
  });
  afterAll(() => queries.stop());

  const KINDS = [
    { type: 'bounce', bounce_class: '10' },
    { type: 'bounce', bounce_class: '22' },
    { type: 'link_unsubscribe' },
    { type: 'delivery' },
    { type: 'spam_complaint', fbtype: 'abuse' },
  ];

  it.each([
    ['about one address', 1],
    ['about many addresses, several of different kinds about each', 401],
  ])('%s takes a few statements', async (_what, addresses) => {
    const source = await createSource(world, 'sparkpost', {
      options: { softLimit: { failures: 3, days: 7 } },
    });
    const costOf = async (count: number) => {
      const events = Array.from({ length: count }, (_, index) => ({
        ...KINDS[index % KINDS.length],
        raw_rcpt_to: `p${index % addresses}-${count}-of-${addresses}@example.com`,
      }));
      const before = statements;
      expect((await postWithCredential(world, source, sparkpostBatch(events))).status).toBe(200);
      return statements - before;
    };
    const cost = await costOf(2_000);
    expect(cost).toBeGreaterThan(0);
    expect(cost).toBeLessThan(14);
    expect(await readInbox(world, source)).toHaveLength(2_000);
  });
});

const BOUNCE = { type: 'bounce', bounce_class: '10' };
const COMPLAINT = { type: 'spam_complaint', fbtype: 'abuse' };

describe('deliveries that arrive together', () => {
  let source: TestSource;
  beforeAll(async () => {
    await world.database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'refused'; END
      $$;
      CREATE TRIGGER refuse BEFORE INSERT ON delivery_events FOR EACH ROW
      WHEN (NEW.recipient LIKE 'bad-%') EXECUTE FUNCTION refuse()`);
  });
  beforeEach(async () => (source = await createSource(world, 'sparkpost')));

  const deliver = async (events: Record<string, unknown>[]) =>
    (await postWithCredential(world, source, sparkpostBatch(events))).status;
  /** Repeats it after a 503, as a provider does: a busy machine may not store so many in time. */
  const deliverAtLast = async (events: Record<string, unknown>[]): Promise<number> => {
    const status = await deliver(events);
    return status === 503 ? deliverAtLast(events) : status;
  };
  const eventsOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...BOUNCE,
      event_id: randomUUID(),
      raw_rcpt_to: `p${index}-${source.id}@example.com`,
    }));
  const countTransactions = async () =>
    (
      await world.database.query('SELECT DISTINCT xmin FROM delivery_events WHERE source_id = $1', [
        source.id,
      ])
    ).length;

  it('share transactions, and each event is applied once although some deliveries are refused', async () => {
    const addresses = Array.from({ length: 20 }, (_, index) => `shared${index}-${source.id}@example.com`);
    const events = Array.from({ length: 160 }, (_, index) => ({
      ...(index % 2 === 0 ? BOUNCE : COMPLAINT),
      event_id: randomUUID(),
      raw_rcpt_to: addresses[Math.floor(index / 2) % addresses.length],
    }));
    const deliveries = [...events, ...events.slice(0, 40)].flatMap((event, index) =>
      index % 20 === 10
        ? [{ ...BOUNCE, raw_rcpt_to: `bad-${index}-${source.id}@example.com` }, event]
        : [event],
    );
    const isBad = (event: { raw_rcpt_to?: string }) => event.raw_rcpt_to!.startsWith('bad-');
    const statuses = await Promise.all(deliveries.map((event) => deliverAtLast([event])));
    expect(statuses).toEqual(deliveries.map((event) => (isBad(event) ? 500 : 200)));
    const stored = await readInbox(world, source);
    expect(stored).toHaveLength(events.length);
    expect(await countTransactions()).toBeLessThan(events.length);
    for (const address of addresses) {
      const ledger = await readLedger(world, address);
      expect([
        ['added bounce by sparkpost', 'strengthened complaint by sparkpost'],
        ['added complaint by sparkpost', 'cause_added bounce by sparkpost'],
      ]).toContainEqual(ledger);
    }
  });

  it('do not wait for one whose address is locked', async () => {
    const held = `held-${source.id}@example.com`;
    await suppress(world, world.alice, [held]);
    const record = await world.database.lockRow('suppressions', `email = '${held}'`);
    const events = eventsOf(20);
    const blocking = { ...COMPLAINT, event_id: randomUUID(), raw_rcpt_to: held };
    const isBlocked = (index: number) => index % 5 === 4;
    const answers = events.map((event, index) => deliver(isBlocked(index) ? [event, blocking] : [event]));
    const others = answers.filter((_, index) => !isBlocked(index));
    expect(await Promise.all(others)).toEqual(others.map(() => 200));
    await record.release();
    await Promise.all(answers);
    await Promise.all(events.map((event) => deliver([event])));
    expect(await deliver([blocking])).toBe(200);
    expect(await readLedger(world, held)).toEqual([
      'added manual by alice',
      'strengthened complaint by sparkpost',
    ]);
    expect(await readInbox(world, source)).toHaveLength(events.length + 1);
  });

  it('do not delay another source for as long as one of them waits', async () => {
    const [held, wanted] = ['held@two-sources.example', 'wanted@two-sources.example'];
    const other = await createSource(world, 'sparkpost', {
      options: { softLimit: { failures: 3, days: 7 } },
    });
    await suppress(world, world.alice, [held]);
    const record = await world.database.lockRow('suppressions', `email = '${held}'`);
    const answers = Promise.all(
      eventsOf(30).map((event, index) =>
        deliver([{ ...event, ...COMPLAINT, raw_rcpt_to: index % 2 ? held : wanted }]),
      ),
    );
    await world.database.untilWaiting();
    const soft = { type: 'bounce', bounce_class: '20', event_id: randomUUID(), raw_rcpt_to: wanted };
    const { status } = await postWithCredential(world, other, sparkpostBatch([soft]));
    await record.release();
    await answers;
    expect(status).toBe(200);
    expect(await readInbox(world, other)).toEqual([expect.stringContaining('watch')]);
  });

  it('are each stored once if the connection of their transaction is lost and they are repeated', async () => {
    const events = eventsOf(30);
    const inbox = await world.database.lock('delivery_events');
    const answers = Promise.all(events.map((event) => deliver([event])));
    await world.database.untilWaiting(2);
    await world.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'suppression-list' AND wait_event_type = 'Lock'`,
    );
    await inbox.release();
    expect((await answers).filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await Promise.all(events.map((event) => deliverAtLast([event])))).toEqual(events.map(() => 200));
    expect(await readInbox(world, source)).toHaveLength(events.length);
  });

  it('of the mailers of an account each get the results of their own events', async () => {
    const deliveries = Array.from({ length: 40 }, (_, index) =>
      Array.from({ length: (index % 3) + 1 }, (__, event) => `own${index}-${event}@example.com`),
    );
    const isListed = (index: number) => index % 2 === 1;
    await suppress(world, world.alice, deliveries.filter((_, index) => isListed(index)).flat());
    const outcomes = await Promise.all(
      deliveries.map(async (emails) => {
        const events = emails.map((email) => ({ type: 'complaint', email }));
        const { body } = await world.as(world.alice).post('/events').send(events).expect(200);
        return body.data.map(({ outcome }: { outcome: string }) => outcome);
      }),
    );
    const expected = deliveries.map((emails, index) =>
      emails.map(() => (isListed(index) ? 'strengthened' : 'added')),
    );
    expect(outcomes).toEqual(expected);
  });
});

describe('the transactions of deliveries', () => {
  let transactions: { names: string[]; finish(error?: Error): void }[];
  let shared: SharedDeliveries;
  beforeEach(() => {
    transactions = [];
    shared = new SharedDeliveries(
      (deliveries) =>
        new Promise((resolve, reject) => {
          const names = deliveries.map(({ events }) => events[0]!.diagnostic!);
          const results = deliveries.map(({ events }) => events.map(() => ({})));
          const finish = (error?: Error) => (error ? reject(error) : resolve(results as never));
          transactions.push({ names, finish });
        }),
    );
  });

  /** A delivery of one event, named by its recipient unless it says otherwise. */
  const store = (
    recipient: string,
    {
      key = randomUUID(),
      source = 's',
      deadline = Infinity,
    }: { key?: string; source?: string; deadline?: number } = {},
  ) =>
    shared.store({
      source: { id: source },
      events: [{ key, recipient, diagnostic: recipient }],
      deadline,
    } as unknown as Delivery);
  const names = () => transactions.map((transaction) => transaction.names.join());
  const untilStarted = (count: number) => until(() => transactions.length >= count);

  it('have those of one source, in the order of arrival', async () => {
    void store('a');
    void store('b', { source: 'other' });
    void store('c');
    await untilStarted(2);
    expect(names()).toEqual(['a,c', 'b']);
  });

  it('have those that arrived while the previous one ran, and do not wait for it for long', async () => {
    const first = store('a');
    await untilStarted(1);
    void store('b');
    void store('c');
    transactions[0]!.finish();
    await first;
    await untilStarted(2);
    void store('d');
    await untilStarted(3);
    expect(names()).toEqual(['a', 'b,c', 'd']);
  });

  it('do not have the same event twice', async () => {
    void store('a', { key: 'same' });
    void store('b');
    void store('c', { key: 'same' });
    await untilStarted(2);
    expect(names()).toEqual(['a,b', 'c']);
  });

  it('have at most a hundred events', async () => {
    for (let index = 0; index < 101; index++) {
      void store(`m${index}`);
    }
    await untilStarted(2);
    expect(transactions.map((transaction) => transaction.names.length)).toEqual([100, 1]);
  });

  it('are divided if one of many has failed', async () => {
    for (let index = 0; index < 20; index++) {
      void store(`m${index}`);
    }
    await untilStarted(1);
    transactions[0]!.finish(new Error('shared'));
    await untilStarted(11);
    expect(transactions.map((transaction) => transaction.names.length)).toEqual([20, ...Array(10).fill(2)]);
    transactions[10]!.finish(new Error('part'));
    await untilStarted(13);
    expect(names().slice(11)).toEqual(['m18', 'm19']);
  });

  it.each([
    ['connection was lost', () => markLost(new Error('lost')) as Error],
    ['time was over', () => new DeadlineExceededError()],
    ['server is read-only', () => Object.assign(new Error('read-only'), { code: '25006' })],
  ])('are repeated once, together, without those whose time is over, if the %s', async (_, failure) => {
    const stored = ['a', 'b', 'c'].map((name) =>
      store(name, name === 'b' ? { deadline: performance.now() } : {}),
    );
    const settled = Promise.allSettled(stored);
    await untilStarted(1);
    transactions[0]!.finish(failure());
    await untilStarted(2);
    expect(names()).toEqual(['a,b,c', 'a,c']);
    const last = failure();
    transactions[1]!.finish(last);
    const results = (await settled) as PromiseRejectedResult[];
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect([results[0]!.reason, results[2]!.reason]).toEqual([last, last]);
    void store('d', { source: 'other' });
    await untilStarted(3);
    expect(names()).toEqual(['a,b,c', 'a,c', 'd']);
  });

  it.each(['57014', '55P03', '40P01'])('are divided after a failure of class %s', async (code) => {
    void store('a');
    void store('b');
    await untilStarted(1);
    transactions[0]!.finish(Object.assign(new Error('blocked'), { code }));
    await untilStarted(3);
    expect(names()).toEqual(['a,b', 'a', 'b']);
  });

  it('are separate after a shared one has failed, including others about the same addresses', async () => {
    const stored = ['a', 'b'].map((name) => store(name));
    await untilStarted(1);
    transactions[0]!.finish(new Error('shared'));
    await untilStarted(3);
    void store('a');
    void store('c');
    await untilStarted(5);
    expect(names()).toEqual(['a,b', 'a', 'b', 'a', 'c']);
    transactions[1]!.finish();
    transactions[2]!.finish(new Error('own'));
    await expect(stored[0]).resolves.toEqual([{}]);
    await expect(stored[1]).rejects.toThrow('own');
  });
});
