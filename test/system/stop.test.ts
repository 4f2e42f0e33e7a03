import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { freePort } from '../../src/database/embedded/postgres-cluster.js';
import { Child, SERVICE } from '../support/child-process.js';
import { DataFolder, type RunningService } from '../support/data-folder.js';
import { createTestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

describe('stopping the service', () => {
  let folder: DataFolder;
  beforeAll(async () => (folder = await DataFolder.create()));
  afterAll(() => folder.remove());

  it('ends cleanly if it is stopped while it creates its database', async () => {
    const service = folder.spawn();
    await until(() => existsSync(folder.dataDir) && readdirSync(folder.dataDir).length > 0);
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, problems: [] });
    expect(folder.postgresPid()).toBeUndefined();
  });

  it('ends at SIGTERM while it waits for another instance that migrates', async () => {
    const database = await createTestDatabase({ migrated: false });
    const lock = await database.lockMigrations();
    const service = folder.spawn({ DATABASE_URL: database.url });
    await service.says(/waiting for another instance/);
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, problems: [] });
    await lock.release();
    await database.drop();
  });

  it.each([
    ['SIGINT', 'no load balancer sends it', '300'],
    ['SIGTERM', 'the delay for load balancers is zero', '0'],
  ] as const)(
    'at %s answers the requests in flight, then ends at once: %s',
    async (signal, _reason, seconds) => {
      const service = await folder.start({ SHUTDOWN_DELAY: seconds });
      const { release, answer } = await requestInFlight(folder, service);
      service.process.kill(signal);
      service.process.kill(signal);
      await service.process.says(/finishing the requests in flight/);
      await until(async () => (await fetch(service.url).catch(() => 'refused')) === 'refused');
      await release();
      expect((await answer).status).toBe(201);
      expect(await service.process.ended).toMatchObject({ code: 0, problems: [] });
      expect(folder.postgresPid()).toBeUndefined();
    },
  );

  it('answers on a connection that was opened just before', async () => {
    const service = await folder.start();
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    await once(socket, 'connect');
    service.process.kill('SIGTERM');
    await until(async () => (await fetch(service.url).catch(() => 'refused')) === 'refused');
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(response.toString()).toMatch(/^HTTP\/1.1 200 /);
    expect(await service.process.ended).toMatchObject({ code: 0, problems: [] });
  });

  it('reports at SIGTERM that it is not ready, and still serves requests', async () => {
    const service = await folder.start({ SHUTDOWN_DELAY: '300' });
    service.process.kill('SIGTERM');
    await until(async () => (await service.ask('/readyz')).status === 503);
    const { status, headers } = await service.ask('/suppressions/nobody@example.com');
    expect([status, headers.get('connection')]).toEqual([404, 'close']);
    service.process.kill('SIGKILL');
    await service.process.ended;
  });

  it('ends cleanly when its terminal is closed, even with an idle connection', async () => {
    const service = await folder.start();
    const silent = connect(Number(new URL(service.url).port), '127.0.0.1');
    await new Promise((connected) => silent.once('connect', connected));
    service.process.closeOutput();
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    service.process.kill('SIGHUP');
    expect(await service.process.ended).toMatchObject({ code: 0 });
    expect(folder.postgresPid()).toBeUndefined();
    silent.destroy();
  });

  it('ends if the last lines of its log cannot be written', async () => {
    const port = String(await freePort());
    const script = `exec ${process.execPath} ${SERVICE} > /dev/full`;
    const settings = { PORT: port, SHUTDOWN_DELAY: '0', DATA_DIR: folder.dataDir };
    const service = Child.shell(script, settings, folder.path);
    await until(() => fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined));
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, problems: [] });
  });
});

/** A request that waits in the database for a lock, until it is released. */
async function requestInFlight(folder: DataFolder, { ask }: RunningService) {
  const database = await folder.connect();
  await database.query('BEGIN');
  await database.query('LOCK TABLE suppressions');
  const answer = ask('/suppressions/batch/add', { emails: ['waits@example.com'] });
  await until(async () => {
    const { rowCount } = await database.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    return rowCount;
  });
  const release = async () => {
    await database.query('ROLLBACK');
    await database.end();
  };
  return { release, answer };
}
