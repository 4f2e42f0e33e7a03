import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { getDataSourceToken } from '@nestjs/typeorm';
import request, { type Agent } from 'supertest';
import type { DataSource } from 'typeorm';
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
import { poolOf } from '../../src/database/prepared-statement.js';
import { InboxService } from '../../src/inbound/inbox/inbox.service.js';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { startTestApp } from '../support/test-app.js';
import { createWorld, type World } from '../support/world.js';

const bounceOf = (email: string) => ({
  type: 'bounce',
  bounce_class: '10',
  raw_rcpt_to: email,
  raw_reason: '550 5.1.1 no such user',
});

describe('a delivery to a source', () => {
  let world: World;
  let source: TestSource;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => (source = await createSource(world, 'sparkpost')));
  afterAll(() => world.close());

  const stateOf = async ({ id }: TestSource) => {
    const { badSignatures, lastError } = await world.app.get(SourcesService).get(id);
    return { badSignatures, lastError };
  };

  it('is answered 503 where the secrets of the source cannot be read, and source show tells', async () => {
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
    const jobRunnerPolls = 5;
    expect(connect.mock.calls.length).toBeLessThanOrEqual(jobRunnerPolls);
    connect.mockRestore();
  });

  it('is answered 200 with an empty object, and does what it says', async () => {
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

  it('that fails for a reason nobody foresaw is noted, without the inside of the error', async () => {
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

  it('answers the history with what the server said, and who told', async () => {
    await postWithCredential(world, source, sparkpostBatch([bounceOf('why@example.com')]));
    const { body } = await world.as(world.alice).get('/suppressions/why@example.com/history').expect(200);
    expect(body.data[0]).toMatchObject({
      action: 'added',
      actor: { type: 'source', id: source.id, name: 'sparkpost' },
      note: '550 5.1.1 no such user',
    });
  });

  it('that comes again does nothing', async () => {
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

  it('that tells the same key several times is taken at its first word', async () => {
    const keys = Array.from({ length: 60 }, (_, index) => `key-${60 - index}`);
    const tell = (word: string) =>
      keys.map((key) => ({ ...bounceOf(`${word}-${key}@example.com`), event_id: key }));
    const batch = sparkpostBatch([...tell('first'), ...tell('second')]);
    expect((await postWithCredential(world, source, batch)).status).toBe(200);
    const first = keys.map((key) => `first-${key}@example.com`);
    expect((await readInbox(world, source)).toSorted()).toEqual(
      first.map((email) => `${email} bounce suppress: added`).toSorted(),
    );
    const listed = (await readList(world)).map(({ email }) => email);
    expect(listed.filter((email) => email.includes('-key-'))).toEqual(first.toSorted());
  });

  it('that comes twenty times at once leaves one line in the ledger', async () => {
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

  it('drops nobody because of a bad neighbour', async () => {
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

  it('of an unknown type is stored and answered 200', async () => {
    const { status } = await postWithCredential(
      world,
      source,
      sparkpostBatch([{ type: 'telepathy', raw_rcpt_to: 'seer@example.com' }]),
    );
    expect(status).toBe(200);
    expect(await readInbox(world, source)).toEqual(['seer@example.com unknown none: nothing']);
  });

  it('that is forged is refused, and leaves nothing but a count', async () => {
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

  it('is refused when it is signed for other octets, too old, or for another source', async () => {
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

  it('that is malformed is answered 400, and remembered', async () => {
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

  it('larger than 1 MiB is refused', async () => {
    const { status, body } = await postWithCredential(world, source, `["${'x'.repeat(1024 * 1024)}"]`);
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
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

  it.each(['nobody', 'A'.repeat(32), '%00', 'A'.repeat(31) + '%00'])(
    'to a URL that no source has is not found: %s',
    async (id) => {
      const { status, body } = await post(world, { path: `/inbound/${id}` }, []);
      expect([status, body.code]).toEqual([404, 'source_not_found']);
    },
  );

  it('to a paused source is to be kept, and is taken after it is resumed', async () => {
    const sources = world.app.get(SourcesService);
    const batch = sparkpostBatch([bounceOf('patient@example.com')]);
    await sources.pause(source.id);
    const { status, body, headers } = await postWithCredential(world, source, batch);
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'source_paused', '600']);
    expect(await readInbox(world, source)).toEqual([]);
    await sources.resume(source.id);
    expect((await postWithCredential(world, source, batch)).status).toBe(200);
    expect(await readInbox(world, source)).toHaveLength(1);
  });

  it('to a source that was deleted is not found; what it did stays', async () => {
    const mailgun = await createSource(world, 'mailgun');
    const event = { event: 'complained', recipient: 'stays@example.com' };
    expect((await post(world, mailgun, mailgunBody(mailgun, event))).status).toBe(200);
    await world.app.get(InboxService).deleteSource(mailgun.id);
    expect((await post(world, mailgun, mailgunBody(mailgun, event))).status).toBe(404);
    expect(await readInbox(world, mailgun)).toEqual([]);
    expect(await readLedger(world, 'stays@example.com')).toEqual(['added complaint by mailgun']);
  });

  it('touches the list of its own account alone', async () => {
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

  it('waits until the secrets can be read: with another key or none it is answered 503', async () => {
    for (const SECRETS_KEY of ['5a'.repeat(32), '']) {
      const misled = await startTestApp(world.database.url, { SECRETS_KEY });
      const elsewhere = { ...world, anyone: request.agent(misled.url) as Agent };
      const { status } = await postWithCredential(elsewhere, source, []);
      expect(status).toBe(503);
      expect(JSON.stringify(misled.logLines())).toContain('SECRETS_KEY');
      await misled.close();
    }
  });

  it('of Mailgun may come again with its token, and no other event may', async () => {
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
    'of Mailgun that was taken is refused at another source with the same signing key, of %s',
    async (account) => {
      const mailgun = await createSource(world, 'mailgun');
      const other = await createSource(world, 'mailgun', { account });
      const recipient = `captured-${account}@example.com`;
      const body = mailgunBody(mailgun, { event: 'complained', recipient });
      expect((await post(world, mailgun, body)).status).toBe(200);
      const answers = [await post(world, other, body), await post(world, mailgun, body)];
      expect(answers.map(({ status }) => status)).toEqual([401, 200]);
      expect(await readInbox(world, other)).toEqual([]);
      await world.app.get(InboxService).deleteSource(mailgun.id);
      expect((await post(world, other, body)).status).toBe(401);
      expect(await readLedger(world, recipient)).toEqual(['added complaint by mailgun']);
    },
  );

  it('of Resend that is replayed by its dashboard, signed anew, does nothing', async () => {
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
