import { cutOff, failOnce, holdNext } from '../support/fake-providers/fake-provider.js';
import { startFakeSes, type FakeSes } from '../support/fake-providers/ses.js';
import { compare, createSesList, linesOf, settled } from '../support/provider-lists.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, withNewAccounts, type World } from '../support/world.js';

describe('a plan whose provider does not answer as usual', () => {
  let service: World;
  let world: World;
  let ses: FakeSes;
  let list: string;
  beforeAll(async () => {
    ses = await startFakeSes();
    service = await createWorld({ ...LOOPBACK, PROVIDER_API_URL_SES: ses.url });
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    ses.entries.clear();
    ses.faults.length = 0;
    ses.list('ada@example.com');
    list = await createSesList(world, world.alice);
  });
  afterAll(async () => {
    await service.close();
    await ses.close();
  });

  const planned = () => compare(world, world.alice, list);
  const shown = async () => (await world.as(world.alice).get(`/provider-lists/${list}`).expect(200)).body;
  const always = (fault: (typeof ses.faults)[number]) => ses.faults.push(...Array(20).fill(fault));

  it('waits as long as a 429 asks, or a moment, and goes on', async () => {
    ses.faults.push(failOnce(429, { 'retry-after': '1' }), failOnce(429), failOnce(503));
    expect(await planned()).toMatchObject({ status: 'ready', entries: 1 });
    expect(ses.faults).toEqual([]);
  });

  it('leaves its place to other jobs while it waits for longer, and goes on', async () => {
    ses.faults.push(failOnce(429, { 'retry-after': '3' }));
    const { body } = await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    const released = 'id = $1 AND lease_id IS NULL AND leased_until > now() AND attempts = 1';
    await until(async () => {
      const rows = await world.database.query(`SELECT id FROM jobs WHERE ${released}`, [body.id]);
      return rows.length > 0;
    });
    expect(await settled(world, world.alice, list, body.id)).toMatchObject({ status: 'ready', entries: 1 });
  });

  it('sends no more requests after its list was deleted', async () => {
    const held = holdNext(ses);
    const { body } = await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    const release = await held;
    const sent = ses.requests.length;
    await world.as(world.alice).delete(`/provider-lists/${list}`).expect(200);
    release(200, '{"SuppressedDestinationSummaries":[],"NextToken":"2"}');
    await until(async () => {
      const rows = await world.database.query(`SELECT FROM jobs WHERE id = $1 AND status = 'cancelled'`, [
        body.id,
      ]);
      return rows.length > 0;
    });
    expect(ses.requests).toHaveLength(sent);
  });

  it('fails after ten attempts that a 429 ended', async () => {
    const held = holdNext(ses);
    const { body } = await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    const release = await held;
    await world.database.query(
      'UPDATE jobs SET attempts = 9, lease_id = NULL, leased_until = NULL WHERE id = $1',
      [body.id],
    );
    ses.faults.push(failOnce(429, { 'retry-after': '60' }));
    expect(await settled(world, world.alice, list, body.id)).toMatchObject({ status: 'failed' });
    release(200, '{}');
  });

  it('fails when a 429 asks for more than a minute, and is not scheduled before', async () => {
    ses.faults.push(failOnce(429, { 'retry-after': '7200' }));
    expect(await planned()).toMatchObject({
      status: 'failed',
      reason: 'The provider received too many requests (429).',
    });
    expect(Date.parse((await shown()).next_plan_at)).toBeGreaterThan(Date.now() + 7_000_000);
  });

  it('stops the list when the credentials are refused, until they are replaced', async () => {
    for (const status of [401, 403]) {
      ses.faults.push(failOnce(status));
      expect(await planned()).toMatchObject({
        status: 'failed',
        reason: expect.stringContaining(`(${status})`),
      });
      expect(await shown()).toMatchObject({
        status: 'stopped',
        last_error: expect.stringContaining(`(${status})`),
        next_plan_at: null,
      });
      const credentials = { access_key_id: `AKIDEXAMPLE${status}`, secret_access_key: 'another' };
      await world.as(world.alice).patch(`/provider-lists/${list}`).send({ credentials }).expect(200);
      const { next_plan_at: nextPlanAt, ...others } = await shown();
      expect(others).toMatchObject({ status: 'active', last_error: null });
      expect(Date.parse(nextPlanAt)).toBeLessThanOrEqual(Date.now());
    }
  });

  it('does not stop the list when credentials are refused that were replaced meanwhile', async () => {
    const held = holdNext(ses);
    const { body } = await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    const release = await held;
    const credentials = { access_key_id: 'AKIDEXAMPLENEW', secret_access_key: 'another' };
    await world.as(world.alice).patch(`/provider-lists/${list}`).send({ credentials }).expect(200);
    release(401, '{}');
    expect(await settled(world, world.alice, list, body.id)).toMatchObject({ status: 'failed' });
    const { status, next_plan_at: nextPlanAt } = await shown();
    expect(status).toBe('active');
    expect(Date.parse(nextPlanAt)).toBeLessThanOrEqual(Date.now());
  });

  it('can stop pulling when its credentials cannot be read', async () => {
    await world.database.query(
      `UPDATE provider_lists SET credentials = '{"access_key_id": "?"}' WHERE id = $1`,
      [list],
    );
    await world.as(world.alice).patch(`/provider-lists/${list}`).send({ pull: false }).expect(200);
    await world.as(world.alice).patch(`/provider-lists/${list}`).send({ shared: true }).expect(503);
  });

  it('fails when its job has ended without it, so that the next one can begin', async () => {
    const held = holdNext(ses);
    const { body } = await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    const release = await held;
    await world.database.query(`UPDATE jobs SET status = 'failed', lease_id = NULL WHERE id = $1`, [body.id]);
    expect(await planned()).toMatchObject({ status: 'ready' });
    release(200, '{}');
    const { body: first } = await world.as(world.alice).get(`/provider-lists/${list}/plans/${body.id}`);
    expect(first).toMatchObject({ status: 'failed', reason: expect.stringContaining('ended too early') });
  });

  it('fails when the provider sends the same page again and again', async () => {
    always((response) => {
      const body = { SuppressedDestinationSummaries: [...ses.entries.values()], NextToken: 'again' };
      return Boolean(response.writeHead(200).end(JSON.stringify(body)));
    });
    expect(await planned()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('the same page twice'),
    });
  });

  it('fails when an entry has no address, since the format may have changed', async () => {
    const held = holdNext(ses);
    const plan = planned();
    const summaries = [{ EmailAddress: 'ada@example.com', Reason: 'BOUNCE' }, { Reason: 'BOUNCE' }];
    (await held)(200, JSON.stringify({ SuppressedDestinationSummaries: summaries }));
    expect(await plan).toMatchObject({
      status: 'failed',
      reason: 'The provider sent a body in a form that it does not document.',
    });
  });

  it('closes the connection of a failed request instead of reading its body', async () => {
    let isClosed = false;
    ses.faults.push((response) => {
      response.on('close', () => (isClosed = true));
      return response.writeHead(503).write('{');
    });
    expect(await planned()).toMatchObject({ status: 'ready' });
    expect(isClosed).toBe(true);
  });

  it.each<[string, (typeof ses.faults)[number]]>([
    ['is cut off', cutOff],
    ['is not JSON', (response) => Boolean(response.writeHead(200).end('<html>'))],
  ])('compares nothing when a body %s', async (_what, fault) => {
    ses.pageSize = 1;
    ses.list('bob@example.com');
    always((response, request) => request.url!.includes('NextToken') && fault(response, request));
    const plan = await planned();
    expect(plan).toMatchObject({ status: 'failed', counts: { pull: 0 } });
    expect(await linesOf(world, world.alice, list, plan.id)).toEqual([]);
    expect(await shown()).toMatchObject({ status: 'active', last_error: plan.reason, counts: null });
    const path = `/provider-lists/${list}/plans/${plan.id}/apply`;
    await world.as(world.alice).post(path).send({}).expect(409);
    ses.pageSize = 1_000;
  });

  it.each([
    ['a body without the documented list', 200, '{}', 'does not document'],
    ['a redirect, which it does not follow', 302, '', 'responded 302'],
    ['404', 404, '{}', 'Check the scope'],
  ])('fails after %s', async (_what, status, body, reason) => {
    ses.faults.push((response) => Boolean(response.writeHead(status, { location: '/' }).end(body)));
    expect(await planned()).toMatchObject({ status: 'failed', reason: expect.stringContaining(reason) });
    expect((await shown()).status).toBe('active');
  });

  it('ends its comparison when it is discarded while the provider is slow', async () => {
    always(() => true);
    ses.requests.length = 0;
    const { body } = await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    await until(() => ses.requests.length > 0);
    await world.as(world.alice).delete(`/provider-lists/${list}/plans/${body.id}`).expect(200);
    const [job] = await world.database.query('SELECT status FROM jobs WHERE id = $1', [body.id]);
    expect(job).toEqual({ status: 'cancelled' });
  });

  it('fails without a connection to a private address that the operator has not allowed', async () => {
    const strict = await createWorld({ PROVIDER_API_URL_SES: ses.url });
    try {
      const id = await createSesList(strict, strict.alice);
      const { body } = await strict.as(strict.alice).post(`/provider-lists/${id}/plans`).expect(202);
      ses.requests.length = 0;
      const plan = await settled(strict, strict.alice, id, body.id);
      expect(plan).toMatchObject({ status: 'failed', reason: expect.stringContaining('not public') });
      expect(ses.requests).toEqual([]);
    } finally {
      await strict.close();
    }
  });
});
