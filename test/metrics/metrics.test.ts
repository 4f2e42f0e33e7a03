import { tmpdir, totalmem } from 'node:os';
import { JobRunner } from '../../src/jobs/job-runner.js';
import { MetricsServer } from '../../src/metrics/metrics-server.js';
import { ExpirySweep } from '../../src/suppressions/expiry-sweep.js';
import { runCommand } from '../support/command-line.js';
import { importFile } from '../support/imports.js';
import { createSource, postWithCredential, sparkpostBatch } from '../support/sources.js';
import { createWorld, suppress, type World } from '../support/world.js';
import { until } from '../support/until.js';
import { startTestApp } from '../support/test-app.js';

const PREFIX = 'suppression_list_';

describe('the metrics', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld({ METRICS_PORT: '0' })));
  afterAll(() => world.close());

  const read = async (): Promise<string> => {
    const response = await fetch(world.app.get(MetricsServer).url!);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    return response.text();
  };
  /** The value of each series of a metric, by its labels. */
  const seriesOf = async (name: string): Promise<Record<string, number>> => {
    const lines = (await read()).split('\n').filter((line) => line.startsWith(`${PREFIX}${name}{`));
    return Object.fromEntries(
      lines.map((line) => {
        const [, labels, value] = /^\w+\{(.*)\} (.+)$/.exec(line)!;
        return [labels!.replaceAll('"', ''), Number(value)];
      }),
    );
  };

  it('count requests by route pattern, method and status, with their duration', async () => {
    const startedAt = performance.now();
    await world.as(world.alice).get('/suppressions/nobody@example.com').expect(404);
    await world.as(world.alice).get('/suppressions/no-one@example.com').expect(404);
    await world.anyone.get('/nowhere/someone@example.com').expect(404);
    expect(await seriesOf('http_request_duration_seconds_count')).toEqual({
      'method=GET,route=/suppressions/:suppression,status=404': 2,
      'method=GET,route=(none),status=404': 1,
    });
    const sums = Object.values(await seriesOf('http_request_duration_seconds_sum'));
    const passed = (performance.now() - startedAt) / 1_000;
    expect(sums.every((seconds) => seconds > 0 && seconds < passed)).toBe(true);
  });

  it('are found with a query, as Prometheus sends `params`', async () => {
    const { href } = new URL('?format=text', world.app.get(MetricsServer).url!);
    expect((await fetch(href)).status).toBe(200);
  });

  it('count verdicts', async () => {
    await suppress(world, world.alice, ['verdict@example.com']);
    const emails = ['verdict@example.com', 'new@example.com', 'other@example.com', 'not an address'];
    await world.as(world.alice).post('/suppressions/check').send({ emails }).expect(200);
    expect(await seriesOf('verdicts_total')).toEqual({
      'verdict=suppressed': 1,
      'verdict=send': 2,
      'verdict=invalid': 1,
    });
  });

  it('count changes by action, cause and type of actor, and events by effect and outcome', async () => {
    const source = await createSource(world, 'sparkpost');
    const before = (await seriesOf('changes_total'))['action=added,cause=manual,actor_type=api_key'] ?? 0;
    await suppress(world, world.alice, ['changed@example.com', 'changed@example.com', 'second@example.com']);
    await suppress(world, world.alice, ['changed@example.com']);
    await world.as(world.alice).delete('/suppressions/changed@example.com').expect(200);
    const events = sparkpostBatch([
      {
        type: 'bounce',
        bounce_class: '10',
        raw_rcpt_to: 'bounced@example.com',
        raw_reason: '550 5.1.1 unknown',
      },
      { type: 'delivery', rcpt_to: 'fine@example.com' },
    ]);
    const sentAt = Date.now() / 1_000;
    await postWithCredential(world, source, events).then(({ status }) => expect(status).toBe(200));
    await postWithCredential(world, source, events).then(({ status }) => expect(status).toBe(200));

    expect(await seriesOf('changes_total')).toMatchObject({
      'action=added,cause=manual,actor_type=api_key': before + 2,
      'action=removed,cause=manual,actor_type=api_key': 1,
      'action=added,cause=bounce,actor_type=source': 1,
      'action=added,cause=complaint,actor_type=source': 0,
      'action=added,cause=unsubscribe,actor_type=source': 0,
    });
    expect(await seriesOf('events_total')).toEqual({
      'provider=sparkpost,effect=suppress,outcome=added': 1,
      'provider=sparkpost,effect=success,outcome=nothing': 1,
    });
    const last = await seriesOf('source_last_event_timestamp_seconds');
    expect(Object.keys(last)).toEqual([`source=${source.id},provider=sparkpost`]);
    expect(Object.values(last)[0]).toBeGreaterThanOrEqual(Math.floor(sentAt));
    expect(Object.values(last)[0]).toBeLessThanOrEqual(Date.now() / 1_000);
  });

  it('do not count a dry run of an import', async () => {
    const before = await seriesOf('changes_total');
    const { added } = await importFile(world, world.alice, 'email\ndry@example.com\n', { dry_run: 'true' });
    expect(added).toBe(1);
    expect(await seriesOf('changes_total')).toEqual(before);
  });

  it('do not count a delivery whose COMMIT fails', async () => {
    await world.database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON delivery_events
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse();
    `);
    const before = [await seriesOf('changes_total'), await seriesOf('events_total')];
    const source = await createSource(world, 'sparkpost');
    const bounce = { type: 'bounce', bounce_class: '10', raw_rcpt_to: 'rolled-back@example.com' };
    const { status } = await postWithCredential(world, source, sparkpostBatch([bounce]));
    await world.database.query('DROP TRIGGER refuse ON delivery_events');
    expect(status).toBe(500);
    expect([await seriesOf('changes_total'), await seriesOf('events_total')]).toEqual(before);
  });

  it('count the runs of a background task that failed on an account', async () => {
    await suppress(world, world.alice, ['stuck@example.com']);
    await world.database.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'failure'; END $$;
      CREATE TRIGGER fail BEFORE DELETE ON suppressions FOR EACH ROW EXECUTE FUNCTION fail();
      UPDATE suppressions SET expires_at = now() WHERE email = 'stuck@example.com';
    `);
    const expiry = world.app.get(ExpirySweep);
    const failures = async () => (await seriesOf('background_task_failures'))['task=ExpirySweep'];
    for (const expected of [1, 2]) {
      await expiry.run();
      expect(await failures()).toBeGreaterThanOrEqual(expected);
    }
    await world.database.query('DROP TRIGGER fail ON suppressions');
    await expiry.run();
    expect(await failures()).toBe(0);
  });

  it('include the connections of both pools, the event loop, and the memory', async () => {
    const connections = await seriesOf('database_connections');
    expect(Object.keys(connections).sort()).toEqual([
      'pool=lookups,state=busy',
      'pool=lookups,state=idle',
      'pool=main,state=busy',
      'pool=main,state=idle',
    ]);
    const text = await read();
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(text).toContain('process_resident_memory_bytes');
    const limit = Number(/^suppression_list_memory_limit_bytes (.+)$/m.exec(text)![1]);
    expect(limit).toBeGreaterThan(0);
    expect(limit).toBeLessThanOrEqual(totalmem());
  });

  it('do not count their own statements as waiting for a connection', async () => {
    await until(async () => Object.values(await seriesOf('database_waiting')).join() === '0,0');
  });

  it('never have an address, a key, or the name of an account', async () => {
    const text = await read();
    expect(text).not.toMatch(/@|%40|example\.com|acme|globex|sup_/);
  });

  it('are on their own port, at one path', async () => {
    const { origin } = new URL(world.app.get(MetricsServer).url!);
    expect((await fetch(`${origin}/`)).status).toBe(404);
    await world.anyone.get('/metrics').expect(404);
  });

  it('are not served by commands, because these may run beside the service', async () => {
    const { port } = new URL(world.app.get(MetricsServer).url!);
    const settings = { DATABASE_URL: world.database.url, METRICS_PORT: port };
    expect(await runCommand(['account', 'list'], settings, tmpdir())).toMatchObject({
      code: 0,
      problems: [],
    });
  });

  it('are not served without METRICS_PORT', async () => {
    const other = await startTestApp(world.database.url);
    expect(other.app.get(MetricsServer).url).toBeUndefined();
    await other.close();
  });

  it('have the age of the oldest erasure that is not complete', async () => {
    const seconds = async () =>
      Number(/^suppression_list_erasure_oldest_seconds (.+)$/m.exec(await read())![1]);
    expect(await seconds()).toBe(0);
    await world.database.query(
      `INSERT INTO erasures (account_id, id, pseudonym, reference, actor, target, progress, created_at)
      SELECT $1, gen_random_uuid(), 'erased-' || hours, 'case', '{}', 'encrypted', '{}', now() - hours * interval '1 hour'
      FROM unnest(ARRAY[1, 2]) AS hours`,
      [world.acme.id],
    );
    expect(Math.floor((await seconds()) / 3_600)).toBe(2);
    await world.database.query('DELETE FROM erasures');
  });

  it('have the jobs by state, and how long the oldest runnable one has waited', async () => {
    const insertJobs = (rows: string) =>
      world.database.query(
        `INSERT INTO jobs (account_id, id, kind, status, checkpoint, lease_id, leased_until, created_at)
        SELECT account, gen_random_uuid(), 'import', status::job_status, '{}', lease::uuid, now() + until::interval, now() + created::interval
        FROM (VALUES ${rows}) AS job (account, status, lease, until, created)`,
      );
    const waitingSeconds = async () =>
      Number(/^suppression_list_jobs_waiting_seconds (.+)$/m.exec(await read())![1]);
    const lease = '0198a5f2-6d1c-7c3e-9a54-000000000001';
    const { id } = await importFile(world, world.alice, 'ada@example.com\n');
    await world.app.get(JobRunner).beforeApplicationShutdown();
    expect(await waitingSeconds()).toBe(0);
    await world.database.query(`UPDATE jobs SET created_at = now() - interval '3 hours'`);
    await world.as(world.alice).post(`/imports/${id}/revert`).expect(202);
    expect(await seriesOf('jobs')).toMatchObject({ 'state=waiting': 1 });
    expect(await waitingSeconds()).toBeLessThan(3_600);
    await world.database.query('DELETE FROM jobs');
    await insertJobs(`
      (${world.acme.id}, 'running', '${lease}', '1 hour', '-3 hours'),
      (${world.acme.id}, 'queued', NULL, NULL, '-2 hours'),
      (${world.acme.id}, 'running', NULL, '1 hour', '-3 hours')
    `);
    expect(await seriesOf('jobs')).toEqual({ 'state=waiting': 1, 'state=running': 1, 'state=retrying': 1 });
    expect(await waitingSeconds()).toBe(0);
    await insertJobs(`(${world.globex.id}, 'running', '${lease}', '-1 hour', '-3 hours')`);
    expect(await seriesOf('jobs')).toEqual({ 'state=waiting': 2, 'state=running': 1, 'state=retrying': 1 });
    expect(Math.floor((await waitingSeconds()) / 3_600)).toBe(1);
  });
});
