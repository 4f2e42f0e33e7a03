import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Logger } from '@nestjs/common';
import request from 'supertest';
import type { DataSource } from 'typeorm';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { ApiKeysService } from '../../src/api-keys/api-keys.service.js';
import { SCOPES } from '../../src/api-keys/scopes.js';
import { DeadlineExceededError, NoConnectionError } from '../../src/database/errors.js';
import { migrate } from '../../src/database/startup/migrate.js';
import { ReadReplica } from '../../src/database/read-replica.js';
import { MetricsServer } from '../../src/metrics/metrics-server.js';
import { SCHEMA } from '../../src/schema.js';
import { Child } from '../support/child-process.js';
import { skipTime, stopClock } from '../support/clock.js';
import { signIn } from '../support/console.js';
import { ReplicatedPostgres } from '../support/servers/replicated-postgres.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { OPERATOR } from '../support/operator.js';

const DATABASE = 'list';
/** How long the primary serves after a read failed on the replica. */
const PAUSE_MS = 5_000;

describe('a read', () => {
  const primary = {} as DataSource;
  const replica = { migrations: [], query: async () => [], destroy: async () => undefined };
  let reads: ReadReplica;
  beforeAll(() => Logger.overrideLogger(false));
  beforeEach(async () => {
    reads = new ReadReplica(primary, async () => replica as unknown as DataSource);
    await reads.onModuleInit();
  });
  afterEach(() => reads.onApplicationShutdown());

  const failOnReplica = (error: unknown) => async (dataSource: DataSource) => {
    if (dataSource !== primary) {
      throw error;
    }
    return 'from the primary';
  };

  it.each([
    ['its server cannot be reached', { code: 'ECONNREFUSED' }, false],
    ['its certificate has changed', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, false],
    ['replication cancels the statement', { code: '40001' }, true],
  ])('is repeated on the primary if %s', async (_why, error, isUp) => {
    expect(await reads.read(failOnReplica(error))).toBe('from the primary');
    expect(reads.isUp).toBe(isUp);
  });

  it.each([
    ['the statement takes too long', { code: '57014' }],
    ['it is not the turn of the account in time', new NoConnectionError()],
    ['no connection becomes free', new Error('timeout exceeded when trying to connect')],
    ['the deadline has passed', new DeadlineExceededError()],
  ])('is not repeated on the primary if %s', async (_why, error) => {
    await expect(reads.read(failOnReplica(error))).rejects.toBe(error);
    expect(reads.isUp).toBe(true);
  });

  it('uses the primary for longer after each failure that the checks did not notice', async () => {
    await reads.onApplicationShutdown();
    jest.useFakeTimers();
    reads = new ReadReplica(primary, async () => replica as unknown as DataSource);
    await reads.onModuleInit();
    const isUpAfterSeconds = async (seconds: number) => {
      await jest.advanceTimersByTimeAsync(seconds * 1_000);
      return reads.isUp;
    };
    const failure = failOnReplica({ code: '42501' });
    await reads.read(failure);
    expect(await isUpAfterSeconds(5)).toBe(true);
    await reads.read(failure);
    expect(await isUpAfterSeconds(5)).toBe(false);
    expect(await isUpAfterSeconds(5)).toBe(true);
    jest.useRealTimers();
  });

  it('uses the primary no longer if several reads fail together', async () => {
    await reads.onApplicationShutdown();
    jest.useFakeTimers();
    reads = new ReadReplica(primary, async () => replica as unknown as DataSource);
    await reads.onModuleInit();
    const failure = failOnReplica({ code: '57P01' });
    await Promise.all([reads.read(failure), reads.read(failure), reads.read(failure)]);
    expect(reads.isUp).toBe(false);
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
    expect(reads.isUp).toBe(true);
    jest.useRealTimers();
  });

  it('that fails everywhere does not blame the replica', async () => {
    const error = { code: '22P02' };
    await expect(reads.read(() => Promise.reject(error))).rejects.toBe(error);
    expect(reads.isUp).toBe(true);
  });
});

