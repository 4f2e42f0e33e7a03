import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { policyRequest, RunningMta } from '../support/mta.js';
import { startProxy } from '../support/servers/proxy.js';
import { until } from '../support/until.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

const DUNNO = 'action=DUNNO\n\n';
const DEFER = 'action=DEFER_IF_PERMIT 4.7.1 The suppression list is unavailable\n\n';
const TEMP = 'TEMP The suppression list is unavailable';

type Respond = (response: ServerResponse, emails: string[]) => void;

const send: Respond = (response, emails) => {
  response.end(JSON.stringify({ data: emails.map(() => ({ verdict: 'send', decided_by: null })) }));
};

/** A service that responds as a test wants. */
class FakeService {
  respond: Respond = send;
  readonly requests: string[][] = [];
  private server!: Server;

  static async start(): Promise<FakeService> {
    const service = new FakeService();
    service.server = createServer((request, response) => void service.receive(request, response));
    service.server.listen(0, '127.0.0.1');
    await once(service.server, 'listening');
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { emails } = JSON.parse(await text(request)) as { emails: string[] };
    this.requests.push(emails);
    this.respond(response, emails);
  }
}

describe('mta while the service fails', () => {
  let service: FakeService;
  let deferring: RunningMta;
  let passing: RunningMta;
  beforeAll(async () => {
    service = await FakeService.start();
    deferring = await RunningMta.start({ url: service.url, key: 'key' });
    passing = await RunningMta.start({ url: service.url, key: 'key', onFailure: 'pass' });
  });
  afterAll(async () => {
    await Promise.all([deferring.stop(), passing.stop()]);
    service.close();
  });
  beforeEach(() => (service.respond = send));

  const status =
    (code: number, body: unknown = {}): Respond =>
    (response) =>
      response.writeHead(code).end(JSON.stringify(body));
  const recipient = 'ada@example.com';

  it.each<[string, string, Respond]>([
    ['the API key is refused', 'unauthorized', status(401)],
    ['a scope is missing', 'forbidden', status(403)],
    ['the rate limit is exceeded', 'rate_limited', status(429)],
    ['the service is overloaded', 'unavailable', status(503)],
    ['the topic is unknown', 'unknown_topic', status(404, { code: 'topic_not_found' })],
    ['the URL is wrong', 'refused', status(404, { code: 'route_not_found' })],
    ['a proxy redirects', 'refused', (response) => response.writeHead(301, { Location: '/' }).end()],
    ['the response is not JSON', 'wrong_response', (response) => response.end('<html>')],
    ['the response lacks verdicts', 'wrong_response', (response) => response.end('{"data":[]}')],
    [
      'the response has another verdict',
      'wrong_response',
      (response) => response.end('{"data":[{"verdict":"maybe","decided_by":null}]}'),
    ],
    ['the connection breaks', 'unreachable', (response) => response.destroy()],
  ])('defers or passes mail when %s', async (_title, reason, respond) => {
    service.respond = respond;
    expect(await deferring.policy({ recipient })).toBe(DEFER);
    expect(await passing.policy({ recipient })).toBe(DUNNO);
    expect(await deferring.socketmap('transport', recipient)).toBe(TEMP);
    expect(await passing.socketmap('transport', recipient)).toBe('NOTFOUND ');
    expect(await deferring.ask('line', `${recipient}\n`)).toBe('unavailable\n');
    expect(await passing.ask('line', `${recipient}\n`)).toBe('unavailable\n');
    expect(await deferring.metrics()).toMatch(
      new RegExp(`^suppression_list_mta_failures_total{reason="${reason}"} \\d+$`, 'm'),
    );
  });

  it('answers what needs no verdict', async () => {
    service.respond = status(503);
    expect(await deferring.socketmap('transport', '*')).toBe('NOTFOUND ');
    expect(await deferring.policy({ recipient: 'postmaster' })).toBe(DUNNO);
    expect(await deferring.ask('line', 'nobody\n')).toBe('invalid\n');
  });

  it('repeats a request once if the service closed the connection', async () => {
    service.respond = (response) => {
      service.respond = send;
      response.destroy();
    };
    expect(await deferring.policy({ recipient })).toBe(DUNNO);
  });

  it('logs a lasting failure once, and an outage once with its end', async () => {
    const mta = await RunningMta.start({ url: service.url, key: 'key' });
    const messages = () =>
      mta.log.map(({ msg }) => msg).filter((msg) => !/listening|serving/.test(String(msg)));
    const ask = () => mta.policy({ recipient, policy_context: 'news' });
    service.respond = status(404, { code: 'topic_not_found' });
    await ask();
    await ask();
    await mta.policy({ recipient, policy_context: 'Ada <ada@example.com>' });
    expect(mta.log.at(-2)).toMatchObject({ level: 'error', reason: 'unknown_topic', purpose: 'news' });
    expect(messages()).toHaveLength(2);
    service.respond = status(503);
    await ask();
    await ask();
    service.respond = send;
    await ask();
    await ask();
    expect(messages().slice(2)).toEqual(['the service does not answer', 'verdicts are available again']);
    expect(JSON.stringify(mta.log)).not.toContain('@');
    await mta.stop();
  });

  it('asks about simultaneous questions of one purpose in one request', async () => {
    const before = service.requests.length;
    const lines = Array.from({ length: 1_500 }, (_, index) => `person${index}@example.com\n`);
    const answers = await deferring.ask('line', lines.join(''));
    expect(answers).toBe('send\n'.repeat(1_500));
    const requests = service.requests.slice(before);
    expect(requests.flat().sort()).toEqual(lines.map((line) => line.trim()).sort());
    expect(requests.length).toBeLessThan(20);
    expect(Math.max(...requests.map(({ length }) => length))).toBeLessThanOrEqual(1_000);
  });

  it('does not let the failure of one purpose affect another', async () => {
    service.respond = (response, emails) => {
      const fails = emails.includes('fails@example.com');
      return (fails ? status(404, { code: 'topic_not_found' }) : send)(response, emails);
    };
    const lines = ['fails@example.com unknown', recipient, `${recipient} transactional`, ''];
    expect(await deferring.ask('line', lines.join('\n'))).toBe('unavailable\nsend\nsend\n');
  });

  it('answers what has arrived when it is stopped, and ends idle connections', async () => {
    const mta = await RunningMta.start({ url: service.url, key: 'key' });
    const idle = mta.connect('policy');
    idle.socket.write(policyRequest({ recipient }));
    await idle.receives(/DUNNO\n\n/);
    let finish!: () => void;
    service.respond = (response, emails) => (finish = () => send(response, emails));
    const asking = mta.connect('line');
    asking.socket.write(`${recipient}\n`);
    await until(() => finish);
    const stopped = mta.stop();
    await idle.ended();
    finish();
    expect(await asking.ended()).toBe('send\n');
    await stopped;
    await expect(mta.policy({ recipient })).rejects.toThrow('ECONNREFUSED');
  });
});

