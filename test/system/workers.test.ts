import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../support/child-process.js';
import { runCommand } from '../support/command-line.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
import { answerTo, beginUpload } from '../support/uploads.js';

const WORKERS = 2;

describe('the service with workers', () => {
  let folder: string;
  let database: TestDatabase;
  let service: Child;
  let url: string;
  let metricsUrl: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-workers-'));
    database = await createTestDatabase({ migrated: false });
    const settings = { DATABASE_URL: database.url, WORKERS: String(WORKERS), METRICS_PORT: '0' };
    service = Child.service(settings, folder);
    [, url] = (await service.says(/listening on (http:[\d.:/]+)/)) as unknown as [string, string];
    [, metricsUrl] = (await service.says(/metrics at (http:[\w.:/]+)/)) as unknown as [string, string];
  });
  afterAll(async () => {
    service?.kill('SIGTERM');
    await service?.ended;
    await database.drop();
    await rm(folder, { recursive: true });
  });

  /** On a connection of its own, so that any worker may get it. */
  const statusOf = (path: string) =>
    fetch(`${url}${path}`, { headers: { connection: 'close' } }).then(
      ({ status }) => status,
      (error: Error) => error.message,
    );

  it('migrates once, serves on one port, and adds up the metrics', async () => {
    expect(service.children()).toHaveLength(WORKERS);
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf('/readyz')));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(service.stdout.match(/created the tables/g)).toHaveLength(1);
    const text = await (await fetch(metricsUrl)).text();
    expect(text).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/readyz",status="200"\} 20/,
    );
  });

  it('replaces a dead worker, and serves meanwhile', async () => {
    const [victim] = service.children() as [number];
    process.kill(victim, 'SIGKILL');
    await service.says(/worker \d+ died/);
    const isReplaced = () => service.children().length === WORKERS && !service.children().includes(victim);
    await until(isReplaced);
    expect(await statusOf('/readyz')).toBe(200);
    const starts = () => service.stdout.match(/listening on/g)!.length;
    await until(() => starts() === WORKERS + 1);
  });

  const countReadiness = async () => {
    const text = await (await fetch(metricsUrl)).text();
    return Number(
      /duration_seconds_count\{method="GET",route="\/readyz",status="200"\} (\d+)/.exec(text)?.[1],
    );
  };

  it('reports metrics while a worker starts, and keeps the counts of one that died', async () => {
    await Promise.all(Array.from({ length: 20 }, () => statusOf('/readyz')));
    const before = await countReadiness();
    expect(before).toBeGreaterThanOrEqual(20);
    const [victim] = service.children() as [number];
    process.kill(victim, 'SIGKILL');
    await service.says(new RegExp(`worker ${victim} died`));
    expect(await countReadiness()).toBeGreaterThanOrEqual(before);
    await until(() => service.stdout.match(/listening on/g)!.length === WORKERS + 2);
    expect(await countReadiness()).toBeGreaterThanOrEqual(before);
  });

  it('replaces all workers at SIGHUP without a failed request', async () => {
    const before = service.children();
    const restart = { isOver: false };
    const statuses = new Set<number | string>();
    const counted = await countReadiness();
    let answered = 0;
    const load = (async () => {
      for (; !restart.isOver; answered++) {
        statuses.add(await statusOf('/readyz'));
      }
    })();
    service.kill('SIGHUP');
    await service.says(/all workers were replaced/);
    restart.isOver = true;
    await load;
    expect(statuses).toEqual(new Set([200]));
    // None is lost that was answered since the workers last reported their counts.
    expect(await countReadiness()).toBeGreaterThanOrEqual(counted + answered);
    expect(service.children().filter((pid) => before.includes(pid))).toEqual([]);
    expect(service.children()).toHaveLength(WORKERS);
  });

  it('replaces workers that die while others are replaced once', async () => {
    const replacements = () => service.stdout.match(/all workers were replaced/g)!.length;
    const starts = () => service.stdout.match(/listening on/g)!.length;
    const before = { replacements: replacements(), starts: starts() };
    const victims = service.children();
    service.kill('SIGHUP');
    await until(() => service.children().length > WORKERS);
    victims.forEach((victim) => process.kill(victim, 'SIGKILL'));
    await until(() => replacements() > before.replacements && starts() >= before.starts + WORKERS);
    expect(service.children()).toHaveLength(WORKERS);
    // While there was no worker, the port was free, and the next one got another.
    [, url] = [...service.stdout.matchAll(/listening on (http:[\d.:/]+)/g)].at(-1) as unknown as [
      string,
      string,
    ];
  });

  it('replaces workers after the start if SIGHUP comes during the start', async () => {
    const starting = Child.service({ DATABASE_URL: database.url, WORKERS: String(WORKERS) }, folder);
    await until(() => starting.children().length > 0);
    expect(starting.stdout).not.toContain('listening on');
    starting.kill('SIGHUP');
    await starting.says(/workers are serving[^]*all workers were replaced/);
    starting.kill('SIGTERM');
    expect(await starting.ended).toMatchObject({ code: 0, problems: [] });
  });

  it('lets a worker that is being replaced end its uploads, too, before it ends', async () => {
    const settings = { DATABASE_URL: database.url };
    await runCommand(['account', 'create', 'acme', '--beta'], settings, folder);
    const { stdout } = await runCommand(['key', 'create', '--account', 'acme'], settings, folder);
    const [replaced, other] = service.children() as [number, number];
    // The port gives each worker one of them.
    const answers = Array.from({ length: WORKERS }, () => beginUpload(url, stdout.trim())).map((upload) => ({
      upload,
      status: answerTo(upload).then(
        ({ statusCode }) => statusCode,
        (error: Error) => error.message,
      ),
    }));
    await until(async () => {
      const [row] = await database.query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM jobs WHERE status = 'uploading'`,
      );
      return row!.count === WORKERS;
    });
    const replacements = () => service.stdout.match(/SIGHUP: finishing the requests/g)!.length;
    const before = replacements();
    service.kill('SIGHUP');
    await until(() => replacements() > before);
    service.kill('SIGTERM');
    await service.says(/SIGTERM: finishing the requests/);
    process.kill(other, 'SIGKILL');
    await until(() => service.children().join() === String(replaced));
    const order: string[] = [];
    void service.exited.then(() => order.push('exited'));
    answers.forEach(({ upload }) => upload.end('late@example.com\n'));
    const statuses = await Promise.all(answers.map(({ status }) => status));
    order.push('answered');
    expect(statuses).toContain(202);
    await service.exited;
    expect(order).toEqual(['answered', 'exited']);
  });

  it('writes whole lines, and ends cleanly', async () => {
    service.kill('SIGTERM');
    const { code, problems, stdout } = await service.ended;
    expect({ code, problems }).toEqual({ code: 0, problems: [] });
    expect(stdout).toContain('workers are serving');
    for (const line of stdout.trim().split('\n')) {
      expect(() => JSON.parse(line)).not.toThrow();
    }
  });
});
