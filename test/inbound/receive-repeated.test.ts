import { randomUUID } from 'node:crypto';
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
import { SourceChangesService } from '../../src/inbound/sources/source-changes.service.js';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
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
