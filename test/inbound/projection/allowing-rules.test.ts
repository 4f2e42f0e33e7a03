import { createKey, createWorld, suppress, type World } from '../../support/world.js';
import { createSource, postWithCredential } from '../../support/sources.js';

const ADA = 'ada@example.com';
const EVE = 'eve@example.org';

describe('a bounce of an address that a rule allows', () => {
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

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
    const source = await createSource(world, 'sparkpost', {
      options: { softLimit: { failures: 2, days: 7 } },
    });
    const id = (
      await world.as(world.alice).post('/rules').send({ pattern: 'example.com', effect: 'allow' }).expect(201)
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
    const { body } = await world.as(world.alice).get('/events').query({ email: ADA });
    expect(body.data).toMatchObject([{ outcome: 'ignored', rule_id: id }, { outcome: 'counted' }]);
    await world.as(world.alice).get(`/suppressions/${ADA}`).expect(404);
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