describe('mta with a local copy', () => {
  let world: World;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'mta-'));
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  it('answers while the service is down, even after a restart, for as long as the copy may be used', async () => {
    const [id] = await suppress(world, world.alice, ['ada@example.com']);
    await world.as(world.alice).post('/topics').send({ name: 'News', default_subscription: 'opt_in' });
    const proxy = await startProxy(world.url);
    const options = { url: new URL(proxy.url).origin, key: world.alice, replica: join(folder, 'copy') };
    await (await RunningMta.start(options)).stop();
    proxy.cut();

    const mta = await RunningMta.start(options);
    const reply = `action=REJECT 5.7.1 Recipient suppressed: manual (${id})\n\n`;
    expect(await mta.policy({ recipient: 'ada@example.com' })).toBe(reply);
    expect(await mta.policy({ recipient: 'ada@example.com', policy_context: 'news' })).toBe(reply);
    expect(await mta.policy({ recipient: 'ada@example.com', policy_context: 'unknown' })).toBe(DEFER);
    expect(await mta.socketmap('access', 'new@example.com')).toBe('NOTFOUND ');
    expect(await mta.metrics()).toMatch(/^suppression_list_mta_replica_age_seconds \d/m);
    await mta.stop();

    const impatient = await RunningMta.start({ ...options, maxAge: 60_000 });
    const { now } = Date;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 61_000);
    expect(await impatient.policy({ recipient: 'ada@example.com' })).toBe(DEFER);
    expect(impatient.log.at(-1)).toMatchObject({ level: 'warn', msg: 'the local copy is too old to answer' });
    clock.mockRestore();
    expect(await impatient.policy({ recipient: 'ada@example.com' })).toBe(reply);
    await impatient.stop();
    await proxy.close();
  });

  it('says why the copy cannot be opened', async () => {
    const key = await createKey(world, ['suppressions:read']);
    const start = RunningMta.start({ url: world.url, key, replica: join(folder, 'other') });
    await expect(start).rejects.toThrow(/^The local copy in .*other cannot be opened: .*lacks the scope/);
  });
});
