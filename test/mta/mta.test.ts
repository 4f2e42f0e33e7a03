import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runClient } from '../../src/cli/client/run.js';
import { Child, type Ended } from '../support/child-process.js';
import { skipTime } from '../support/clock.js';
import { runCommand } from '../support/command-line.js';
import { untilErased } from '../support/erasures.js';
import { fromNetstring, policyRequest, RunningMta, toNetstring } from '../support/mta.js';
import { startProxy } from '../support/servers/proxy.js';
import { exchange } from '../support/servers/raw-http.js';
import { until } from '../support/until.js';
import { createKey, createWorld, setCause, suppress, type World } from '../support/world.js';

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

  it('survives a caller that resets its connection', async () => {
    const line = Child.cli(['mta', '--line', '127.0.0.1:0'], settings(), folder);
    const [, port] = await line.says(/"address":"127\.0\.0\.1:(\d+)"/);
    const reset = connect(Number(port), '127.0.0.1');
    reset.write('new@example.com\n');
    await once(reset, 'data');
    reset.resetAndDestroy();
    await once(reset, 'close');
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('new@example.com\n');
    expect(await text(socket)).toBe('send\n');
    line.kill('SIGTERM');
    expect(await line.ended).toMatchObject({ code: 0, problems: [] });
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

const MEBIBYTE = 1024 * 1024;

const ACCEPT = { action: 'accept', response: null, modifications: [] };

/** What Stalwart sends, with the parts that its documentation shows. */
const stalwart = (stage: string, to: string[], contents = 'Hello.\r\n') => ({
  context: {
    stage,
    client: {
      ip: '192.0.2.1',
      port: 34567,
      ptr: 'mail.example.com',
      helo: 'mail.example.com',
      activeConnections: 1,
    },
    sasl: { login: 'shop', method: null },
    tls: { version: 'TLSv1_3', cipher: 'TLS13_AES_256_GCM_SHA384', cipherBits: 256 },
    server: { name: 'Stalwart', port: 25, ip: '192.0.2.2' },
    queue: { id: '1234567890' },
    protocol: { version: 1 },
  },
  envelope: {
    from: { address: 'shop@example.com', parameters: { size: 12345 } },
    to: to.map((address) => ({ address, parameters: { orcpt: `rfc822; ${address}` } })),
  },
  message: { headers: [['Subject', ' Hello\r\n']], serverHeaders: [], contents, size: contents.length },
});

describe('POST /mta-hooks', () => {
  let world: World;
  let id: string;
  beforeAll(async () => {
    world = await createWorld();
    const emails = ['ada@example.com', 'grace@example.com', '"mary ann"@example.com'];
    const ids = await suppress(world, world.alice, emails);
    id = ids[0]!;
    await setCause(world, ids[1]!, 'unsubscribe', null);
    await world
      .as(world.alice)
      .post('/topics')
      .send({ name: 'News', key: 'news', default_subscription: 'opt_out' })
      .expect(201);
  });
  afterAll(() => world.close());

  const post = (body: unknown, query = '', key = world.alice) =>
    world
      .as(key)
      .post(`/mta-hooks${query}`)
      .send(body as object);
  const answer = async (body: unknown, query = '') => (await post(body, query).expect(200)).body;

  it('rejects a suppressed recipient at the stage rcpt, in any letter case, with the cause and the id', async () => {
    for (const stage of ['rcpt', 'RCPT', 'Rcpt']) {
      expect(await answer(stalwart(stage, ['new@example.com', 'ada@example.com']))).toEqual({
        action: 'reject',
        response: { status: 550, message: `5.7.1 Recipient suppressed: manual (${id})` },
        modifications: [],
      });
    }
  });

  it('looks only at the last recipient at the stage rcpt', async () => {
    expect(await answer(stalwart('rcpt', ['ada@example.com', 'new@example.com']))).toEqual(ACCEPT);
  });

  it('deletes suppressed recipients at the stage data, as the mail server wrote them', async () => {
    const to = ['ada@example.com', 'new@example.com', 'mary ann@example.com', 'no address'];
    const deleted = ['ada@example.com', 'mary ann@example.com'];
    expect(await answer(stalwart('DATA', to))).toEqual({
      action: 'accept',
      response: null,
      modifications: deleted.map((value) => ({ type: 'deleteRecipient', value })),
    });
  });

  it('rejects a mail at the stage data if nobody is left', async () => {
    const alone = await answer(stalwart('data', ['ada@example.com']));
    expect(alone.response.message).toBe(`5.7.1 Recipient suppressed: manual (${id})`);
    const together = await answer(stalwart('data', ['ada@example.com', 'grace@example.com']));
    expect(together).toEqual({
      action: 'reject',
      response: { status: 550, message: '5.7.1 All recipients are suppressed' },
      modifications: [],
    });
  });

  it('accepts the stages that have no recipient', async () => {
    for (const stage of ['connect', 'ehlo', 'auth', 'mail']) {
      expect(await answer({ context: { stage } })).toEqual(ACCEPT);
    }
  });

  it('takes the purpose of the mail from the query', async () => {
    const toGrace = stalwart('rcpt', ['grace@example.com']);
    expect(await answer(toGrace)).toMatchObject({ action: 'reject' });
    expect(await answer(toGrace, '?transactional=true')).toEqual(ACCEPT);
    const toNew = stalwart('rcpt', ['new@example.com']);
    const { response } = await answer(toNew, '?topic=news&transactional=false');
    expect(response.message).toMatch(/^5\.7\.1 Recipient suppressed: not opted in to the topic \(/);
  });

  it('responds with an error if the verdict is unknown', async () => {
    const body = stalwart('rcpt', ['new@example.com']);
    await world.anyone.post('/mta-hooks').send(body).expect(401);
    await post(body, '?topic=unknown').expect(404);
    await post(body, '?topic=news&transactional=true').expect(400);
    await post(body, '?purpose=news').expect(400);
    const mailer = await createKey(world, ['suppressions:check']);
    await post(body, '', mailer).expect(200);
    await post(body, '?transactional=true', mailer).expect(401);
  });

  it.each([
    ['{', 'not valid JSON at position 1'],
    ['[]', 'must be a JSON object'],
    ['', 'context must be given'],
    ['{"context":{"stage":"quit"}}', 'context must have a stage: connect,'],
    ['{"context":null}', 'context must have a stage: connect,'],
    ['{"context":{"stage":{"toString":1}}}', 'context must have a stage: connect,'],
    ['{"envelope":{"to":[]}}', 'context must be given'],
    ['{"context":{"stage":"rcpt"}}', 'envelope must have a recipient in to at the stage rcpt'],
    ['{"context":{"stage":"rcpt"},"envelope":{"to":[]}}', 'envelope must have a recipient in to'],
    ['{"context":{"stage":"data"},"envelope":{"to":"ada@example.com"}}', 'envelope must have an array to'],
    [
      '{"context":{"stage":"data"},"envelope":{"to":[null]}}',
      'envelope must have recipients with an address',
    ],
  ])('refuses the body %s', async (body, message) => {
    const { body: error } = await post(body).set('Content-Type', 'application/json').expect(400);
    expect(error.message).toContain(message);
  });

  it('ignores the content type', async () => {
    const body = JSON.stringify(stalwart('rcpt', ['ada@example.com']));
    const head = `POST /mta-hooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.alice}\r\nConnection: close\r\n`;
    const response = await exchange(world.url, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    expect(response).toMatch(/^HTTP\/1.1 200 .*"action":"reject"/s);
  });

  it('reads past a large message, wherever it is, and whatever it contains', async () => {
    const contents = '"message": {"} \\ [é\r\n'.repeat(MEBIBYTE / 4);
    const { context, envelope, message } = stalwart('rcpt', ['ada@example.com'], contents);
    for (const body of [
      { context, envelope, message },
      { message, context, envelope },
      { context, message, envelope },
    ]) {
      expect(await answer(body)).toMatchObject({ action: 'reject' });
    }
  });

  it('refuses more than 1 MiB beside the message, and more than 256 MiB in total', async () => {
    const { context, envelope } = stalwart('rcpt', ['ada@example.com']);
    await post({ context, envelope, other: 'x'.repeat(MEBIBYTE) }).expect(413);
    await post({ context, envelope, other: { message: 'x'.repeat(MEBIBYTE) } }).expect(413);
    const head = `POST /mta-hooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.alice}\r\nConnection: close\r\n`;
    const response = await exchange(world.url, `${head}Content-Length: ${256 * MEBIBYTE + 1}\r\n\r\n{`);
    expect(response).toMatch(/^HTTP\/1.1 413 .*256 MiB/s);
  });
});

const DUNNO = 'action=DUNNO\n\n';

describe('a mail server that asks', () => {
  let world: World;
  let mta: RunningMta;
  let id: string;
  beforeAll(async () => {
    world = await createWorld();
    const emails = ['ada@example.com', 'grace@example.com', '"mary ann"@example.com', 'jörg@example.com'];
    const ids = await suppress(world, world.alice, emails);
    id = ids[0]!;
    await setCause(world, ids[1]!, 'unsubscribe', null);
    await world
      .as(world.alice)
      .post('/topics')
      .send({ name: 'News', key: 'news.daily', default_subscription: 'opt_out' });
    mta = await RunningMta.start({
      url: world.url,
      key: world.alice,
      users: '# users\nshop transactional\n',
    });
  });
  afterAll(async () => {
    await mta.stop();
    await world.close();
  });

  describe('by policy delegation', () => {
    it('rejects a suppressed recipient with the cause and the id of the record', async () => {
      const reply = `action=REJECT 5.7.1 Recipient suppressed: manual (${id})\n\n`;
      expect(await mta.policy({ recipient: 'ada@example.com' })).toBe(reply);
      expect(await mta.policy({ recipient: 'ADA@Example.com', sender: '' })).toBe(reply);
    });

    it('has no opinion about others, no recipient, and what is no address', async () => {
      for (const recipient of [
        'new@example.com',
        '',
        'postmaster',
        '@',
        'a@b@',
        '%40',
        'ada%40example.com',
      ]) {
        expect(await mta.policy({ recipient })).toBe(DUNNO);
      }
      expect(await mta.ask('policy', policyRequest({ protocol_state: 'DATA', recipient_count: '2' }))).toBe(
        DUNNO,
      );
    });

    it('knows addresses that Postfix unquotes, and addresses in UTF-8', async () => {
      expect(await mta.policy({ recipient: 'mary ann@example.com' })).toMatch(/^action=REJECT /);
      expect(await mta.policy({ recipient: 'jörg@example.com' })).toMatch(/^action=REJECT /);
      const latin1 = Buffer.from(policyRequest({ recipient: 'jörg@example.com' }), 'latin1');
      const caller = mta.connect('policy');
      caller.socket.end(latin1);
      expect(await caller.ended()).toBe(DUNNO);
    });

    it('takes the purpose from the context, or else from the user, or else the default', async () => {
      const recipient = 'grace@example.com';
      expect(await mta.policy({ recipient })).toMatch(/REJECT 5.7.1 Recipient suppressed: unsubscribe \(/);
      expect(await mta.policy({ recipient, policy_context: 'transactional' })).toBe(DUNNO);
      expect(await mta.policy({ recipient, sasl_username: 'shop' })).toBe(DUNNO);
      expect(await mta.policy({ recipient, sasl_username: 'else' })).toMatch(/REJECT/);
      expect(await mta.policy({ recipient, sasl_username: 'shop', policy_context: 'any' })).toMatch(/REJECT/);
      expect(await mta.policy({ recipient: 'new@example.com', policy_context: 'news.daily' })).toMatch(
        /REJECT 5.7.1 Recipient suppressed: not opted in to the topic \([\da-f-]{36}\)/,
      );
    });

    it('answers requests of a connection in their order, however they are cut', async () => {
      const caller = mta.connect('policy');
      const bytes = Buffer.from(
        policyRequest({ recipient: 'jörg@example.com', unknown: 'a=b=c' }) +
          policyRequest({ recipient: 'new@example.com' }) +
          policyRequest({ recipient: 'ada@example.com' }),
      );
      for (const byte of bytes) {
        caller.socket.write(Buffer.of(byte));
      }
      await caller.receives(/REJECT.*\n\naction=DUNNO\n\naction=REJECT.*\n\n$/);
      caller.socket.end();
      expect(await caller.ended()).toMatch(/\n\n$/);
    });

    it('closes the connection without an answer if a request is malformed or too long', async () => {
      const malformed = [
        'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
        '\n',
        'request=something_else\nrecipient=ada@example.com\n\n',
        `request=smtpd_access_policy\nsender=${'a'.repeat(20_000)}\n\n`,
        'a=b\n'.repeat(20_000),
      ];
      for (const input of malformed) {
        const caller = mta.connect('policy');
        caller.socket.on('error', () => undefined);
        caller.socket.write(input);
        expect(await caller.ended()).toBe('');
      }
      expect(await mta.metrics()).toContain(
        `suppression_list_mta_malformed_requests_total{protocol="policy"} ${malformed.length}`,
      );
    });
  });

  describe('by socketmap', () => {
    it('finds suppressed addresses in the maps access and transport', async () => {
      const reply = `5.7.1 Recipient suppressed: manual (${id})`;
      expect(await mta.socketmap('access', 'ada@example.com')).toBe(`OK REJECT ${reply}`);
      expect(await mta.socketmap('transport', 'ada@example.com')).toBe(`OK error:${reply}`);
      expect(await mta.socketmap('access', 'new@example.com')).toBe('NOTFOUND ');
      expect(await mta.socketmap('access', 'mary ann@example.com')).toMatch(/^OK REJECT /);
      expect(await mta.socketmap('transport', 'jörg@example.com')).toMatch(/^OK error:/);
    });

    it('finds neither the wildcard nor parts of addresses', async () => {
      for (const key of ['*', 'example.com', '.example.com', 'ada@', '@example.com', 'ada', '']) {
        expect(await mta.socketmap('transport', key)).toBe('NOTFOUND ');
      }
    });

    it('takes the purpose from the name of the map, and knows no other maps', async () => {
      expect(await mta.socketmap('access.transactional', 'grace@example.com')).toBe('NOTFOUND ');
      expect(await mta.socketmap('access.any', 'grace@example.com')).toMatch(/^OK REJECT/);
      expect(await mta.socketmap('transport.news.daily', 'new@example.com')).toMatch(
        /^OK error:5.7.1 .* not opted in/,
      );
      expect(await mta.socketmap('virtual', 'ada@example.com')).toMatch(/^PERM The name of the map must be/);
      expect(await mta.ask('socketmap', '6:access,')).toMatch(/^\d+:PERM /);
    });

    it('answers several requests, however they are cut, and closes the connection at a malformed one', async () => {
      const request = toNetstring('access jörg@example.com');
      const caller = mta.connect('socketmap');
      for (const byte of Buffer.from(request.repeat(2))) {
        caller.socket.write(Buffer.of(byte));
      }
      await caller.receives(/^(\d+:OK REJECT [^,]+,){2}$/);
      caller.socket.write('x');
      await caller.ended();
      for (const malformed of ['3:abcd,', '03:abc,', ':abc,', '99999:', '999999', '-1:,']) {
        expect(await mta.ask('socketmap', malformed)).toBe('');
      }
      expect(fromNetstring(await mta.ask('socketmap', `${request}99999:`))).toBe('');
    });
  });

  describe('by lines', () => {
    it('answers each line, even a last one without a line feed, after the caller has closed its side', async () => {
      const lines = [
        'ada@example.com',
        'new@example.com',
        'grace@example.com transactional',
        'new@example.com news.daily\r',
        '"mary ann"@example.com any',
        'ada lovelace@example.com',
        '',
        `${'a'.repeat(5_000)}@example.com`,
        `ada@example.com${' '.repeat(5_000)}`,
        '  ADA@example.com  ',
      ];
      const answers = (await mta.ask('line', lines.join('\n'))).split('\n');
      expect(answers).toEqual([
        `suppressed manual ${id}`,
        'send',
        'send',
        expect.stringMatching(/^suppressed topic_default [\da-f-]{36}$/),
        expect.stringMatching(/^suppressed manual /),
        'invalid',
        'invalid',
        'invalid',
        'invalid',
        `suppressed manual ${id}`,
        '',
      ]);
    });

    it('answers thousands of lines of a caller that reads slowly', async () => {
      const caller = mta.connect('line');
      caller.socket.pause();
      caller.socket.end('ada@example.com\nnew@example.com\n'.repeat(10_000));
      setImmediate(() => caller.socket.resume());
      const answers = await caller.ended();
      expect(answers).toBe(`suppressed manual ${id}\nsend\n`.repeat(10_000));
    });
  });

  it('logs at the start whether the key lacks a scope, or its account is suspended', async () => {
    const logOf = async (key: string) => {
      const other = await RunningMta.start({ url: world.url, key });
      await other.stop();
      return other.log;
    };
    expect(await logOf(await createKey(world, ['topics:read']))).toContainEqual(
      expect.objectContaining({ msg: 'the API key lacks a scope', code: 'restricted_api_key' }),
    );
    const suspended = await createKey(world, undefined, 'suspended');
    await world.database.query(`UPDATE accounts SET beta_admitted_at = NULL WHERE name = 'suspended'`);
    expect(await logOf(suspended)).toContainEqual(
      expect.objectContaining({ msg: 'the service refuses the API key', code: 'beta_access_required' }),
    );
  });

  it('logs once that it refuses connections beyond 1,000, and answers the others', async () => {
    const callers = Array.from({ length: 1_000 }, () => mta.connect('line'));
    await Promise.all(callers.map(({ socket }) => once(socket, 'connect')));
    await Promise.all([mta.connect('line').ended(), mta.connect('line').ended()]);
    const refusal = { protocol: 'line', connections: 1_000, msg: expect.stringContaining('are refused') };
    expect(mta.log.filter(({ connections }) => connections)).toEqual([expect.objectContaining(refusal)]);
    callers[999]!.socket.end('new@example.com');
    expect(await callers[999]!.ended()).toBe('send\n');
    callers.forEach(({ socket }) => socket.destroy());
    await until(async () => (await mta.metrics()).includes('mta_connections{protocol="line"} 0'));
  });

  it('counts questions by protocol and answer, without addresses', async () => {
    const metrics = await mta.metrics();
    expect(metrics).toMatch(/question_duration_seconds_count\{protocol="policy",answer="suppressed"\} \d+/);
    expect(metrics).toMatch(/suppression_list_mta_connections\{protocol="line"\} 0/);
    expect(metrics).not.toContain('@');
    expect(JSON.stringify(mta.log)).not.toContain('@');
  });
});

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
    ['the API key is wrong', 'unauthorized', status(403, { code: 'invalid_api_key' })],
    ['the account is suspended', 'unauthorized', status(403, { code: 'beta_access_required' })],
    ['a scope is missing', 'forbidden', status(401, { code: 'restricted_api_key' })],
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
    asking.socket.write(`${recipient}\nhalf a line`);
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
    // The copy that could not be opened leaves a connection without a request, which the server would await for a minute.
    world.app.getHttpServer().closeAllConnections();
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
    const { now } = Date;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 61_000);
    const isOld = { msg: 'the local copy cannot be updated', problem: expect.stringContaining('be reached') };
    await until(async () => {
      expect(await mta.policy({ recipient: 'ada@example.com' })).toBe(reply);
      return mta.log.some(({ level }) => level === 'warn');
    });
    expect(mta.log.filter(({ level }) => level === 'warn')).toEqual([expect.objectContaining(isOld)]);
    clock.mockImplementation(now);
    await mta.stop();

    const impatient = await RunningMta.start({ ...options, maxAge: 60_000 });
    clock.mockImplementation(() => now() + 61_000);
    await until(async () => {
      skipTime(60_000); // It logs a line a minute.
      expect(await impatient.policy({ recipient: 'ada@example.com' })).toBe(DEFER);
      return impatient.log.at(-1)!.problem;
    });
    expect(impatient.log.at(-1)).toMatchObject({
      level: 'warn',
      msg: 'the local copy is too old to answer',
      problem: expect.stringContaining('cannot be reached'),
    });
    clock.mockRestore();
    expect(await impatient.policy({ recipient: 'ada@example.com' })).toBe(reply);
    await impatient.stop();
    await proxy.close();
  });

  it('names the scope that the key lacks once the account keeps the block of an erased address', async () => {
    const erasure = { keep_block: true, reference: 'Case 4711' };
    const all = await createKey(world, undefined, 'kept');
    await suppress(world, all, ['grace@example.com', 'eve@example.com']);
    await untilErased(world, async () => world.as(all).post('/contacts/eve@example.com/erase').send(erasure));
    const key = await createKey(
      world,
      ['suppressions:read', 'changes:read', 'topics:read', 'rules:read'],
      'kept',
    );
    const mta = await RunningMta.start({ url: world.url, key, replica: join(folder, 'limited') });
    expect(await mta.policy({ recipient: 'grace@example.com' })).toContain('action=REJECT');
    expect(await mta.policy({ recipient: 'new@example.com' })).toBe(DEFER);
    expect(mta.log).toContainEqual(
      expect.objectContaining({ level: 'error', msg: 'the API key lacks a scope', scope: 'pseudonyms:read' }),
    );
    await mta.stop();
  });

  it('says why the copy cannot be opened', async () => {
    const key = await createKey(world, ['suppressions:read']);
    const start = RunningMta.start({ url: world.url, key, replica: join(folder, 'other') });
    await expect(start).rejects.toThrow(/^The local copy in .*other cannot be opened: .*lacks the scope/);
    const unreachable = RunningMta.start({ url: 'http://127.0.0.1:1', key, replica: join(folder, 'other') });
    await expect(unreachable).rejects.toThrow(/cannot be reached\. Start again when the service responds\.$/);
  });
});