describe('a read replica', () => {
  let postgres: ReplicatedPostgres;
  let service: TestApp;
  let key: string;
  let clock: ReturnType<typeof stopClock>;
  beforeAll(async () => {
    postgres = await ReplicatedPostgres.start(DATABASE, { isSynchronous: false });
    await migrate(postgres.primaryUrl(DATABASE), SCHEMA);
    await postgres.catchUp();
    service = await start();
    const account = await service.app.get(AccountsService).create(OPERATOR, 'acme', true);
    const newKey = { name: 'reader', scopes: [...SCOPES], expiresAt: null };
    ({ secret: key } = await service.app
      .get(ApiKeysService)
      .create({ accountId: account.id, actor: OPERATOR, deadline: Infinity }, newKey));
  });
  afterAll(async () => {
    await service?.close();
    await postgres?.stop();
  });

  const start = (replicaUrl = postgres.standbyUrl(DATABASE)) =>
    startTestApp(postgres.primaryUrl(DATABASE), {
      DATABASE_REPLICA_URL: replicaUrl,
      METRICS_PORT: '0',
    });
  const as = (url = service.url) => request.agent(url).set('Authorization', `Bearer ${key}`);
  const get = async (path: string) => (await as().get(path).expect(200)).body;
  const add = (emails: string[]) => as().post('/suppressions/batch/add').send({ emails }).expect(201);
  const report = (email: string) => as().post('/events').send({ type: 'complaint', email }).expect(200);
  const emailsIn = async (path: string): Promise<string[]> =>
    (await get(path)).data.map(({ email }: { email: string }) => email);
  const messages = () => service.logLines().filter(({ context }) => context === 'ReadReplica');
  const metric = async (name: string) => {
    const text = await (await fetch(service.app.get(MetricsServer).url!)).text();
    return new RegExp(`^suppression_list_read_replica_${name} (\\S+)$`, 'm').exec(text)?.[1];
  };
  const checkReplica = () => service.app.get(ReadReplica).run();
  const isUp = () => metric('up');
  const lag = () => metric('lag_seconds');

  it('serves lists, histories, counts, and events as it knows them; the primary serves checks and lookups', async () => {
    await add(['old@example.com']);
    await report('old@example.com');
    await postgres.catchUp();
    await postgres.pauseReplay();
    await add(['new@example.com']);
    await report('new@example.com');
    expect(await emailsIn('/suppressions')).toEqual(['old@example.com']);
    expect((await get('/suppressions/count')).total).toBe(1);
    expect(await emailsIn('/events')).toEqual(['old@example.com']);
    await as().get('/suppressions/new@example.com/history').expect(404);
    expect(await get('/suppressions/new@example.com')).toMatchObject({ origin: 'complaint' });
    const { body } = await as()
      .post('/suppressions/check')
      .send({ emails: ['new@example.com'] });
    expect(body.data).toMatchObject([{ verdict: 'suppressed' }]);
  });

  it('never makes an export miss a change before its cursor', async () => {
    const { text, headers } = await as().get('/exports?format=csv').expect(200);
    expect(text).toContain('new@example.com');
    const after = await get(`/changes?after=${headers['changes-cursor']}`);
    expect(after).toMatchObject({ data: [], has_more: false });
  });

  it('serves old pages of the feed, and the primary its end', async () => {
    const pages: string[][] = [];
    for (let page = await get('/changes?limit=1'); page.data.length > 0;) {
      pages.push(page.data.map(({ email }: { email: string }) => email));
      page = await get(`/changes?limit=1&after=${page.cursor}`);
    }
    const both = ['old@example.com', 'old@example.com', 'new@example.com', 'new@example.com'];
    expect(pages.flat()).toEqual(both);
    expect(await emailsIn('/changes')).toEqual(both);
    await postgres.resumeReplay();
    await until(async () => (await emailsIn('/suppressions')).length === 2);
  });

  it('never hides from somebody at the console what they have just changed', async () => {
    const [ann, ben] = await Promise.all(
      ['ann', 'ben'].map((name) => signIn(service, 'editor', `${name}@acme.example`, 'acme')),
    );
    await postgres.catchUp();
    await postgres.pauseReplay();
    const emails = 'changed@example.com';
    const { headers } = await ann!.post('/console/add').send({ emails }).expect(303);
    const page = async (browser: typeof ann) => (await browser!.get(headers.location!).expect(200)).text;
    for (const shown of [await page(ann), await page(ann)]) {
      expect(shown).toContain('Suppressed: Added by hand');
    }
    expect(await page(ben)).toContain('This address has never been suppressed.');
    // Pages of the API are read in the same batches.
    const listed = Array.from({ length: 60 }, async (_, number) =>
      number % 6 === 0 ? (await ann!.get('/console/list').expect(200)).text : get('/suppressions'),
    );
    for (const text of (await Promise.all(listed)).filter((shown) => typeof shown === 'string')) {
      expect(text).toContain(emails);
    }
    await postgres.resumeReplay();
    await as().delete(`/suppressions/${emails}`).expect(200);
    await postgres.catchUp();
  });

  it('leaves no storage enabled after changes in the console, which would slow down every promise', async () => {
    const onPrimary = pathToFileURL(resolve('dist/src/database/read-replica.js')).href;
    // While a storage is enabled, each promise has an id (before Node.js 24, whose storages cost less).
    const script = `
      import { executionAsyncId } from 'node:async_hooks';
      import { setImmediate } from 'node:timers/promises';
      import { onPrimary } from '${onPrimary}';
      const idOfPromise = () => setImmediate().then(executionAsyncId);
      const changes = ['a change', 'another one'].map((change) => onPrimary(() => setImmediate(change)));
      const refused = onPrimary(() => setImmediate().then(() => Promise.reject(new Error('refused'))));
      await Promise.allSettled([...changes, refused]);
      console.log(await idOfPromise());
    `;
    const { stdout, problems } = await Child.node(['--input-type=module', '-e', script], {}, tmpdir()).ended;
    expect({ stdout, problems }).toEqual({ stdout: '0\n', problems: [] });
  });

  it('lags while it receives changes without showing them', async () => {
    const lagNow = async () => {
      await checkReplica();
      return Number(await lag());
    };
    await until(async () => (await lagNow()) === 0);
    await postgres.pauseReplay();
    await add(['lagging@example.com']);
    await until(async () => (await lagNow()) > 1);
    await postgres.resumeReplay();
    await until(async () => (await lagNow()) === 0);
  });

  it('is not required: while it is unavailable, the primary serves, and readiness does not change', async () => {
    expect(await isUp()).toBe('1');
    clock = stopClock();
    await postgres.killStandby();
    await add(['third@example.com']);
    expect(await emailsIn('/suppressions')).toContain('third@example.com');
    expect((await get('/suppressions/count')).total).toBe(4);
    expect((await get('/suppressions/third@example.com/history')).data).toHaveLength(1);
    await as().get('/readyz').expect(200);
    expect(await isUp()).toBe('0');
    await checkReplica();
    expect(await lag()).toBeUndefined();
    expect(messages().map(({ level }) => level)).toEqual(['info', 'warn']);
  });

  it('is used again once it is back', async () => {
    await postgres.startStandby();
    clock.start();
    skipTime(PAUSE_MS);
    await until(async () => {
      await checkReplica();
      return (await isUp()) === '1';
    });
    expect(messages().map(({ level }) => level)).toEqual(['info', 'warn', 'info']);
    await postgres.catchUp();
    await postgres.pauseReplay();
    await add(['fourth@example.com']);
    expect(await emailsIn('/suppressions')).not.toContain('fourth@example.com');
    await postgres.resumeReplay();
  });

  it('is not used while it lacks migrations', async () => {
    const other = await start(postgres.standbyUrl('postgres'));
    const { body } = await as(other.url).get('/suppressions').expect(200);
    expect(body.data.map(({ email }: { email: string }) => email)).toContain('fourth@example.com');
    expect(other.logLines()).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: expect.stringContaining('lacks migrations') }),
    );
    await other.close();
  });

  it('may be unavailable when the service starts', async () => {
    await postgres.killStandby();
    const other = await start();
    expect((await fetch(`${other.url}/readyz`)).status).toBe(200);
    await other.close();
  });
});
