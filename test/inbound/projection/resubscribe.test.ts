import { randomUUID } from 'node:crypto';
import { findRecord, reportByPostmark, type Fact } from '../../support/facts.js';
import { createSource, readLedger, type TestSource } from '../../support/sources.js';
import { createWorld, suppress, type World } from '../../support/world.js';

const HOUR_MS = 3_600_000;

describe('a resubscribe', () => {
  let world: World;
  let postmark: TestSource;
  let other: TestSource;
  let email: string;
  beforeAll(async () => {
    world = await createWorld();
    postmark = await createSource(world, 'postmark', { name: 'postmark-main' });
    other = await createSource(world, 'postmark', { name: 'postmark-other' });
  });
  beforeEach(() => (email = `${randomUUID()}@example.com`));
  afterAll(() => world.close());

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
