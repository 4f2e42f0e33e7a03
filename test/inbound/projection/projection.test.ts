import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { Client } from 'pg';
import { type Fact, findRecord, reportByPostmark, reportByResend } from '../../support/facts.js';
import { ended, importFile } from '../../support/imports.js';
import { createCertificate } from '../../support/servers/certificate.js';
import { envelope, signed, TOPIC } from '../../support/servers/sns.js';
import {
  createSource,
  post,
  postResend,
  postWithCredential,
  readInbox,
  readLedger,
  sparkpostBatch,
  type TestSource,
} from '../../support/sources.js';
import { until } from '../../support/until.js';
import { createKey, createWorld, suppress, withNewAccounts, type World } from '../../support/world.js';

let world: World;
beforeAll(async () => (world = await createWorld()));
afterAll(() => world.close());

describe('a report about an address', () => {
  let resend: TestSource;
  let other: TestSource;
  let email: string;
  beforeAll(async () => {
    resend = await createSource(world, 'resend', { name: 'resend-main' });
    other = await createSource(world, 'resend', { name: 'resend-other' });
  });
  beforeEach(() => (email = `${randomUUID()}@example.com`));

  const report = (fact: Fact, { source = resend } = {}) => reportByResend(world, source, fact, email);
  const record = () => findRecord(world, email);

  it('with a stronger cause changes the cause and the email id, but not the id and the timestamp', async () => {
    await report('bounce');
    const bounced = await record();
    await report('complaint');
    const complained = await record();
    expect(complained).toMatchObject({
      id: bounced!.id,
      created_at: bounced!.created_at,
      cause: 'complaint',
      email_id: expect.not.stringContaining(bounced!.email_id!),
    });
    expect(await readLedger(world, email)).toEqual([
      'added bounce by resend-main',
      'strengthened complaint by resend-main',
    ]);
  });

  it.each<[Fact, Fact]>([
    ['bounce', 'bounce'],
    ['complaint', 'complaint'],
    ['bounce', 'listed'],
    ['complaint', 'listed'],
  ])('after %s, %s changes nothing', async (first, second) => {
    await report(first);
    const before = await record();
    await report(second, { source: other });
    expect(await record()).toEqual(before);
    expect(await readLedger(world, email)).toHaveLength(1);
  });

  it.each<[Fact, Fact]>([
    ['complaint', 'bounce'],
    ['complaint', 'unsubscribe'],
    ['complaint', 'manual'],
    ['unsubscribe', 'manual'],
    ['manual', 'bounce'],
  ])('after %s, %s is kept beside it', async (first, second) => {
    await report(first);
    const before = await record();
    await report(second, { source: other });
    const { id, cause, created_at } = before!;
    expect(await record()).toMatchObject({ id, cause, created_at });
    expect(await readLedger(world, email)).toEqual([
      `added ${first} by resend-main`,
      `cause_added ${second} by resend-other`,
    ]);
  });

  it('adds an address that is on the list of the provider', async () => {
    await report('listed');
    expect(await record()).toMatchObject({ cause: 'manual' });
  });

  it('that changes nothing does not wait for somebody who has locked the record', async () => {
    await report('complaint');
    await report('bounce');
    const row = await world.database.lockRow('suppressions', `email = '${email}'`);
    const again = await Promise.allSettled([report('complaint'), report('bounce'), report('listed')]);
    await row.release();
    expect(again.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    const met = await world.database.query(
      'SELECT suppression_id, outcome FROM delivery_events WHERE recipient = $1',
      [email],
    );
    const { id } = (await record())!;
    expect(met.filter(({ suppression_id }) => suppression_id === id)).toHaveLength(5);
  });

  it('leaves a record that a person added attributed to that person', async () => {
    await suppress(world, world.alice, [email]);
    await report('bounce');
    expect(await readLedger(world, email)).toEqual([
      'added manual by alice',
      'cause_added bounce by resend-main',
    ]);
    expect(await record()).toMatchObject({ cause: 'manual' });
  });

  it('is applied in the order of its delivery', async () => {
    const sparkpost = await createSource(world, 'sparkpost');
    const zed = `zed-${email}`;
    const batch = sparkpostBatch([
      { type: 'bounce', bounce_class: '10', raw_rcpt_to: zed },
      { type: 'bounce', bounce_class: '10', raw_rcpt_to: email },
      { type: 'spam_complaint', fbtype: 'abuse', raw_rcpt_to: email },
      { type: 'link_unsubscribe', raw_rcpt_to: email.toUpperCase() },
      { type: 'spam_complaint', fbtype: 'not-spam', raw_rcpt_to: zed },
    ]);
    expect((await postWithCredential(world, sparkpost, batch)).status).toBe(200);
    expect(await readLedger(world, email)).toEqual([
      'added bounce by sparkpost',
      'strengthened complaint by sparkpost',
      'cause_added unsubscribe by sparkpost',
    ]);
    expect(await readLedger(world, zed)).toEqual(['added bounce by sparkpost']);
  });
});

const HOUR_MS = 3_600_000;

describe('a resubscribe', () => {
  let postmark: TestSource;
  let other: TestSource;
  let email: string;
  beforeAll(async () => {
    postmark = await createSource(world, 'postmark', { name: 'postmark-main' });
    other = await createSource(world, 'postmark', { name: 'postmark-other' });
  });
  beforeEach(() => (email = `${randomUUID()}@example.com`));

  const report = (fact: Fact, { source = postmark, ...options }: { source?: TestSource; at?: Date } = {}) =>
    reportByPostmark(world, source, fact, email, options);
  const record = () => findRecord(world, email);

  it('lifts the unsubscribe of the same source', async () => {
    await report('unsubscribe');
    await report('resubscribe');
    expect(await record()).toBeUndefined();
    expect(await readLedger(world, email)).toEqual([
      'added unsubscribe by postmark-main',
      'removed unsubscribe by postmark-main',
    ]);
  });

  it.each<[string, () => Promise<void>]>([
    ['another source', () => report('unsubscribe', { source: other })],
    ['a person', async () => void (await suppress(world, world.alice, [email]))],
  ])('does nothing to the record of %s', async (_whose, make) => {
    await make();
    const before = await record();
    await report('resubscribe');
    expect(before).toMatchObject({ email });
    expect(await record()).toEqual(before);
  });

  it.each<Fact>(['bounce', 'complaint', 'manual'])('does nothing to a %s', async (fact) => {
    await report(fact);
    await report('resubscribe');
    expect(await record()).toMatchObject({ cause: fact });
  });

  it('does nothing to an unsubscribe that was a bounce before, or became a complaint', async () => {
    await report('bounce');
    await report('unsubscribe');
    await report('resubscribe');
    expect(await record()).toMatchObject({ cause: 'unsubscribe' });
    await report('complaint');
    await report('resubscribe');
    expect(await record()).toMatchObject({ cause: 'complaint' });
  });

  it('does nothing if it is older than the unsubscribe, however late it arrives', async () => {
    await report('unsubscribe');
    await report('resubscribe', { at: new Date(Date.now() - HOUR_MS) });
    expect(await record()).toMatchObject({ cause: 'unsubscribe' });
  });

  it('does nothing if the same source reported a later unsubscribe', async () => {
    const [first, second, third] = [3, 2, 1].map((hours) => new Date(Date.now() - hours * HOUR_MS)) as [
      Date,
      Date,
      Date,
    ];
    await report('unsubscribe', { at: first });
    await report('unsubscribe', { at: third });
    await report('resubscribe', { at: second });
    expect(await record()).toMatchObject({ cause: 'unsubscribe' });
  });

  it('does nothing to an older unsubscribe that arrives later, which may be from another stream', async () => {
    await report('resubscribe', { at: new Date(Date.now() - 1_000) });
    await report('unsubscribe', { at: new Date(Date.now() - 3_000) });
    expect(await record()).toMatchObject({ cause: 'unsubscribe' });
  });

  it('does nothing if the address was reported twice, perhaps for another list', async () => {
    await report('unsubscribe');
    await report('unsubscribe');
    await report('resubscribe');
    expect(await record()).toMatchObject({ cause: 'unsubscribe' });
    email = `${randomUUID()}@example.com`;
    await report('unsubscribe');
    await report('bounce');
    await report('resubscribe');
    expect(await record()).toMatchObject({ cause: 'unsubscribe' });
    email = `${randomUUID()}@example.com`;
    await report('unsubscribe');
    await report('unsubscribe', { source: other });
    await report('resubscribe');
    expect(await record()).toMatchObject({ cause: 'unsubscribe' });
  });
});

const ADA = 'ada@example.com';

const EVE = 'eve@example.org';

describe('a bounce of an address that a rule allows', () => {
  let alice: string;
  beforeEach(async () => (alice = await createKey(world)));

  const putRule = async (pattern: string, effect = 'allow', more: object = {}): Promise<string> =>
    (
      await world
        .as(alice)
        .post('/rules')
        .send({ pattern, effect, ...more })
    ).body.id;
  const report = async (type = 'bounce', ...emails: string[]): Promise<Record<string, unknown>[]> =>
    (
      await world
        .as(alice)
        .post('/events')
        .send((emails.length > 0 ? emails : [ADA]).map((email) => ({ type, email, status: '5.1.1' })))
        .expect(200)
    ).body.data;
  const lastEvent = async () => (await world.as(alice).get('/events').query({ email: ADA })).body.data[0];
  const causes = async () =>
    (await world.as(alice).get(`/suppressions/${ADA}`).query({ include: 'causes' })).body.causes?.map(
      ({ cause }: { cause: string }) => cause,
    );

  it.each([ADA, 'example.com', '*.com', 'ada@*'])('is stored, and ignored because of %s', async (pattern) => {
    const id = await putRule(pattern);
    expect(await report('bounce', ADA, EVE)).toMatchObject([
      { outcome: 'ignored', suppression_id: null },
      { outcome: 'added' },
    ]);
    expect(await lastEvent()).toMatchObject({
      kind: 'bounce',
      outcome: 'ignored',
      rule_id: id,
      suppression_id: null,
      reason: expect.stringContaining(pattern),
    });
    await world.as(alice).get(`/suppressions/${ADA}`).expect(404);
    await world.as(alice).get(`/suppressions/${ADA}/history`).expect(404);
  });

  it('is not added beside another cause either, although other causes are', async () => {
    const id = await putRule('example.com');
    await report('complaint');
    expect(await report()).toMatchObject([{ outcome: 'ignored', suppression_id: expect.any(String) }]);
    expect(await lastEvent()).toMatchObject({ rule_id: id });
    expect(await causes()).toEqual(['complaint']);
    await suppress(world, alice, [ADA]);
    expect(await causes()).toEqual(['complaint', 'manual']);
  });

  it('suppresses if the rule ended, is about one topic, or is overridden by a more specific one', async () => {
    await world.as(alice).post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
    const id = await putRule('example.com', 'allow', { expires_at: '2999-01-01' });
    await world.database.query('UPDATE rules SET expires_at = now() WHERE id = $1', [id]);
    await putRule('example.com', 'allow', { topic: 'news' });
    await putRule('*.com', 'allow');
    await putRule('example.com', 'block');
    expect(await report()).toMatchObject([{ outcome: 'added' }]);
    expect(await lastEvent()).toMatchObject({ rule_id: null });
  });

  it('changes nothing if the address has bounced before the rule', async () => {
    await report();
    await putRule('example.com');
    expect(await report()).toMatchObject([{ outcome: 'nothing' }]);
    expect(await causes()).toEqual(['bounce']);
  });

  it('is ignored even if it is one soft failure too many', async () => {
    const { acme, alice: apiKey } = await withNewAccounts(world);
    const source = await createSource(world, 'sparkpost', {
      account: acme.name,
      options: { softLimit: { failures: 2, days: 7 } },
    });
    const id = (
      await world.as(apiKey).post('/rules').send({ pattern: 'example.com', effect: 'allow' }).expect(201)
    ).body.id;
    for (const message_id of ['1', '2']) {
      const event = {
        type: 'bounce',
        bounce_class: '20',
        raw_rcpt_to: ADA,
        message_id,
        event_id: message_id,
      };
      const body = JSON.stringify([{ msys: { message_event: event } }]);
      expect((await postWithCredential(world, source, body)).status).toBe(200);
    }
    const { body } = await world.as(apiKey).get('/events').query({ email: ADA });
    expect(body.data).toMatchObject([{ outcome: 'ignored', rule_id: id }, { outcome: 'counted' }]);
    await world.as(apiKey).get(`/suppressions/${ADA}`).expect(404);
  });

  it('of another account suppresses', async () => {
    await putRule('example.com');
    const stranger = await createKey(world);
    const { body } = await world
      .as(stranger)
      .post('/events')
      .send({ type: 'bounce', email: ADA, status: '5.1.1' });
    expect(body.data).toMatchObject([{ outcome: 'added' }]);
  });
});

describe('a removal at the provider', () => {
  let resend: TestSource;
  let other: TestSource;
  let email: string;
  beforeAll(async () => {
    resend = await createSource(world, 'resend', { name: 'resend-main' });
    other = await createSource(world, 'resend', { name: 'resend-other' });
  });
  beforeEach(() => (email = `${randomUUID()}@example.com`));

  const report = (fact: Fact, { source = resend, at = new Date() } = {}) =>
    reportByResend(world, source, fact, email, at);
  const record = () => findRecord(world, email);
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

  it.each<Fact>(['bounce', 'manual'])('lifts a %s of the same source', async (fact) => {
    await report(fact);
    await report('removed');
    expect(await record()).toBeUndefined();
  });

  it('lifts a bounce that was also reported as the bounce of an email', async () => {
    const bounced = {
      type: 'email.bounced',
      created_at: new Date().toISOString(),
      data: {
        email_id: randomUUID(),
        to: [email],
        bounce: { type: 'Permanent', subType: 'General', diagnosticCode: ['550 5.1.1 no such user'] },
      },
    };
    expect((await postResend(world, resend, bounced)).status).toBe(200);
    await report('bounce');
    await report('removed');
    expect(await readLedger(world, email)).toEqual([
      'added bounce by resend-main',
      'removed bounce by resend-main',
    ]);
  });

  it('does not lift an unsubscribe, because Resend has none on its suppression list', async () => {
    await report('unsubscribe');
    await report('removed');
    expect(await record()).toMatchObject({ cause: 'unsubscribe' });
  });

  it('lifts nothing that another source reported as well', async () => {
    await report('bounce');
    await report('bounce', { source: other });
    await report('removed');
    expect(await record()).toMatchObject({ cause: 'bounce' });
  });

  it('lifts no complaint, and nothing that somebody else added or changed', async () => {
    await report('complaint');
    await report('removed');
    expect(await record()).toMatchObject({ cause: 'complaint' });
    email = `${randomUUID()}@example.com`;
    await report('bounce');
    await suppress(world, world.alice, [email]);
    await report('removed');
    expect(await record()).toMatchObject({ cause: 'manual' });
    email = `${randomUUID()}@example.com`;
    await report('bounce', { source: other });
    await report('removed');
    expect(await record()).toMatchObject({ cause: 'bounce' });
  });

  describe('that arrives before an older report', () => {
    it.each<Fact>(['bounce', 'manual', 'listed'])('supersedes a %s, and the inbox says why', async (fact) => {
      await report('removed', { at: hoursAgo(1) });
      await report(fact, { at: hoursAgo(3) });
      await report(fact, { at: hoursAgo(2) });
      expect(await readLedger(world, email)).toEqual([]);
      const stored = await world.database.query(
        `SELECT outcome, suppression_id, reason FROM delivery_events WHERE recipient = $1 AND kind <> 'removed'`,
        [email],
      );
      const superseded = {
        outcome: 'nothing',
        suppression_id: null,
        reason: 'The same source removed the address later, and reported the removal first.',
      };
      expect(stored).toEqual([superseded, superseded]);
    });

    it.each<Fact>(['unsubscribe', 'complaint'])('does not supersede an %s', async (fact) => {
      await report('removed', { at: hoursAgo(1) });
      await report(fact, { at: hoursAgo(2) });
      expect(await record()).toMatchObject({ cause: fact });
    });

    it('does not supersede a report of the same time, a later one, or one of another source', async () => {
      const time = hoursAgo(1);
      const recordAfter = async (options: Parameters<typeof report>[1]) => {
        email = `${randomUUID()}@example.com`;
        await report('removed', { at: time });
        await report('bounce', options);
        return record();
      };
      expect(await recordAfter({ at: time })).toMatchObject({ cause: 'bounce' });
      expect(await recordAfter({ at: hoursAgo(0.5) })).toMatchObject({ cause: 'bounce' });
      expect(await recordAfter({ at: hoursAgo(2), source: other })).toMatchObject({ cause: 'bounce' });
    });

    it('supersedes it although it lifted another record, but no report of another source', async () => {
      await report('bounce', { at: hoursAgo(3) });
      await report('removed', { at: hoursAgo(1) });
      await report('bounce', { at: hoursAgo(2) });
      expect(await record()).toBeUndefined();
      await report('bounce', { at: hoursAgo(2), source: other });
      expect(await record()).toMatchObject({ cause: 'bounce' });
    });

    it('supersedes nothing if it did not lift the record that it found', async () => {
      await report('bounce', { source: other, at: hoursAgo(3) });
      await report('removed', { at: hoursAgo(1) });
      await report('removed', { source: other, at: hoursAgo(2.5) });
      await report('bounce', { at: hoursAgo(2) });
      expect(await record()).toMatchObject({ cause: 'bounce' });
    });
  });
});

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

describe('after a person removed an address', () => {
  let sendgrid: TestSource;
  let email: string;
  beforeAll(async () => {
    const verification_key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    sendgrid = await createSource(world, 'sendgrid', { secrets: { verification_key } });
  });
  beforeEach(() => (email = `${randomUUID()}@example.com`));

  const report = async (fields: Record<string, unknown>) => {
    const time = String(Math.floor(Date.now() / 1000));
    const body = JSON.stringify([{ email, sg_event_id: randomUUID(), timestamp: Number(time), ...fields }]);
    const { status } = await post(world, sendgrid, body, {
      'X-Twilio-Email-Event-Webhook-Timestamp': time,
      'X-Twilio-Email-Event-Webhook-Signature': sign('sha256', Buffer.from(time + body), privateKey).toString(
        'base64',
      ),
    });
    expect(status).toBe(200);
  };
  const bounced = () => report({ event: 'bounce', bounce_classification: 'Invalid Address' });
  const dropped = (reason: string) => report({ event: 'dropped', reason });
  const remove = () => world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
  const revert = async (id: string) => {
    await world.as(world.alice).post(`/imports/${id}/revert`).expect(202);
    expect(await ended(world, world.alice, id)).toMatchObject({ status: 'reverted', reverted: 1 });
  };
  const lastEvent = async () => {
    const { body } = await world.as(world.alice).get('/events').query({ email, limit: 1 }).expect(200);
    return body.data[0];
  };

  it.each([
    ['Bounced Address', "SendGrid's bounce list", 'Suppressions > Bounces'],
    ['Spam Reporting Address', "SendGrid's list of spam reports", 'Suppressions > Spam Reports'],
    ['Unsubscribed Address', "SendGrid's list of unsubscribes", 'Suppressions > Global Unsubscribes'],
  ])('"%s" does not add it again, and its event says where to remove it', async (reason, list, path) => {
    await bounced();
    await remove();
    await dropped(reason);
    await dropped(reason);
    expect(await findRecord(world, email)).toBeUndefined();
    expect(await readLedger(world, email)).toEqual(['added bounce by sendgrid', 'removed bounce by alice']);
    const event = await lastEvent();
    expect(event).toMatchObject({ effect: 'suppress-if-absent', outcome: 'nothing', suppression_id: null });
    expect(event.reason).toContain(`Still on ${list}: remove it there (${path}`);
  });

  it('a new bounce adds it again', async () => {
    await bounced();
    await remove();
    await bounced();
    expect(await findRecord(world, email)).toMatchObject({ cause: 'bounce' });
  });

  const hourAgo = () => Math.floor(Date.now() / 1000) - 3600;
  const late = {
    bounce: () => report({ event: 'bounce', bounce_classification: 'Invalid Address', timestamp: hourAgo() }),
    unsubscribe: () => report({ event: 'unsubscribe', timestamp: hourAgo() }),
    complaint: () => report({ event: 'spamreport', timestamp: hourAgo() }),
  };

  it.each(['bounce', 'unsubscribe', 'complaint'] as const)(
    'a %s from before the removal does not add it again, although it arrives later',
    async (cause) => {
      await late[cause]();
      await remove();
      await late[cause]();
      expect(await findRecord(world, email)).toBeUndefined();
      expect(await lastEvent()).toMatchObject({
        kind: cause,
        outcome: 'nothing',
        suppression_id: null,
        reason: 'It happened before the address, or its cause, was removed from the list.',
      });
    },
  );

  it('a cause that it had not yet is added, unless it is an earlier bounce', async () => {
    await late.unsubscribe();
    await remove();
    await late.bounce();
    expect(await findRecord(world, email)).toBeUndefined();
    await late.complaint();
    expect(await findRecord(world, email)).toMatchObject({ cause: 'complaint' });
  });

  it('a cause that was lifted alone is not added again by an event from before', async () => {
    await late.complaint();
    await late.unsubscribe();
    await world.as(world.alice).delete(`/suppressions/${email}?cause=unsubscribe`).expect(200);
    await late.unsubscribe();
    expect(await readLedger(world, email)).toEqual([
      'added complaint by sendgrid',
      'cause_added unsubscribe by sendgrid',
      'cause_removed unsubscribe by alice',
    ]);
  });

  it('an event without a time counts as new', async () => {
    await world.as(world.alice).post('/events').send({ type: 'unsubscribe', email }).expect(200);
    await remove();
    await world.as(world.alice).post('/events').send({ type: 'unsubscribe', email }).expect(200);
    expect(await findRecord(world, email)).toMatchObject({ cause: 'unsubscribe' });
  });

  it('an event from before an import is added again if only the revert of the import removed it', async () => {
    const { id } = await importFile(world, world.alice, `email,cause\n${email},bounce\n`);
    await revert(id);
    await late.bounce();
    expect(await findRecord(world, email)).toMatchObject({ cause: 'bounce' });
  });

  it('an address that only the revert of an import removed is added again', async () => {
    const { id } = await importFile(world, world.alice, `${email}\n`);
    await revert(id);
    await dropped('Bounced Address');
    expect(await findRecord(world, email)).toMatchObject({ cause: 'bounce' });
  });

  it('an import and its revert do not make the service forget the removal', async () => {
    await bounced();
    await remove();
    const { id } = await importFile(world, world.alice, `${email}\n`);
    await revert(id);
    await dropped('Bounced Address');
    expect(await findRecord(world, email)).toBeUndefined();
    expect(await lastEvent()).toMatchObject({ effect: 'suppress-if-absent', outcome: 'nothing' });
  });

  it('an address that no person removed is still added because it is on the list of the provider', async () => {
    await dropped('Bounced Address');
    expect(await findRecord(world, email)).toMatchObject({ cause: 'bounce' });
    expect((await readInbox(world, sendgrid)).filter((line) => line.startsWith(email))).toEqual([
      `${email} bounce suppress-if-absent: added`,
    ]);
  });
});

describe('concurrent deliveries', () => {
  let email: string;
  beforeEach(() => (email = `${randomUUID()}@example.com`));

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
    await world.database.untilWaiting();
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

describe('the ids of stored events', () => {
  it('have the order in which their deliveries got the address locks, unless they need none', async () => {
    const source = await createSource(world, 'sparkpost', {
      options: { softLimit: { failures: 3, days: 7 } },
    });
    const holder = new Client(world.database.url);
    holder.on('error', () => undefined);
    await holder.connect();
    await holder.query(
      `SELECT pg_advisory_lock(hashtext('address ' || accounts.id), number)
       FROM accounts CROSS JOIN generate_series(0, 63) AS number`,
    );
    const soft = { type: 'bounce', bounce_class: '22', raw_rcpt_to: 'soft@example.com' };
    const delivered = { type: 'delivery', raw_rcpt_to: 'delivered@example.com' };
    const answer = postWithCredential(world, source, sparkpostBatch([soft, delivered]));
    await until(async () => {
      const waiting = await world.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
      );
      return waiting.length === 1;
    });
    const [meanwhile] = await world.database.query<{ id: string }>('SELECT uuid_v7() AS id');
    await holder.end();
    expect((await answer).status).toBe(200);
    const stored = await world.database.query<{ kind: string; isLater: boolean }>(
      'SELECT kind, id > $1 AS "isLater" FROM delivery_events WHERE source_id = $2 ORDER BY kind',
      [meanwhile!.id, source.id],
    );
    expect(stored).toEqual([
      { kind: 'bounce', isLater: true },
      { kind: 'delivered', isLater: false },
    ]);
  });
});

const DAY_MS = 86_400_000;
const certificate = createCertificate(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));

describe('a resubscribe that arrives while the same source reports a later bounce', () => {
  let ses: TestSource;
  const realFetch = globalThis.fetch;
  beforeAll(async () => {
    ses = await createSource(world, 'ses', { options: { topicArns: [TOPIC] } });
    globalThis.fetch = async () => new Response(certificate.pem);
  });
  afterAll(() => void (globalThis.fetch = realFetch));

  const deliver = async (eventType: string, emails: string[], about: object) => {
    const event = { eventType, mail: { messageId: randomUUID(), destination: emails }, ...about };
    const fields = { MessageId: randomUUID(), Timestamp: new Date().toISOString() };
    const { status } = await post(world, ses, signed(envelope(event, fields), certificate.privateKey));
    expect(status).toBe(200);
  };
  const subscribe = (email: string, isSubscribed: boolean, seconds: number) =>
    deliver('Subscription', [email], {
      subscription: {
        timestamp: secondsAgo(seconds),
        oldTopicPreferences: { unsubscribeAll: isSubscribed },
        newTopicPreferences: { unsubscribeAll: !isSubscribed },
      },
    });
  const bounce = (emails: string[], seconds: number) =>
    deliver('Bounce', emails, {
      bounce: {
        timestamp: secondsAgo(seconds),
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: emails.map((emailAddress) => ({
          emailAddress,
          action: 'failed',
          status: '5.1.1',
        })),
      },
    });

  it('leaves the address suppressed', async () => {
    const held = 'ada@example.com';
    const email = 'zoe@example.com';
    await subscribe(email, false, 30);
    const place = await world.database.lockPlace(ses.accountId, held);
    const later = bounce([held, email], 10);
    await world.database.untilWaiting();
    const lift = subscribe(email, true, 20);
    await world.database.untilWaiting(2);
    await place.release();
    await Promise.all([later, lift]);
    expect(await readLedger(world, email)).toEqual(['added unsubscribe by ses', 'cause_added bounce by ses']);
  });
});

function secondsAgo(seconds: number): string {
  return new Date(Date.now() - seconds * 1000).toISOString();
}
