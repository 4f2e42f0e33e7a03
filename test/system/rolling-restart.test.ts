import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { has } from '../support/programs.js';
import { Child } from '../support/child-process.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const INSTANCES = 2;
const CALLERS = 8;
/** Between two requests of a caller. Without it, the load takes the processor from the instances that start. */
const PAUSE_MS = 20;
const CHECK_INTERVAL_MS = 200;

const hasHaproxy = has('haproxy', ['-v'], 'haproxy');

interface Instance {
  port: number;
  process: Child;
}

(hasHaproxy ? describe : describe.skip)('a rolling restart behind haproxy', () => {
  let folder: string;
  let database: TestDatabase;
  let balancer: Balancer;
  let instances: Instance[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-rolling-'));
    database = await createTestDatabase();
    const ports = await freePorts(INSTANCES + 2);
    instances = ports.slice(0, INSTANCES).map((port) => ({ port, process: startOn(port) }));
    balancer = await Balancer.start(folder, ports);
    await until(async () => (await balancer.serversUp()) === INSTANCES);
  });
  afterAll(async () => {
    for (const { process } of instances) {
      process.kill('SIGKILL');
      await process.ended;
    }
    await balancer.stop();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const startOn = (port: number) =>
    Child.service({ DATABASE_URL: database.url, PORT: String(port), SHUTDOWN_DELAY: '2' }, folder);

  it('fails no request', async () => {
    const load = new Load(balancer.url, CALLERS);
    for (const instance of instances) {
      instance.process.kill('SIGTERM');
      expect(await instance.process.ended).toMatchObject({ code: 0, problems: [] });
      instance.process = startOn(instance.port);
      await until(async () => (await balancer.serversUp()) === INSTANCES);
    }
    const { failures, answers } = await load.stop();
    expect(failures).toEqual([]);
    expect(answers).toBeGreaterThan(100);
  });
});

/** haproxy in front of all instances. It repeats nothing on behalf of callers. */
class Balancer {
  private constructor(
    readonly url: string,
    private readonly statistics: string,
    private readonly process: ChildProcess,
  ) {}

  static async start(folder: string, ports: number[]): Promise<Balancer> {
    const [statistics, frontend] = ports.slice(-2) as [number, number];
    const servers = ports
      .slice(0, -2)
      .map((port) => `  server s${port} 127.0.0.1:${port} check inter ${CHECK_INTERVAL_MS} fall 2 rise 1`);
    const file = join(folder, 'haproxy.cfg');
    const lines = [
      'defaults',
      '  mode http',
      '  retries 0',
      '  timeout connect 5s',
      '  timeout client 30s',
      '  timeout server 30s',
      '  timeout check 5s',
      'listen statistics',
      `  bind 127.0.0.1:${statistics}`,
      '  stats enable',
      '  stats uri /',
      'listen service',
      `  bind 127.0.0.1:${frontend}`,
      '  option httpchk GET /readyz',
      '  http-check expect status 200',
      ...servers,
      '',
    ];
    await writeFile(file, lines.join('\n'));
    const process = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    return new Balancer(`http://127.0.0.1:${frontend}`, `http://127.0.0.1:${statistics}/;csv`, process);
  }

  async serversUp(): Promise<number> {
    const response = await fetch(this.statistics).catch(() => undefined);
    const lines = (await response?.text())?.split('\n') ?? [];
    return lines.filter((line) => /^service,s\d+,/.test(line) && line.split(',')[17] === 'UP').length;
  }

  async stop(): Promise<void> {
    const ended = once(this.process, 'close');
    this.process.kill('SIGKILL');
    await ended;
  }
}

/** Callers that ask one request after another on connections that they keep. */
class Load {
  private stopping = false;
  private answers = 0;
  private readonly failures: string[] = [];
  private readonly agent: Agent;
  private readonly callers: Promise<void>[];

  constructor(
    private readonly url: string,
    callers: number,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: callers });
    this.callers = Array.from({ length: callers }, () => this.ask());
  }

  async stop(): Promise<{ answers: number; failures: string[] }> {
    this.stopping = true;
    await Promise.all(this.callers);
    this.agent.destroy();
    return { answers: this.answers, failures: this.failures };
  }

  /** Without a key: the 401 comes from the service, all others from the balancer. */
  private async ask(): Promise<void> {
    while (!this.stopping) {
      const status = await statusOf(`${this.url}/suppressions/nobody@example.com`, this.agent);
      this.answers++;
      if (status !== 401) {
        this.failures.push(String(status));
      }
      await delay(PAUSE_MS);
    }
  }
}

function statusOf(url: string, agent: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    get(url, { agent }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode!));
      response.once('error', (error) => resolve(error.message));
    }).once('error', (error) => resolve(error.message));
  });
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
