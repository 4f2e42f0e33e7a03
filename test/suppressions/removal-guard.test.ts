import { Client } from 'pg';
import type { Scope } from '../../src/api-keys/scopes.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';
import { until } from '../support/until.js';
import { importFile } from '../support/imports.js';
import { PUBLIC_URL, tokenFor } from '../support/recipients.js';

const ADA = 'ada@example.com';
const EVE = 'eve@example.com';
const CONSENT = { kind: 'recipient_request', reference: 'Support case 4711' };
const WITHOUT_LIFT: Scope[] = ['suppressions:write', 'events:write'];

describe('an account that guards removals', () => {
  let world: World;
  /** Every scope. */
  let alice: string;
  /** Without `suppressions:lift`. */
  let bob: string;
  beforeAll(async () => (world = await createWorld({ PUBLIC_URL })));
  beforeEach(async () => {
    alice = await createKey(world);
    await world.as(alice).patch('/account').send({ removal: 'guarded' }).expect(200);
    const { name } = (await world.as(alice).get('/account')).body;
    bob = await createKey(world, WITHOUT_LIFT, name);
  });
  afterAll(() => world.close());

  const report = (type: string, email = ADA) =>
    world.as(alice).post('/events').send({ type, email, status: '5.1.1' }).expect(200);
  const remove = (body: object | undefined, apiKey = alice, query = '') =>
    world.as(apiKey).delete(`/suppressions/${ADA}${query}`).send(body);
  const batchRemove = (body: object, apiKey = alice) =>
    world.as(apiKey).post('/suppressions/batch/remove').send(body);
  const causes = async (email = ADA) => {
    const { body } = await world.as(alice).get(`/suppressions/${email}`).query({ include: 'causes' });
    return body.causes?.map(({ cause }: { cause: string }) => cause);
  };
  const lastChange = async () => (await world.as(alice).get(`/suppressions/${ADA}/history`)).body.data[0];

  it('lifts a manual entry for everybody who may write, without a body, as Resend’s clients do', async () => {
    await suppress(world, alice, [ADA]);
    await world.as(bob).delete(`/suppressions/${ADA}`).expect(200);
    expect(await lastChange()).toMatchObject({ action: 'removed', evidence: null });
  });

  it.each([undefined, {}, { note: ' ' }])('lifts no bounce for %j', async (body) => {
    await report('bounce');
    const response = await remove(body).expect(403);
    expect(response.body).toMatchObject({
      name: 'validation_error',
      code: 'removal_not_allowed',
      message: 'This account guards removals. Lifting a bounce needs a note. Nothing was removed.',
    });
    expect(await causes()).toEqual(['bounce']);
  });

  it('lifts a bounce for everybody who may write and gives a note', async () => {
    await report('bounce');
    await remove({ note: 'The mailbox is back' }, bob).expect(200);
    expect(await causes()).toBeUndefined();
  });

  it.each(['complaint', 'unsubscribe'])('lifts a %s only with a consent and the scope', async (cause) => {
    await report(cause);
    for (const [body, apiKey] of [
      [{ note: 'Please' }, alice],
      [{ consent: CONSENT }, bob],
      [{ consent: null }, alice],
    ] as const) {
      const response = await remove(body, apiKey).expect(403);
      expect(response.body.message).toContain('suppressions:lift');
    }
    expect(await causes()).toEqual([cause]);
    await remove({ consent: CONSENT }).expect(200);
    expect(await causes()).toBeUndefined();
    expect(await lastChange()).toMatchObject({ action: 'removed', cause, evidence: { consent: CONSENT } });
  });

  it('asks for what each of the causes needs', async () => {
    await report('bounce');
    await report('unsubscribe');
    const { body } = await remove({}).expect(403);
    expect(body.message).toMatch(/Lifting a bounce needs.*Lifting a complaint or an unsubscribe needs/);
    await remove({ consent: CONSENT }).expect(403);
    await remove({ note: 'The mailbox is back' }, bob).expect(403);
    await remove({ note: 'The mailbox is back' }, bob, '?cause=bounce').expect(200);
    expect(await causes()).toEqual(['unsubscribe']);
    await remove({ consent: CONSENT }, alice, '?cause=unsubscribe').expect(200);
  });

  it('refuses a whole batch because of one address', async () => {
    const [manual] = await suppress(world, alice, [EVE]);
    await report('complaint');
    const id = (await world.as(alice).get(`/suppressions/${ADA}`)).body.id;
    await batchRemove({ emails: [EVE, ADA] }, bob).expect(403);
    await batchRemove({ ids: [manual, id], note: 'All of them' }).expect(403);
    await batchRemove({ emails: [EVE, ADA], cause: 'complaint' }).expect(403);
    expect([await causes(EVE), await causes()]).toEqual([['manual'], ['complaint']]);
    const { body } = await batchRemove({ emails: [EVE, ADA], consent: CONSENT }).expect(200);
    expect(body.data).toHaveLength(2);
  });

  it('reports an address that is not listed, or a cause that it lacks, as not found', async () => {
    await remove({}).expect(404);
    await suppress(world, alice, [ADA]);
    await remove({}, bob, '?cause=complaint').expect(404);
    expect((await batchRemove({ emails: [ADA], cause: 'complaint' }, bob).expect(200)).body.data).toEqual([]);
  });

  describe('asks for an opt-in over an opt-out', () => {
    const choose = (body: object, apiKey = alice) =>
      world.as(apiKey).patch(`/contacts/${ADA}/topics`).send(body);
    const news = { id: 'news', subscription: 'opt_in' };
    beforeEach(async () => {
      const topic = { name: 'News', default_subscription: 'opt_in', visibility: 'public' };
      await world.as(alice).post('/topics').send(topic).expect(201);
      await world.as(alice).post('/topics').send({ name: 'Offers', default_subscription: 'opt_out' });
    });

    const optOuts: [string, () => Promise<unknown>][] = [
      [
        'a link',
        async () =>
          fetch(`${world.url}/u/${await tokenFor(world, alice, ADA, { topic: 'news' })}`, { method: 'POST' }),
      ],
      ['an import', () => importFile(world, alice, `${ADA}\n`, { topic: 'news' })],
      ['the API', () => choose([{ id: 'news', subscription: 'opt_out' }]).expect(200)],
    ];
    it.each(optOuts)('by %s for a consent and the scope', async (_origin, optOut) => {
      await optOut();
      const carol = await createKey(
        world,
        ['topics:write'],
        (await world.as(alice).get('/account')).body.name,
      );
      for (const [body, apiKey] of [
        [[news], alice],
        [{ topics: [news], consent: null }, alice],
        [{ topics: [{ id: 'offers', subscription: 'opt_in' }, news], consent: CONSENT }, carol],
      ] as const) {
        expect((await choose(body, apiKey).expect(403)).body.code).toBe('opt_in_not_allowed');
      }
      expect(await lastChange()).toMatchObject({ action: 'opted_out' });
      await choose({ topics: [news], consent: CONSENT }).expect(200);
      expect(await lastChange()).toMatchObject({ action: 'opted_in', evidence: { consent: CONSENT } });
    });

    it('and for nothing more: opt-outs, and opt-ins of somebody who never opted out, stay free', async () => {
      await choose([{ id: 'offers', subscription: 'opt_in' }, news]).expect(200);
      await choose([{ id: 'news', subscription: 'opt_out' }]).expect(200);
      await world.as(alice).patch('/account').send({ removal: 'open' }).expect(200);
      await choose([news]).expect(200);
    });

    it('with a consent of the right form', async () => {
      const { body } = await choose({ topics: [news], consent: { kind: 'hearsay' } }).expect(400);
      expect(body.errors).toMatchObject([{ path: 'consent' }]);
      const misspelled = await choose({ topics: [news], consents: CONSENT, topic_id: 'x' }).expect(400);
      expect(misspelled.body.errors).toMatchObject([{ path: 'consents' }]);
    });
  });

  it('decides by the causes that the record has when it is removed', async () => {
    await suppress(world, alice, [ADA]);
    const writer = new Client({ connectionString: world.database.url });
    await writer.connect();
    await writer.query('BEGIN');
    await writer.query(
      `UPDATE suppressions SET cause = 'complaint', weaker_causes = cause_bit('manual') WHERE email = $1`,
      [ADA],
    );
    const removal = remove({}, bob).then(({ status }) => status);
    await until(async () => (await world.database.countWaiting()) === 1);
    await writer.query('COMMIT');
    await writer.end();
    expect(await removal).toBe(403);
    expect(await causes()).toEqual(['complaint', 'manual']);
  });

  it.each([
    'yes',
    {},
    { kind: 'hearsay', reference: '1' },
    { kind: 'our_error' },
    { kind: 'our_error', reference: ' ' },
    { kind: 'our_error', reference: 'x'.repeat(501) },
    { kind: 'our_error', reference: 'a\0b' },
  ])('refuses the consent %j', async (consent) => {
    await report('complaint');
    for (const response of [remove({ consent }), batchRemove({ emails: [ADA], consent })]) {
      expect((await response.expect(400)).body.errors).toMatchObject([{ path: 'consent' }]);
    }
    expect(await causes()).toEqual(['complaint']);
  });

  it('that stops guarding removals lets every writer lift everything, and still records a consent', async () => {
    await report('complaint');
    await world.as(alice).patch('/account').send({ removal: 'open' }).expect(200);
    await remove({ consent: CONSENT }, bob).expect(200);
    expect(await lastChange()).toMatchObject({ evidence: { consent: CONSENT } });
  });
});
