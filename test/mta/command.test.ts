import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runClient } from '../../src/cli/client/run.js';
import { Child, type Ended } from '../support/child-process.js';
import { runCommand } from '../support/command-line.js';
import { policyRequest } from '../support/mta.js';
import { createWorld, suppress, type World } from '../support/world.js';

describe('the command mta', () => {
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

  const settings = () => ({ SUPPRESSIONS_URL: world.url, SUPPRESSIONS_API_KEY: world.alice });
  const run = (args: string[]): Promise<Ended> =>
    runCommand(['mta', ...args], { ...settings(), XDG_CONFIG_HOME: folder }, folder, '', {
      program: runClient,
    });
  const ask = async (path: string, question: string): Promise<string> => {
    const socket = connect(path);
    socket.end(question);
    return text(socket);
  };

  it('answers on Unix sockets until SIGTERM, and takes over the socket of a process that was killed', async () => {
    const [id] = await suppress(world, world.alice, ['ada@example.com']);
    const policy = join(folder, 'policy');
    const line = join(folder, 'line');
    await writeFile(join(folder, 'users'), 'shop transactional\n');
    const args = ['mta', '--policy', policy, '--line', `unix:${line}`, '--on-failure', 'defer'];
    const killed = Child.cli(args, settings(), folder);
    await killed.says(/"address":".*line"/);
    killed.kill('SIGKILL');
    await killed.ended;
    expect(existsSync(policy)).toBe(true);

    const mta = Child.cli([...args, '--purpose-by-user', 'users', '--purpose', 'any'], settings(), folder);
    await mta.says(/"address":".*line"/);
    expect((await stat(policy)).mode & 0o777).toBe(0o777);
    expect(await ask(line, 'ada@example.com\nnew@example.com')).toBe(`suppressed manual ${id}\nsend\n`);
    expect(await ask(policy, policyRequest({ recipient: 'ada@example.com' }))).toContain(`(${id})`);
    mta.kill('SIGTERM');
    expect(await mta.ended).toMatchObject({ code: 0, problems: [] });
    expect(existsSync(policy)).toBe(false);
  });

  it('ends at once by SIGTERM while it makes its first local copy, which the next start completes', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    // A service whose list never ends.
    const service = createServer(({ url }, response) => {
      if (url!.startsWith('/exports')) {
        response.writeHead(200, { 'changes-cursor': 'none' }).flushHeaders();
      } else {
        response.end(JSON.stringify({ data: [], has_more: false, rules_version: null }));
      }
    });
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    const arrived = new Promise((resolve) =>
      service.on('request', ({ url }) => url === '/topics?limit=100' && resolve(url)),
    );
    const line = join(folder, 'replica-line');
    const args = ['mta', '--line', line, '--replica', join(folder, 'replica')];
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const stopped = Child.cli(args, { ...settings(), SUPPRESSIONS_URL: url }, folder);
    await arrived;
    stopped.kill('SIGTERM');
    expect(await stopped.ended).toMatchObject({ code: 0, problems: [] });
    service.close();
    service.closeAllConnections();

    const mta = Child.cli(args, settings(), folder);
    await mta.says(/"address":".*line"/);
    expect(await ask(line, 'ada@example.com\n')).toMatch(/^suppressed manual /);
    mta.kill('SIGTERM');
    expect(await mta.ended).toMatchObject({ code: 0, problems: [] });
  });

  it.each<[string, string[], string]>([
    ['no listener', ['--on-failure', 'defer'], 'Give at least one of --policy, --socketmap, and --line.'],
    [
      'no choice for failures',
      ['--line', '127.0.0.1:0', '--policy', '127.0.0.1:0'],
      '--policy and --socketmap require --on-failure defer',
    ],
    ['another choice', ['--on-failure', 'drop'], 'Allowed choices are defer, pass.'],
    ['no port', ['--policy', '127.0.0.1'], 'must be an address such as 127.0.0.1:9998'],
    ['a port above 65535', ['--policy', '127.0.0.1:70000'], 'must be an address such as'],
    [
      'an unknown purpose',
      ['--purpose', 'Big News'],
      'must be any, transactional, or the id or the key of a topic',
    ],
    ['a missing file', ['--purpose-by-user', 'missing'], 'It cannot be read: it does not exist'],
    ['a file without purposes', ['--purpose-by-user', 'no-purposes'], 'line 2 must be a user and a purpose'],
    ['a file with a user twice', ['--purpose-by-user', 'repeated'], 'line 2 repeats a user'],
    ['a public address', ['--policy', '0.0.0.0:0', '--on-failure', 'defer'], 'add --allow-public'],
    [
      'a public address for metrics',
      ['--metrics', '[::]:0', '--line', '127.0.0.1:0', '--on-failure', 'pass'],
      '--metrics [::]:0 may be reachable by others',
    ],
    [
      '--max-age alone',
      ['--line', '127.0.0.1:0', '--on-failure', 'pass', '--max-age', '1h'],
      'needs --replica',
    ],
    [
      'an address of another machine',
      ['--line', '192.168.255.254:1', '--on-failure', 'pass'],
      'does not have the address',
    ],
    [
      'a file in place of a socket',
      ['--line', '/etc/hostname', '--on-failure', 'pass'],
      'Nothing can listen at /etc/hostname: it is in use.',
    ],
    [
      'a missing folder',
      ['--line', '/missing/line', '--on-failure', 'pass'],
      'the folder does not exist, or',
    ],
  ])('refuses %s with exit code 2', async (_title, args, problem) => {
    await writeFile(join(folder, 'no-purposes'), '# users\nshop\n');
    await writeFile(join(folder, 'repeated'), 'shop any\nshop news\n');
    const { code, problems } = await run(args);
    expect({ code, problems }).toEqual({ code: 2, problems: [expect.stringContaining(problem)] });
  });
});
