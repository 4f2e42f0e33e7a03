import { randomUUID } from 'node:crypto';
import { findRecord, reportByResend, type Fact } from '../../support/facts.js';
import {
  createSource,
  postWithCredential,
  readLedger,
  sparkpostBatch,
  type TestSource,
} from '../../support/sources.js';
import { createWorld, suppress, type World } from '../../support/world.js';

describe('a report about an address', () => {
  let world: World;
  let resend: TestSource;
  let other: TestSource;
  let email: string;
  beforeAll(async () => {
    world = await createWorld();
    resend = await createSource(world, 'resend', { name: 'resend-main' });
    other = await createSource(world, 'resend', { name: 'resend-other' });
  });
  beforeEach(() => (email = `${randomUUID()}@example.com`));
  afterAll(() => world.close());

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
    expect(await record()).toMatchObject({ cause: 'bounce' });
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
