import { randomUUID } from 'node:crypto';
import { sparkpost } from '../../src/inbound/providers/sparkpost.js';
import {
  createSource,
  post,
  postWithCredential,
  readInbox,
  readList,
  resendHeaders,
  sparkpostBatch,
  type TestSource,
} from '../support/sources.js';
import { createWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => (world = await createWorld()));
afterAll(() => world.close());

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
