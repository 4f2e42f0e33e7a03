import { Logger } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { JOB_KINDS } from '../../src/jobs/job.entity.js';
import { JobLeasesRepository } from '../../src/jobs/job-leases.repository.js';
import { JobRunner } from '../../src/jobs/job-runner.js';
import { JobsRepository } from '../../src/jobs/jobs.repository.js';
import { JobSweep } from '../../src/jobs/job-sweep.js';
import { ended, upload } from '../support/imports.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWorld, withNewAccounts, type World } from '../support/world.js';

function addresses(count: number, name = 'user'): string {
  return Array.from({ length: count }, (_, index) => `${name}${index}@example.com\n`).join('');
}

describe('jobs', () => {
  let service: World;
  let world: World;
  beforeAll(async () => (service = await createWorld()));
  beforeEach(async () => (world = await withNewAccounts(service)));
  afterAll(() => service.close());

  const rowsIn = (table: string) =>
    world.database.query(`SELECT FROM ${table} WHERE account_id = $1`, [world.acme.id]);
  const updateJobs = (settings: string) =>
    world.database.query(`UPDATE jobs SET ${settings} WHERE account_id = $1`, [world.acme.id]);
  /** Uploads a file, whose job waits because another one of the account is running. */
  const uploadBehindAnother = async (): Promise<string> => {
    await world.database.query(
      `INSERT INTO jobs (account_id, id, kind, status, checkpoint, lease_id, leased_until)
      VALUES ($1, gen_random_uuid(), 'import', 'running', '{}', gen_random_uuid(), 'tomorrow')`,
      [world.acme.id],
    );
    return (await upload(world, world.alice, 'ada@example.com\n').expect(202)).body.id;
  };
  /** Uploads a file, whose job has just lost its instance. */
  const uploadAndLose = async (counts: string): Promise<string> => {
    const id = await uploadBehindAnother();
    await updateJobs(
      `status = CASE WHEN id = '${id}' THEN 'running' ELSE 'completed' END::job_status, lease_id = gen_random_uuid(),
      leased_until = now() - interval '1 second', ${counts}`,
    );
    return id;
  };
  const countLines = async ({ database, acme } = world) =>
    (
      await database.query<{ lines: string; addresses: string }>(
        `SELECT count(*) AS lines, count(DISTINCT email) AS addresses FROM suppression_changes
        WHERE account_id = $1`,
        [acme.id],
      )
    )[0]!;

  it('stop when they are cancelled, and keep what they did', async () => {
    const { body } = await upload(world, world.alice, addresses(20_000)).expect(202);
    await until(async () => (await world.as(world.alice).get(`/imports/${body.id}`)).body.rows > 0);
    const cancelled = await world.as(world.alice).post(`/imports/${body.id}/cancel`).expect(200);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', completed_at: expect.any(String) });
    expect(cancelled.body.rows).toBeLessThan(20_000);
    expect(await rowsIn('suppressions')).toHaveLength(cancelled.body.added);
    const { body: later } = await world.as(world.alice).get(`/imports/${body.id}`);
    expect(later).toEqual(cancelled.body);
    await world.app.get(JobSweep).run();
    expect(await rowsIn('job_pieces')).toEqual([]);
  });

  it('end without waiting for their files, which are deleted in parts', async () => {
    const id = await uploadBehindAnother();
    await world.database.query(
      `INSERT INTO job_pieces (account_id, job_id, number, data)
      SELECT $1, $2, number, 'x' FROM generate_series(1, 120) AS number`,
      [world.acme.id, id],
    );
    const lock = await world.database.lockRow('job_pieces', `account_id = ${world.acme.id}`);
    await world.as(world.alice).post(`/imports/${id}/cancel`).expect(200);
    await lock.release();
    await world.app.get(JobSweep).run();
    expect(await rowsIn('job_pieces')).toEqual([]);
    await world.as(world.alice).get(`/imports/${id}`).expect(200);
  });

  it('keep the files that they have yet to read', async () => {
    await uploadBehindAnother();
    await world.app.get(JobSweep).run();
    expect(await rowsIn('job_pieces')).toHaveLength(1);
  });

  it('keep files whose upload ends just after its time limit', async () => {
    const id = await uploadBehindAnother();
    await world.app.get(DataSource).transaction(async (request) => {
      const [{ begun }] = await request.query('SELECT now()::text AS begun');
      await world.database.query(`UPDATE jobs SET status = 'uploading', leased_until = $2 WHERE id = $1`, [
        id,
        begun,
      ]);
      await world.app.get(JobSweep).run();
      expect(await world.app.get(JobsRepository).enqueue(world.acme.id, id, request)).toBe(true);
    });
    expect(await rowsIn('job_pieces')).toHaveLength(1);
  });

  it('include at most 20 unfinished imports of an account, even if they are uploaded at the same time', async () => {
    await world.database.query(
      `INSERT INTO jobs (account_id, id, kind, status, checkpoint, lease_id, leased_until)
      SELECT $1, gen_random_uuid(), 'import', status, '{}', gen_random_uuid(), until::timestamptz
      FROM (VALUES
        ('running'::job_status, 'tomorrow', 1), ('queued', 'tomorrow', 17), ('uploading', 'tomorrow', 1),
        ('uploading', 'yesterday', 9), ('completed', NULL, 9)
      ) AS job (status, until, count), generate_series(1, count)`,
      [world.acme.id],
    );
    const responses = await Promise.all(
      ['a', 'b', 'c'].map((name) => upload(world, world.alice, `${name}@example.com\n`)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    const accepted = responses.find(({ status }) => status === 202)!;
    expect(responses.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'too_many_imports' });
    await upload(world, world.charlie, 'a@example.com\n').expect(202);
    await world.as(world.alice).post(`/imports/${accepted.body.id}/cancel`).expect(200);
    await upload(world, world.alice, 'a@example.com\n').expect(202);
  });

  it('are refused while the files of their account have 4 GiB', async () => {
    const id = await uploadBehindAnother();
    await world.database.query(
      `INSERT INTO job_pieces (account_id, job_id, number, data)
      SELECT $1, $2, number, 'x' FROM generate_series(1, 4095) AS number`,
      [world.acme.id, id],
    );
    const refused = await upload(world, world.alice, 'b@example.com\n').expect(409);
    expect(refused.body).toMatchObject({
      code: 'too_many_imports',
      message: expect.stringContaining('4 GiB'),
    });
    await upload(world, world.charlie, 'b@example.com\n').expect(202);
    expect(await rowsIn('job_pieces')).toHaveLength(4096);
    await world.as(world.alice).post(`/imports/${id}/cancel`).expect(200);
    await world.app.get(JobSweep).run();
    await upload(world, world.alice, 'b@example.com\n').expect(202);
  });

  it('continue after an instance dies, however often the database failed before', async () => {
    const id = await uploadAndLose('attempts = 50');
    expect(await ended(world, world.alice, id)).toMatchObject({ status: 'completed', rows: 1 });
  });

  it('fail after crashing ten instances in a row', async () => {
    const id = await uploadAndLose('losses = 9');
    expect(await ended(world, world.alice, id)).toMatchObject({
      status: 'failed',
      rows: 0,
      error: { code: 'internal_server_error' },
    });
  });

  it('fail after five errors of the service in a row, even if the error is that of a COMMIT', async () => {
    await world.database.query(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'failed'; END $$;
      CREATE CONSTRAINT TRIGGER fail_at_commit AFTER INSERT ON suppressions DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.account_id = ${world.acme.id}) EXECUTE FUNCTION fail()`,
    );
    try {
      const id = await uploadAndLose('failures = 4');
      expect(await ended(world, world.alice, id)).toMatchObject({
        status: 'failed',
        added: 0,
        error: { code: 'internal_server_error' },
      });
      expect(world.logLines()).toContainEqual(
        expect.objectContaining({ msg: 'a job failed', accountId: world.acme.id, job: id }),
      );
    } finally {
      await world.database.query('DROP TRIGGER fail_at_commit ON suppressions; DROP FUNCTION fail');
    }
  });

  it('are left as they are when they are cancelled after their end', async () => {
    const { body } = await upload(world, world.alice, 'ada@example.com\n').expect(202);
    await ended(world, world.alice, body.id);
    const { body: cancelled } = await world.as(world.alice).post(`/imports/${body.id}/cancel`).expect(200);
    expect(cancelled).toMatchObject({ status: 'completed', added: 1 });
  });

  it('run one at a time for an account, so that the next one is that of another account', async () => {
    const lock = await world.database.lock('suppressions');
    const { body: first } = await upload(world, world.alice, addresses(10)).expect(202);
    const { body: second } = await upload(world, world.alice, addresses(10, 'second')).expect(202);
    const { body: other } = await upload(world, world.charlie, addresses(10)).expect(202);
    await until(
      async () => (await world.as(world.charlie).get(`/imports/${other.id}`)).body.status === 'running',
    );
    expect((await world.as(world.alice).get(`/imports/${first.id}`)).body.status).toBe('running');
    expect((await world.as(world.alice).get(`/imports/${second.id}`)).body.status).toBe('queued');
    await lock.release();
    for (const [key, { id }] of [
      [world.alice, first],
      [world.alice, second],
      [world.charlie, other],
    ] as const) {
      expect(await ended(world, key, id)).toMatchObject({ status: 'completed', added: 10 });
    }
  });

  it('leave a job queued while another one of its account is running', async () => {
    await world.database.query(
      `INSERT INTO jobs (account_id, id, kind, status, checkpoint, lease_id, leased_until, created_at)
      SELECT account, id::uuid, 'import', status::job_status, '{}', gen_random_uuid(), until::timestamptz, created::timestamptz
      FROM (VALUES
        (${world.acme.id}, '0198a5f2-6d1c-7c3e-9a54-000000000001', 'running', 'tomorrow', '2026-01-01'),
        (${world.acme.id}, '0198a5f2-6d1c-7c3e-9a54-000000000002', 'queued', NULL, '2026-01-01')
      ) AS job (account, id, status, until, created)`,
    );
    const jobs = world.app.get(JobLeasesRepository);
    const ofAccount = (accountId: number) => jobs.isAnyWaiting(JOB_KINDS, accountId);
    expect([await ofAccount(world.acme.id), await ofAccount(world.globex.id)]).toEqual([false, false]);
    expect(await jobs.claim(JOB_KINDS)).toBeNull();
  });

  it('are deleted with their errors 90 days after their end', async () => {
    const { body } = await upload(world, world.alice, 'email\nbroken\n').expect(202);
    await ended(world, world.alice, body.id);
    await updateJobs(`completed_at = now() - interval '89 days'`);
    await world.app.get(JobSweep).run();
    await world.as(world.alice).get(`/imports/${body.id}/errors`).expect(200);
    await updateJobs(`completed_at = now() - interval '91 days'`);
    await world.app.get(JobSweep).run();
    await world.as(world.alice).get(`/imports/${body.id}`).expect(404);
    expect(await rowsIn('import_errors')).toEqual([]);
  });

  it('cannot be reverted while they run', async () => {
    const { body } = await upload(world, world.alice, addresses(20_000)).expect(202);
    const { body: refused } = await world.as(world.alice).post(`/imports/${body.id}/revert`).expect(409);
    expect(refused).toMatchObject({ code: 'import_status' });
    await world.as(world.alice).post(`/imports/${body.id}/cancel`).expect(200);
  });

  it('are continued by another instance when one loses its lease, without a row twice', async () => {
    const { body } = await upload(world, world.alice, addresses(15_000)).expect(202);
    await until(async () => (await world.as(world.alice).get(`/imports/${body.id}`)).body.rows > 0);
    await updateJobs(`lease_id = gen_random_uuid(), leased_until = now() + interval '1 second'`);
    const { rows } = (await world.as(world.alice).get(`/imports/${body.id}`)).body;
    expect(rows).toBeLessThan(15_000);
    const done = await ended(world, world.alice, body.id);
    expect(done).toMatchObject({ status: 'completed', rows: 15_000, added: 15_000, unchanged: 0 });
    expect(await countLines()).toEqual({ lines: '15000', addresses: '15000' });
  });

  it('are shared by several instances', async () => {
    const other: TestApp = await startTestApp(world.database.url);
    try {
      const ids: string[] = [];
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        ids.push((await upload(world, world.alice, addresses(3_000, name)).expect(202)).body.id);
      }
      for (const id of ids) {
        expect(await ended(world, world.alice, id)).toMatchObject({ status: 'completed', added: 3_000 });
      }
      expect(await countLines()).toEqual({ lines: '15000', addresses: '15000' });
    } finally {
      await other.close();
    }
  });

  it('continue where they were after an orderly stop of the service', async () => {
    const stopped = await createWorld();
    const { body } = await upload(stopped, stopped.alice, addresses(15_000)).expect(202);
    await until(async () => (await stopped.as(stopped.alice).get(`/imports/${body.id}`)).body.rows > 0);
    await stopped.app.close();
    const [left] = await stopped.database.query<{ status: string; lease: string | null }>(
      'SELECT status, lease_id AS lease FROM jobs',
    );
    expect(left).toEqual({ status: 'running', lease: null });
    const next = await startTestApp(stopped.database.url);
    try {
      await until(async () => {
        const [{ status } = { status: '' }] = await stopped.database.query<{ status: string }>(
          'SELECT status FROM jobs',
        );
        return status === 'completed';
      });
      expect(await countLines(stopped)).toEqual({ lines: '15000', addresses: '15000' });
    } finally {
      await next.close();
      await stopped.close();
    }
  });

  it('whose upload never ended are deleted with their files', async () => {
    await world.database.query(
      `WITH job AS (
        INSERT INTO jobs (account_id, id, kind, status, checkpoint, leased_until)
        VALUES (${world.acme.id}, gen_random_uuid(), 'import', 'uploading', '{}', now() - interval '61 seconds')
        RETURNING id
      )
      INSERT INTO job_pieces (account_id, job_id, number, data)
      SELECT ${world.acme.id}, id, number, 'x' FROM job, generate_series(0, 60) AS number`,
    );
    await world.app.get(JobSweep).run();
    expect(await rowsIn('jobs')).toEqual([]);
  });
});

describe('a job', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('waits for the database, and goes on when it is back', async () => {
    const lock = await world.database.lockPlace(world.acme.id, 'user700@example.com');
    const { body } = await upload(world, world.alice, addresses(1_500)).expect(202);
    await world.database.cancelWaiting();
    await until(() => world.logLines().some(({ msg }) => msg === 'a job failed; it will be retried'));
    await lock.release();
    expect(await ended(world, world.alice, body.id)).toMatchObject({ status: 'completed', added: 1_500 });
  });

  it('is the only one of its account to be claimed, however many instances claim at once', async () => {
    await world.app.get(JobRunner).beforeApplicationShutdown();
    const jobs = world.app.get(JobLeasesRepository);
    for (let round = 0; round < 20; round++) {
      await world.database.query(
        `INSERT INTO jobs (account_id, id, kind, status, checkpoint)
        SELECT ${world.acme.id}, gen_random_uuid(), 'import', 'queued', '{}' FROM generate_series(1, 4)`,
      );
      const claimed = await Promise.all(Array.from({ length: 4 }, () => jobs.claim(JOB_KINDS)));
      expect(claimed.filter((job) => job !== null)).toHaveLength(1);
      await world.database.query(`DELETE FROM jobs WHERE account_id = ${world.acme.id}`);
    }
  });

  it('is left to instances that have a handler for its kind', async () => {
    await world.app.get(JobRunner).beforeApplicationShutdown();
    const jobs = world.app.get(JobLeasesRepository);
    await world.database.query(
      `INSERT INTO jobs (account_id, id, kind, status, checkpoint)
      VALUES (${world.acme.id}, gen_random_uuid(), 'compare', 'queued', '{}')`,
    );
    for (const [kinds, isClaimed] of [
      [['import', 'revert'], false],
      [['compare'], true],
    ] as const) {
      expect(await jobs.isAnyWaiting(kinds, world.globex.id)).toBe(isClaimed);
      expect((await jobs.claim(kinds)) !== null).toBe(isClaimed);
    }
  });
});

describe('without its database, the runner of jobs', () => {
  it('logs one failure of many that follow each other', async () => {
    let claims = 0;
    const claim = async () => {
      claims++;
      throw new Error('no connection');
    };
    const leases = { claim } as unknown as JobLeasesRepository;
    const runner = new JobRunner({} as DataSource, leases, { httpAdapter: {} } as HttpAdapterHost);
    const error = jest.fn();
    Logger.overrideLogger({ log: jest.fn(), warn: jest.fn(), error });
    runner.onApplicationBootstrap();
    await until(() => {
      runner.wake();
      return claims > 2;
    });
    await runner.beforeApplicationShutdown();
    Logger.overrideLogger(true);
    expect(error.mock.calls.map(([line]) => line)).toMatchObject([{ msg: 'could not claim a job' }]);
  });
});
