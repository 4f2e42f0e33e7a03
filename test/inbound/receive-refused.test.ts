import { randomUUID } from 'node:crypto';
import { getDataSourceToken } from '@nestjs/typeorm';
import request, { type Agent } from 'supertest';
import type { DataSource } from 'typeorm';
import {
  createSource,
  mailgunBody,
  post,
  postWithCredential,
  readInbox,
  readLedger,
  resendHeaders,
  sparkpostBatch,
  type TestSource,
} from '../support/sources.js';
import { poolOf } from '../../src/database/prepared-statement.js';
import { SourceChangesService } from '../../src/inbound/sources/source-changes.service.js';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { startTestApp } from '../support/test-app.js';
import { createWorld, type World } from '../support/world.js';
import { OPERATOR } from '../support/operator.js';

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

  it('larger than 1 MiB is refused', async () => {
    const { status, body } = await postWithCredential(world, source, `["${'x'.repeat(1024 * 1024)}"]`);
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
      expect(JSON.stringify(misled.logLines())).toContain('SECRETS_KEY');
      await misled.close();
    }
  });
});
