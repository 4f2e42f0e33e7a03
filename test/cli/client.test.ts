import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../../src/cli/client/api.js';
import { runClient } from '../../src/cli/client/run.js';
import { table } from '../../src/cli/output.js';
import { progressLine } from '../../src/cli/client/text.js';
import { ImportsService } from '../../src/imports/imports.service.js';
import { Child, type Ended } from '../support/child-process.js';
import { runCommand } from '../support/command-line.js';
import { untilErased } from '../support/erasures.js';
import { until } from '../support/until.js';
import { createKey, createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

/** Has lists/a.csv with two addresses, lists/b.txt with one, a README, and a file of macOS. */
const ZIP =
  'UEsDBAoAAAAAANGddV2zkOQWBwAAAAcAAAAJABwAUkVBRE1FLm1kVVQJAAMZ9QFrGfUBa3V4CwABBAAAAAAEAAAAAHJlYWRtZQpQSwMECgAAAAAA0Z11XQAAAAAAAAAAAAAAAAYAHABsaXN0cy9VVAkAAxn1AWsZ9QFrdXgLAAEEAAAAAAQAAAAAUEsDBAoAAAAAANGddV08eCLsEQAAABEAAAALABwAbGlzdHMvYi50eHRVVAkAAxn1AWsZ9QFrdXgLAAEEAAAAAAQAAAAAemlwM0BleGFtcGxlLmNvbQpQSwMEFAAAAAgA0Z11XboSPaUxAAAAPwAAAAsAHABsaXN0cy9hLmNzdlVUCQADGfUBaxn1AWt1eAsAAQQAAAAABAAAAABLzU3MzNFJTiwtTuWqyiwwdEitSMwtyEnVS87P1UnKL81LBosboYgDcUFOYmZeCRcAUEsDBAoAAAAAANGddV0AAAAAAAAAAAAAAAAJABwAX19NQUNPU1gvVVQJAAMZ9QFrGfUBa3V4CwABBAAAAAAEAAAAAFBLAwQKAAAAAADRnXVdHwjqRgIAAAACAAAADgAcAF9fTUFDT1NYL2EuY3N2VVQJAAMZ9QFrGfUBa3V4CwABBAAAAAAEAAAAAHgKUEsBAh4DCgAAAAAA0Z11XbOQ5BYHAAAABwAAAAkAGAAAAAAAAQAAAKSBAAAAAFJFQURNRS5tZFVUBQADGfUBa3V4CwABBAAAAAAEAAAAAFBLAQIeAwoAAAAAANGddV0AAAAAAAAAAAAAAAAGABgAAAAAAAAAEADtQUoAAABsaXN0cy9VVAUAAxn1AWt1eAsAAQQAAAAABAAAAABQSwECHgMKAAAAAADRnXVdPHgi7BEAAAARAAAACwAYAAAAAAABAAAApIGKAAAAbGlzdHMvYi50eHRVVAUAAxn1AWt1eAsAAQQAAAAABAAAAABQSwECHgMUAAAACADRnXVduhI9pTEAAAA/AAAACwAYAAAAAAABAAAApIHgAAAAbGlzdHMvYS5jc3ZVVAUAAxn1AWt1eAsAAQQAAAAABAAAAABQSwECHgMKAAAAAADRnXVdAAAAAAAAAAAAAAAACQAYAAAAAAAAABAA7UFWAQAAX19NQUNPU1gvVVQFAAMZ9QFrdXgLAAEEAAAAAAQAAAAAUEsBAh4DCgAAAAAA0Z11XR8I6kYCAAAAAgAAAA4AGAAAAAAAAQAAAKSBmQEAAF9fTUFDT1NYL2EuY3N2VVQFAAMZ9QFrdXgLAAEEAAAAAAQAAAAAUEsFBgAAAAAGAAYA4AEAAOMBAAAAAA==';

describe('the command suppressions', () => {
  let world: World;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'suppressions-'));
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const settings = () => ({
    SUPPRESSIONS_URL: world.url,
    SUPPRESSIONS_API_KEY: world.alice,
    XDG_CONFIG_HOME: join(folder, '.config'),
  });
  const run = (args: string[], input?: string, env: Record<string, string> = settings()): Promise<Ended> =>
    runCommand(args, env, folder, input, { program: runClient });
  const output = async (args: string[], input?: string): Promise<string> => {
    const { code, stdout, problems } = await run(args, input);
    expect({ args, code, problems }).toEqual({ args, code: 0, problems: [] });
    return stdout;
  };
  const verdictOf = async (email: string) => {
    const { body } = await world
      .as(world.alice)
      .post('/suppressions/check')
      .send({ emails: [email] });
    return body.data[0].verdict;
  };

  it('stores the key of standard input in a file that only its owner can read, and uses it', async () => {
    const access = { XDG_CONFIG_HOME: join(folder, '.config') };
    const login = ['login', '--url', `${world.url}/`];
    expect(await run(login, 'sup_wrong', access)).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('API key')],
    });
    const refused = await run(['list'], '', access);
    expect(refused).toMatchObject({
      code: 2,
      problems: [expect.stringMatching(/or log in first: .* login --url https:\S+$/)],
    });
    const loggedIn = await Child.cli(login, { HOME: folder }, folder, `${world.alice}\n`).ended;
    expect(loggedIn).toMatchObject({ code: 0, problems: [] });
    const file = join(folder, '.config/suppressions/access.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await chmod(file, 0o644);
    expect(await run(login, world.alice, access)).toMatchObject({ code: 0, problems: [] });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await Child.cli(['list'], access, folder).ended).toMatchObject({ code: 0 });
    const elsewhere = { ...access, SUPPRESSIONS_URL: 'http://127.0.0.1:9' };
    expect(await run(['list'], '', elsewhere)).toMatchObject({ code: 2 });
    await writeFile(file, 'damaged');
    expect(await run(['list'], '', access)).toMatchObject({
      code: 1,
      problems: [expect.stringMatching(/json is damaged\. Log in again: .* login --url https:\S+$/)],
    });
    expect(await run(['list'])).toMatchObject({ code: 0, problems: [] });
    expect(await run(['logout'], '', access)).toEqual({ code: 0, stdout: 'Logged out.\n', problems: [] });
    expect(await run(['logout'], '', access)).toMatchObject({ stdout: 'Not logged in.\n' });
    await writeFile(file, '{"url": "suppressions.example.com", "key": "sup_1"}');
    expect(await run(['list'], '', access)).toMatchObject({
      code: 2,
      problems: ['suppressions.example.com is not a URL such as https://suppressions.example.com'],
    });
    expect(await run(login, world.alice, { XDG_CONFIG_HOME: '/dev/null' })).toMatchObject({
      code: 1,
      problems: [
        expect.stringMatching(
          /^The key cannot be stored: ENOTDIR.*\. Set XDG_CONFIG_HOME to another folder, or/,
        ),
      ],
    });
  });

  it('says whose API key it uses and whether the service is ready, and forgets the key', async () => {
    const access = { XDG_CONFIG_HOME: join(folder, '.config') };
    const key = await createKey(world, ['events:read'], 'globex');
    expect(await run(['login', '--url', world.url], key, access)).toMatchObject({ code: 0, problems: [] });
    const key_from = join(folder, '.config/suppressions/access.json');
    const json = async (command: string, env: Record<string, string>) =>
      JSON.parse((await run([command, '--json'], '', env)).stdout);
    const identity = { url: world.url, account: 'globex', api_key: key.slice(0, 12), key_from };
    expect(await json('whoami', access)).toEqual(identity);
    expect((await run(['whoami'], '', access)).stdout).toMatch(/^account +globex$/m);
    const seen = { url: world.url, service: 'ready' };
    expect(await json('status', access)).toEqual({ ...seen, account: 'globex', suppressions: null });
    const ofAlice = { ...access, SUPPRESSIONS_API_KEY: world.alice };
    expect(await json('status', ofAlice)).toEqual({
      ...seen,
      account: 'acme',
      suppressions: expect.any(Number),
    });
    expect(await json('whoami', ofAlice)).toMatchObject({
      account: 'acme',
      key_from: 'SUPPRESSIONS_API_KEY',
    });
    expect(await run(['logout'], '', ofAlice)).toEqual({
      code: 0,
      stdout: `Logged out of ${world.url}.\n`,
      problems: ['SUPPRESSIONS_API_KEY is still set, and commands use it.'],
    });
    expect(await run(['logout'], '', access)).toEqual({ code: 0, stdout: 'Not logged in.\n', problems: [] });
    expect((await run(['whoami'], '', access)).code).toBe(2);
  });

  it('adds, checks, explains, lists and removes addresses', async () => {
    const note = 'Asked on the phone';
    const add = await Child.cli(['add', 'ada@example.com', '--note', note], settings(), folder).ended;
    expect(add).toEqual({ code: 0, stdout: 'Suppressed: 1\n', problems: [] });
    expect(await output(['check', '-'], 'ada@example.com\nnew@example.com\nnobody\n')).toBe(
      'ADDRESS          VERDICT     REASON\nada@example.com  suppressed  manual\nnew@example.com  send        -\nnobody           invalid     must contain an @\n',
    );
    const why = await output(['why', 'ada@example.com']);
    expect(why).toContain('ada@example.com: suppressed\nReasons: manual\n');
    expect(why).toMatch(/added +manual +the API key alice \(…[0-9a-f]{8}\) +Asked on the phone/);
    expect(await output(['why', 'new@example.com'])).toContain('new@example.com: send\n');
    expect(await output(['list', '--domain', 'example.com'])).toMatch(
      /^ADDRESS +ORIGIN +CREATED \(UTC\)\nada@example.com +manual +\d{4}-\d\d-\d\d \d\d:\d\d\n$/,
    );
    expect(await output(['list', '--cause', 'bounce'])).toBe('No suppressions.\n');
    expect(JSON.parse(await output(['list', '--cause', 'manual', '--json']))).toMatchObject([
      { email: 'ada@example.com' },
    ]);
    expect(await run(['remove', 'ada@example.com'], '')).toMatchObject({
      code: 2,
      problems: ['Nothing was changed. Confirm with --yes.'],
    });
    expect(await verdictOf('ada@example.com')).toBe('suppressed');
    const given = ['ada@example.com', 'Ada@EXAMPLE.com', 'new@example.com'];
    expect(await output(['remove', ...given, '--cause', 'bounce', '--yes'])).toBe(
      'Removed: 0, without this cause: 2\n',
    );
    expect(await output(['remove', ...given, '--yes'])).toBe('Removed: 1, not on the list: 1\n');
    expect(await verdictOf('ada@example.com')).toBe('send');
  });

  it('explains in the order in which things happened, even if it heard of them later', async () => {
    const email = 'late@example.com';
    const as = world.as(world.alice);
    await as
      .post('/events')
      .send({ type: 'complaint', email, occurred_at: '2026-01-21T08:00:00Z' })
      .expect(200);
    await as
      .post('/events')
      .send({ type: 'unsubscribe', email, occurred_at: '2026-01-20T08:00:00Z' })
      .expect(200);
    expect(await output(['why', email])).toMatch(
      /WHEN \(UTC\) +RECORDED +CHANGE.*\n2026-01-21 08:00 +\d{4}-\S+ \S+ +added.*\n2026-01-20 08:00 +\d{4}-\S+ \S+ +cause added/,
    );
    const { history } = JSON.parse(await output(['why', email, '--json']));
    expect(history).toMatchObject([{ cause: 'unsubscribe' }, { cause: 'complaint' }]);
  });

  it('adds addresses that expire, and shows what is required to lift a guarded one', async () => {
    const email = 'guarded@example.com';
    await world.as(world.alice).patch('/account').send({ removal: 'guarded' }).expect(200);
    await world.as(world.alice).post('/events').send({ type: 'unsubscribe', email }).expect(200);
    expect(await run(['scrub', '-', '--transactional'], `${email}\n`)).toMatchObject({
      code: 0,
      stdout: `${email}\n`,
    });
    expect(await output(['why', email, '--transactional'])).toContain(`${email}: send\n`);
    expect(await output(['add', 'days@example.com', '--expires', '30d'])).toBe('Suppressed: 1\n');
    const days = await world.as(world.alice).get('/suppressions/days@example.com?include=causes');
    const { expires_at } = days.body.causes[0];
    const lasts = Date.parse(expires_at) - Date.parse(days.body.created_at);
    expect(Math.round(lasts / 86_400_000)).toBe(30);
    expect(await output(['add', email, '--expires', '2999-01-01'])).toBe('Suppressed: 1\n');
    const { body } = await world.as(world.alice).get(`/suppressions/${email}?include=causes`);
    expect(body.causes).toMatchObject([
      { cause: 'unsubscribe', expires_at: null },
      { cause: 'manual', expires_at: '2999-01-01T00:00:00.000Z' },
    ]);
    expect(await run(['remove', email, '--yes'])).toMatchObject({
      code: 1,
      problems: [
        'This account guards removals. Lifting a complaint or an unsubscribe needs the scope suppressions:lift and a consent ' +
          '(--consent and --reference). Nothing was removed.',
      ],
    });
    const consent = ['--consent', 'recipient_request', '--reference', 'Case 4711'];
    expect(await run(['remove', email, '--yes', ...consent.slice(2)])).toMatchObject({
      code: 2,
      stdout: '',
      problems: [expect.stringMatching(/^error: --reference .* Add --consent <kind>: recipient_request/)],
    });
    expect(await run(['remove', email, '--yes', ...consent.slice(0, 2)])).toMatchObject({
      code: 2,
      stdout: '',
      problems: [
        'error: --consent needs --reference, which says where the consent is documented (see --help)',
      ],
    });
    expect(await output(['remove', email, '--yes', ...consent])).toBe('Removed: 1\n');
    await world.as(world.alice).post('/events').send({ type: 'bounce', email }).expect(200);
    expect(await run(['remove', email, '--yes'])).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('Lifting a bounce needs a note (--note).')],
    });
    await world.as(world.alice).patch('/account').send({ removal: 'open' }).expect(200);
  });

  it('accepts addresses with a display name, and changes nothing if one is invalid', async () => {
    expect(await run(['add', 'Grace Hopper <grace@example.com>'])).toEqual({
      code: 0,
      stdout: 'Suppressed: 1\n',
      problems: ['Read "Grace Hopper <grace@example.com>" as grace@example.com.'],
    });
    expect(await run(['why', '"Hopper, Grace" <grace@example.com>'])).toMatchObject({
      stdout: expect.stringContaining('grace@example.com: suppressed\n'),
      problems: [expect.stringMatching(/as grace@example\.com\.$/)],
    });
    const emails = Array.from({ length: 150 }, (_, index) => `invalid${index}@example.com`);
    expect(
      await run(['add', '-'], [...emails, 'ada.example.com', 'a@example.com <b@example.com>'].join('\n')),
    ).toMatchObject({
      code: 2,
      problems: [
        '"ada.example.com" is not an email address: it must contain an @.',
        expect.stringMatching(
          /^"a@example.com <b@example.com>" is not an email address: it must be one address alone/,
        ),
        'Nothing was changed.',
      ],
    });
    expect(await verdictOf(emails[0]!)).toBe('send');
    expect(await run(['add', '-'], `${'ada@example.com\n'.repeat(200_000)}nobody`)).toMatchObject({
      code: 2,
      problems: ['"nobody" is not an email address: it must contain an @.', 'Nothing was changed.'],
    });
    expect(await output(['why', 'nobody'])).toBe(
      'nobody: invalid\nThis is not an email address: it must contain an @.\n',
    );
  });

  it('unsubscribes addresses from everything except transactional mail', async () => {
    const [email, other] = ['caller@example.com', 'o/hara?@example.com'];
    const add = (args: string[], input?: string) => run(['add', '--unsubscribe', ...args], input);
    expect(await add([email, '--expires', '30d'])).toMatchObject({
      code: 2,
      problems: [
        expect.stringMatching(/^error: option '--unsubscribe' cannot be used with option '--expires/),
      ],
    });
    expect(await add(['-'], `${email}\nnobody`)).toMatchObject({
      code: 2,
      problems: ['"nobody" is not an email address: it must contain an @.', 'Nothing was changed.'],
    });
    expect(await verdictOf(email)).toBe('send');
    const list = `Cy <${email}>\n${other}\n${email.toUpperCase()}\n`;
    expect(await add(['-', '--note', 'Asked on the phone'], list)).toEqual({
      code: 0,
      stdout: 'Unsubscribed: 2\n',
      problems: [`Read "Cy <${email}>" as ${email}.`],
    });
    expect(await verdictOf(other)).toBe('suppressed');
    expect(await output(['why', other, '--transactional'])).toContain(`${other}: send\n`);
    expect(await output(['why', email])).toMatch(
      /added +unsubscribe +the API key alice \(…[0-9a-f]{8}\) +Asked on the phone/,
    );
    expect(JSON.parse(await output(['add', email, '--unsubscribe', '--json']))).toMatchObject([
      { object: 'contact' },
    ]);
  });

  it('names the option that is wrong, as it was typed', async () => {
    const refusals = [
      [['add', 'ada@example.com', '--note', 'x'.repeat(2000)], expect.stringMatching(/^--note must have/)],
      [['list', '--created-after', 'soon'], expect.stringMatching(/^--created-after must be/)],
      [['check', 'ada@example.com', '--topic', 'no topic'], expect.stringMatching(/^--topic must be/)],
      [
        ['list', '--created-after', '2026-02-01', '--created-before', '2026-01-01'],
        '--created-before must be later than --created-after.',
      ],
      [
        ['check', 'ada@example.com', '--topic', 'news', '--transactional'],
        '--transactional must be left out if --topic is given.',
      ],
    ] as const;
    for (const [args, problem] of refusals) {
      expect(await run([...args])).toMatchObject({ code: 2, problems: [problem] });
    }
    for (const [expires, problem] of [
      ['2999-02-30', 'It must be a date that exists.'],
      [
        '2999-01-15T09:30',
        'It must be a date, or a timestamp in ISO 8601 with its offset: 2026-01-15T09:30:00Z.',
      ],
      [
        '2999-01-15 09:30',
        'It must be a date, or a timestamp in ISO 8601 with its offset: 2026-01-15T09:30:00Z.',
      ],
    ]) {
      const refusal = `error: option '--expires <time>' argument '${expires}' is invalid. ${problem} (see --help)`;
      expect(await run(['add', 'ada@example.com', '--expires', expires!])).toMatchObject({
        code: 2,
        problems: [refusal],
      });
    }
    for (const expires of ['2020-01-01', 'soon', '0d', '99999d', '5']) {
      expect(await run(['add', 'ada@example.com', '--expires', expires])).toMatchObject({
        code: 2,
        problems: [
          expect.stringMatching(
            /^error: option '--expires <time>' .* at most 100 years, .* 90d, 12h, 30m, 2027-01-15\./,
          ),
        ],
      });
    }
    expect(await run(['scrub', '-', '--column', 'Contact'], 'email\na@example.com\n')).toMatchObject({
      code: 2,
      problems: ['There is no column "Contact". The first line has: email.'],
    });
    const misread = [
      [['--mapping', 'email=Nope'], 'email,x\n', '--mapping names Nope, but the columns are: email, x.'],
      [['--mapping', 'email=Nope'], '["ada@example.com"]', /^--mapping names Nope, but the entries have no/],
      [['--format', 'mandrill'], 'email,x\n', '--format is mandrill, but the columns are: email, x.'],
      [['--format', 'mandrill'], '["ada@example.com"]', /^--format is mandrill, but the entries have no/],
      [['--format', 'csv'], 'a,b\n', /^--format is csv, but none of the columns has the usual name/],
    ] as const;
    for (const [options, file, problem] of misread) {
      expect(await run(['import', '-', ...options], file)).toMatchObject({
        code: 2,
        problems: [expect.stringMatching(problem)],
      });
    }
    expect(await run(['scrub', '-'], 'Customer,Contact\na@example.com,b\n')).toMatchObject({
      code: 2,
      problems: ['The first line has: Customer, Contact. Name the column of the addresses with --column.'],
    });
    expect(await run(['login', '--url', 'http://['])).toMatchObject({
      code: 2,
      problems: ['http://[ is not a URL such as https://suppressions.example.com'],
    });
    await writeFile(join(folder, 'a\nb.csv'), 'email\na@example.com\n');
    expect(await run(['import', 'a\nb.csv'])).toMatchObject({
      code: 2,
      problems: [expect.stringMatching(/^The name of the file must have/)],
    });
  });

  it.each([
    'lift show',
    'lift revert --yes',
    'incident show',
    'provider-list show',
    'provider-list delete --yes',
    'person access',
    'import-errors',
  ])('refuses an empty id, which an unset variable leaves: %s', async (command) => {
    for (const id of ['', '..']) {
      expect(await run([...command.split(' '), id])).toEqual({
        code: 2,
        stdout: '',
        problems: ['An id or an address is empty, or consists of dots.'],
      });
    }
  });

  it.each(['sup_x\r', '“sup_x”', 'sup_x sup_y'])('refuses the API key %j', async (key) => {
    expect(await run(['list'], '', { ...settings(), SUPPRESSIONS_API_KEY: key })).toMatchObject({
      code: 2,
      problems: ['The API key has a character that no API key has. Copy it again.'],
    });
  });

  it('names topics and rules in its explanation, or gives their ids to a key that may not read them', async () => {
    const email = 'joan@why.example';
    const topic = { name: 'News', key: 'why-news', default_subscription: 'opt_in' };
    const { body: made } = await world.as(world.alice).post('/topics').send(topic).expect(201);
    const choice = [{ id: made.id, subscription: 'opt_out' }];
    await world.as(world.alice).patch(`/contacts/${email}/topics`).send(choice).expect(200);
    const block = { pattern: '*.example', effect: 'block', topic: 'why-news' };
    const { body: rule } = await world.as(world.alice).post('/rules').send(block).expect(201);
    const why = ['why', email, '--topic', 'why-news'];
    const explained = await output(why);
    expect(explained).toContain('Reasons: opted out of why-news, rule: block *.example for why-news\n');
    expect(explained).toMatch(/opted out +why-news +the API key alice/);
    const reader = {
      ...settings(),
      SUPPRESSIONS_API_KEY: await createKey(world, ['suppressions:read'], 'acme'),
    };
    expect(await run(why, '', reader)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        `Reasons: opted out of ${made.id}, rule: block ${rule.id} for ${made.id}\n`,
      ),
    });
  });

  it('shows no characters with which a note could control the terminal or disguise itself', async () => {
    await output(['add', 'bell@example.com', '--note', 'before\u001b]52;c;x\u0007\nafter\u202e!']);
    expect(await output(['why', 'bell@example.com'])).toContain(
      'before\u{FFFD}]52;c;x\u{FFFD}\u{FFFD}after\u{FFFD}!',
    );
  });

  it('shows no characters with which a file could control the terminal', async () => {
    await writeFile(join(folder, 'bell.csv'), 'email\nbell\u001b]52;c;x\u0007\nok@import.example\n');
    const [{ id }] = JSON.parse(await output(['import', 'bell.csv', '--watch', '--json']));
    const errors = (ending: string) => `line,code,value\r\n2,invalid_email,bell${ending}\r\n`;
    expect(await output(['import-errors', id])).toBe(errors('\u001b]52;c;x\u0007'));
    const { stdout } = await Child.terminal(['import-errors', id], settings(), folder).ended;
    expect(stdout).toBe(errors('\u{FFFD}]52;c;x\u{FFFD}'));
  });

  describe('with a service that fails', () => {
    const withService = async <Result>(listener: RequestListener, task: (url: string) => Promise<Result>) => {
      const service = createServer(listener);
      await once(service.listen(0, '127.0.0.1'), 'listening');
      try {
        return await task(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
      } finally {
        service.closeAllConnections();
        service.close();
      }
    };
    const runAt = (url: string, args: string[], input?: string) =>
      run(args, input, { ...settings(), SUPPRESSIONS_URL: url });

    it('takes a 404 of something else for a failure, not for "not found"', async () => {
      const { code, problems } = await withService(
        (_request, response) => response.writeHead(404).end('<h1>Not Found</h1>'),
        (url) => runAt(url, ['import-errors', '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11']),
      );
      expect({ code, problems }).toEqual({
        code: 1,
        problems: ['The response is not from the suppression list service. Check the URL.'],
      });
    });

    it('never lets it control the terminal', async () => {
      const message = 'The \u001b]52;c;x\u0007 list \u009b2J is\nslow.';
      const { problems } = await withService(
        (_request, response) => response.writeHead(400).end(JSON.stringify({ message })),
        (url) => runAt(url, ['list']),
      );
      expect(problems).toEqual(['The \u{FFFD}]52;c;x\u{FFFD} list \u{FFFD}2J is', 'slow.']);
    });

    it.each([
      [
        'an import goes',
        ['import', '-', '--watch'],
        { status: 'running' },
        /^The .* x goes on\. To cancel it,/,
      ],
      [
        'a lift goes',
        ['lift', 'apply', 'x', '--yes'],
        { status: 'counting' },
        /^The .* x goes on\. To see how far it is: /,
      ],
      [
        'erasures go',
        ['person', 'erase', '--from', '-', '--yes'],
        { found: ['erased-x'], reported_since: [], next: null },
        /^Erasures that have begun go on\. Repeat the command for the others\.$/,
      ],
    ])('says that %s on when a signal ends the command', async (_job, args, state, hint) => {
      const receipt = { pseudonym: 'erased-x', keep_block: true, reference: 'x', created_at: 'x', key: 'x' };
      const input = args[0] === 'person' ? JSON.stringify(receipt) : 'a@example.com\n';
      let command!: Child;
      let reads = 0;
      const job = { id: 'x', format: 'plain', rows: 0, count: 0, ...state };
      const ended = await withService(
        (request, response) => {
          request.resume();
          reads += request.method === 'GET' || request.url === '/erasures/repeat' ? 1 : 0;
          response.end(JSON.stringify(job), () => reads === 2 && command.kill('SIGINT'));
        },
        (url) => {
          command = Child.cli(args, { ...settings(), SUPPRESSIONS_URL: url }, folder, input);
          return command.ended;
        },
      );
      expect(ended).toMatchObject({
        code: 130,
        problems: [expect.stringMatching(hint)],
      });
    });

    it('says how many addresses were processed before', async () => {
      const emails = Array.from({ length: 150 }, (_, index) => `user${index}@example.com`);
      let requests = 0;
      const ended = await withService(
        (_request, response) =>
          ++requests === 1
            ? response.writeHead(201).end(JSON.stringify({ data: emails.slice(0, 100) }))
            : response.writeHead(503).end(JSON.stringify({ message: 'The database is slow.' })),
        (url) => runAt(url, ['add', '-'], emails.join('\n')),
      );
      expect(ended).toEqual({
        code: 1,
        stdout: '',
        problems: ['100 of 150 addresses were processed. Then:', 'The database is slow.'],
      });
    });

    it('imports the other files when one is too large', async () => {
      await writeFile(join(folder, 'large.csv'), 'email\n');
      await writeFile(join(folder, 'small.csv'), 'email\n');
      const queued = { id: '1', status: 'queued', format: 'csv', rows: 0 };
      const ended = await withService(
        (request, response) => {
          const isLarge = request.url!.includes('large.csv');
          const body = isLarge ? { message: 'The body is larger than 1024 MiB.' } : queued;
          request.resume().on('end', () => response.writeHead(isLarge ? 413 : 202).end(JSON.stringify(body)));
        },
        (url) => runAt(url, ['import', 'large.csv', 'small.csv']),
      );
      expect(ended).toEqual({
        code: 1,
        stdout: 'small.csv: uploaded as csv, import 1\n',
        problems: ['large.csv: The body is larger than 1024 MiB.'],
      });
    });

    it('continues to watch an import after a restart of the service', async () => {
      const queued = { id: '1', status: 'queued', format: 'plain', rows: 0, skipped: {}, error: null };
      let reads = 0;
      const ended = await withService(
        (request, response) => {
          if (request.method === 'POST') {
            request.resume().on('end', () => response.writeHead(202).end(JSON.stringify(queued)));
          } else if (++reads === 1) {
            response.destroy();
          } else {
            const body = reads === 2 ? { message: 'Unavailable' } : { ...queued, status: 'completed' };
            response.writeHead(reads === 2 ? 503 : 200).end(JSON.stringify(body));
          }
        },
        (url) => runAt(url, ['import', '-', '--watch', '--json'], 'ada@example.com\n'),
      );
      expect(ended).toMatchObject({ code: 0, problems: [], stdout: expect.stringContaining('"completed"') });
    });

    it.each([
      ['an address', ['ada@example.com', '--completely', '--reference', 'Case 1'], { status: 'erasing' }],
      ['receipts', ['--from', '-'], { found: ['erased-x'], reported_since: [], next: null }],
    ])('waits for the erasure of %s while the service restarts', async (_what, args, first) => {
      const answers = [first, null, 503, { status: 'completed', found: [], reported_since: [], next: null }];
      const receipt = { pseudonym: 'erased-x', keep_block: true, reference: 'x', created_at: 'x', key: 'x' };
      const ended = await withService(
        (request, response) => {
          const answer = answers.shift();
          request
            .resume()
            .on('end', () =>
              answer === null
                ? response.destroy()
                : response.writeHead(answer === 503 ? 503 : 200).end(JSON.stringify(answer)),
            );
        },
        (url) => runAt(url, ['person', 'erase', ...args, '--yes'], JSON.stringify(receipt)),
      );
      expect(ended).toMatchObject({
        code: 0,
        problems: [],
        stdout: expect.stringMatching(/completed|Erased 1/),
      });
      expect(answers).toEqual([]);
    });

    it('does not wait for a service that never responded', async () => {
      const erase = ['person', 'erase', '--completely', '--reference', 'Case 1', '--yes', 'ada@example.com'];
      expect(await runAt('http://127.0.0.1:9', erase)).toMatchObject({
        code: 1,
        problems: ['The service at http://127.0.0.1:9 cannot be reached: ECONNREFUSED'],
      });
    });

    it('fails when somebody cancels the import that it watches', async () => {
      const one = { id: '1', status: 'queued', format: 'plain', rows: 0, skipped: {}, error: null };
      const ended = await withService(
        (request, response) => {
          const status = request.method === 'POST' ? 'queued' : 'cancelled';
          request.resume().on('end', () => response.writeHead(200).end(JSON.stringify({ ...one, status })));
        },
        (url) => runAt(url, ['import', '-', '--watch', '--json'], 'ada@example.com\n'),
      );
      expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining('"cancelled"') });
    });

    it.concurrent('gives up when it stays silent', () =>
      withService(
        () => undefined,
        (url) =>
          expect(new Api({ url, key: 'x' }, 50).json('GET', '/suppressions')).rejects.toThrow(
            'cannot be reached: no data for 0.05 seconds',
          ),
      ),
    );

    it.concurrent('gives up when it stays silent after it has waited for input', () =>
      withService(
        (request) => request.resume(),
        async (url) => {
          const input = Readable.from(
            (async function* () {
              yield 'a';
              await delay(1_600);
              yield 'b';
            })(),
          );
          const sent = new Api({ url, key: 'x' }, 500).send('POST', '/scrubs', { body: input });
          await expect(sent).rejects.toThrow('no data for 0.5 seconds');
        },
      ),
    );

    it('gives up when it stays silent in the middle of a response', () =>
      withService(
        (_request, response) => response.writeHead(200).write('a'),
        async (url) => {
          const response = await new Api({ url, key: 'x' }, 500).send('GET', '/exports');
          await expect(textOf(response)).rejects.toThrow('aborted');
        },
      ));

    it.concurrent('waits for output that is written slowly', () =>
      withService(
        (_request, response) => response.end('a'.repeat(20_000_000)),
        async (url) => {
          const response = await new Api({ url, key: 'x' }, 500).send('GET', '/exports');
          await delay(1_600);
          expect(await textOf(response)).toHaveLength(20_000_000);
        },
      ),
    );

    it.concurrent('waits for input that is read slowly', () =>
      withService(
        (request, response) => request.pipe(response),
        async (url) => {
          const input = Readable.from(
            (async function* () {
              yield 'a';
              await delay(1_600);
              yield 'b';
            })(),
          );
          const response = await new Api({ url, key: 'x' }, 500).send('POST', '/scrubs', { body: input });
          expect(await textOf(response)).toBe('ab');
        },
      ),
    );
  });

  it('lists more records than a page has', async () => {
    const emails = Array.from({ length: 150 }, (_, index) => `many${index}@many.example`);
    await suppress(world, world.alice, emails.slice(0, 100));
    await suppress(world, world.alice, emails.slice(100));
    const listed = JSON.parse(await output(['list', '--domain', 'many.example', '-n', '120', '--json']));
    expect(new Set(listed.map(({ email }: { email: string }) => email)).size).toBe(120);
  });

  it('imports a file and waits for its end, or only counts it', async () => {
    await writeFile(join(folder, 'list.csv'), 'email,cause\na@import.example,bounce\nbroken,bounce\n');
    const dry = await output(['import', 'list.csv', '--dry-run', '--watch']);
    expect(dry).toMatch(/^list.csv: completed \(dry run\), 2 rows as csv, import \S+\n {2}added +1\n/);
    expect(await verdictOf('a@import.example')).toBe('send');
    const [done] = JSON.parse(await output(['import', 'list.csv', '--watch', '--json', '--name', 'Move']));
    expect(done).toMatchObject({
      status: 'completed',
      name: 'Move',
      added: 1,
      invalid: 1,
      filename: 'list.csv',
    });
    expect(await verdictOf('a@import.example')).toBe('suppressed');
    expect(dry).toMatch(/ {2}invalid +1\n {2}To see the invalid rows: .* import-errors \S+\n$/);
    expect(await output(['import-errors', done.id])).toMatch(/^line,code,value\r\n3,\w+,broken\r\n$/);
    expect(await run(['import-errors', '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11'])).toMatchObject({ code: 3 });
  });

  it('imports every list of a zip file', async () => {
    await writeFile(join(folder, 'lists.zip'), Buffer.from(ZIP, 'base64'));
    const imports = JSON.parse(await output(['import', 'lists.zip', '--watch', '--json']));
    const byName = (one: { filename: string }, other: { filename: string }) =>
      one.filename.localeCompare(other.filename);
    expect(imports.toSorted(byName)).toMatchObject([
      { filename: 'a.csv', status: 'completed', added: 2 },
      { filename: 'b.txt', status: 'completed', added: 1 },
    ]);
    expect(await verdictOf('zip3@example.com')).toBe('suppressed');
    const bomb = Buffer.from(ZIP, 'base64');
    const name = bomb.lastIndexOf('lists/b.txt');
    bomb.writeUInt16LE(8, name - 36); // deflated
    bomb.writeUInt32LE(2 ** 31, name - 22); // claims to have 2 GiB when unpacked
    await writeFile(join(folder, 'bomb.zip'), bomb);
    expect(await run(['import', 'bomb.zip'])).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('more than 1 GiB. Unpack it')],
    });
    await writeFile(join(folder, 'no.zip'), 'no zip');
    expect(await run(['import', 'no.zip'])).toMatchObject({
      code: 1,
      problems: ['no.zip is not a zip file, or is damaged. Download it again.'],
    });
    const encrypted = Buffer.from(ZIP, 'base64');
    encrypted.writeUInt16LE(1, encrypted.lastIndexOf('lists/a.csv') - 38);
    await writeFile(join(folder, 'encrypted.zip'), encrypted);
    expect(await run(['import', 'encrypted.zip'])).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('lists/a.csv in encrypted.zip is encrypted')],
    });
    const damaged = Buffer.from(ZIP, 'base64');
    damaged.fill(0xff, damaged.indexOf('lists/a.csv') + 40, damaged.indexOf('__MACOSX/') - 30);
    await writeFile(join(folder, 'damaged.zip'), damaged);
    expect(await run(['import', 'damaged.zip'])).toMatchObject({
      code: 1,
      problems: ['lists/a.csv in damaged.zip is damaged. Download the file again.'],
    });
    const changed = Buffer.from(ZIP, 'base64');
    changed.write('zip4', changed.indexOf('zip3'));
    await writeFile(join(folder, 'changed.zip'), changed);
    expect(await run(['import', 'changed.zip', '--watch'])).toMatchObject({
      code: 1,
      stdout: '',
      problems: ['lists/b.txt in changed.zip is damaged. Download the file again.'],
    });
    expect(await verdictOf('zip4@example.com')).toBe('send');
  });

  it('imports the other files when one is refused, and says which, and why rows are skipped', async () => {
    const bounces = 'status,reason,email,created\n4.2.2,full,soft@example.com,1600000000\n';
    await writeFile(join(folder, 'bounces.csv'), bounces);
    await writeFile(join(folder, 'suppression_bounces.csv'), bounces);
    const args = ['import', 'bounces.csv', 'suppression_bounces.csv', '--watch'];
    expect(await run(args)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^suppression_bounces.csv: completed[^]* skipped +1 \(soft_bounce 1\)\n/),
      problems: [expect.stringContaining('bounces.csv: This file can be sendgrid-bounces or')],
    });
    await writeFile(join(folder, 'other.csv'), 'Address\nother@example.com\n');
    const mapped = ['import', 'bounces.csv', 'other.csv', '--mapping', 'email=Address', '--watch'];
    expect(await run(mapped)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^other.csv: completed, 1 row as csv/),
      problems: [expect.stringContaining('bounces.csv: --mapping names Address, but the columns are:')],
    });
  });

  it('does not let the columns of a file control the terminal', async () => {
    await writeFile(join(folder, 'good.csv'), 'Address\nterminal@import.example\n');
    await writeFile(join(folder, 'bad.csv'), 'Mail\u001b[2J,b\n1,2\n');
    const { problems } = await run(['import', 'bad.csv', 'good.csv', '--mapping', 'email=Address']);
    expect(problems.join()).toContain('the columns are: Mail\u{FFFD}[2J, b.');
  });

  it('waits for an earlier import of the same command while the account has too many', async () => {
    const { acme, alice } = await withNewAccounts(world);
    await world.database.query(
      `INSERT INTO jobs (account_id, id, kind, status, checkpoint, lease_id, leased_until)
      SELECT $1, gen_random_uuid(), 'import', status::job_status, '{}', gen_random_uuid(), 'tomorrow'
      FROM (VALUES ('running', 1), ('queued', 18)) AS job (status, count), generate_series(1, count)`,
      [acme.id],
    );
    await writeFile(join(folder, 'first.csv'), 'email\nfirst@import.example\n');
    await writeFile(join(folder, 'second.csv'), 'email\nsecond@import.example\n');
    const read = jest.spyOn(world.app.get(ImportsService), 'get');
    const done = run(['import', 'first.csv', 'second.csv'], '', {
      ...settings(),
      SUPPRESSIONS_API_KEY: alice,
    });
    await until(async () => read.mock.calls.length > 0);
    read.mockRestore();
    await world.database.query(
      `DELETE FROM jobs WHERE account_id = $1 AND status = 'running' AND leased_until = 'tomorrow'`,
      [acme.id],
    );
    expect(await done).toMatchObject({ code: 0, stdout: expect.stringContaining('second.csv: uploaded') });
  });

  it('says why a file is refused, or an import has failed', async () => {
    expect(await run(['import', '-'], 'a,b\n1,2\n')).toMatchObject({
      code: 1,
      problems: [
        'No format has the columns: a, b. Name the format with --format (csv, if the addresses must not be mailed), or the ' +
          'columns with --mapping email=Address,cause=Reason,created_at=Date.',
      ],
    });
    expect(
      await run(['import', '-', '--format', 'csv'], 'email,mail\na1@x.example,a2@x.example\n'),
    ).toMatchObject({
      code: 1,
      problems: [
        'Several of the columns may have the addresses: email, mail. Name the columns with --mapping ' +
          'email=Address,cause=Reason,created_at=Date.',
      ],
    });
    const { code, stdout } = await run(['import', '-', '--watch'], 'email,cause\na@b.example,bounce\n"open');
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('Line 3:') });
    expect(await run(['import', '-', '--watch'], 'email,date\na@b.example,03.04.2021\n')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/failed, 1 row as csv.*The only row is invalid\./s),
    });
    expect(await run(['import', folder])).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('cannot be read: it is a folder')],
    });
    expect(await run(['import', 'missing.csv'])).toMatchObject({
      code: 1,
      problems: [expect.stringMatching(/^missing.csv cannot be read: it does not exist$/)],
    });
  });

  it('imports dates in the format and the time zone of the options', async () => {
    const options = ['--date-format', 'mm/dd/yyyy', '--time-zone', 'America/New_York', '--watch'];
    await run(['import', '-', ...options], 'email,date\nlocal@b.example,4/3/2021 2:05 PM\n');
    const { body } = await world.as(world.alice).get('/suppressions/local@b.example').expect(200);
    expect(body.created_at).toBe('2021-04-03T18:05:00.000Z');
    expect(await run(['import', '-', '--time-zone', 'Berlin'], 'email\na@b.example\n')).toMatchObject({
      problems: [expect.stringMatching(/^--time-zone must be a time zone/)],
    });
  });

  it('closes the connection when a file is refused before it is sent', async () => {
    let upload: IncomingMessage | undefined;
    const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      upload = request;
      response
        .writeHead(422)
        .end(JSON.stringify({ message: 'No. Use ?topic=.', parameter: 'topic', problem: 'No.' }));
      request.on('data', () => {
        request.pause();
        setTimeout(() => request.resume(), 10);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    await writeFile(join(folder, 'large.csv'), 'x'.repeat(20_000_000));
    const access = { ...settings(), SUPPRESSIONS_URL: `http://127.0.0.1:${port}` };
    expect(await run(['import', 'large.csv'], undefined, access)).toMatchObject({
      code: 1,
      problems: ['large.csv: No. Name the topic with --topic.'],
    });
    await until(() => upload!.socket.destroyed);
    expect(upload!.complete).toBe(false);
    server.close();
  });

  it('says how many addresses an export lacks because they were erased', async () => {
    const key = await createKey(world, undefined, 'erased');
    await suppress(world, key, ['ada@export.example', 'grace@export.example']);
    const erasure = { keep_block: true, reference: 'Case 4711' };
    await untilErased(world, async () =>
      world.as(key).post('/contacts/ada@export.example/erase').send(erasure),
    );
    const problemsOf = async (...args: string[]) => {
      const env = { ...settings(), SUPPRESSIONS_API_KEY: key };
      const { code, problems } = await run(['export', ...args], undefined, env);
      expect(code).toBe(0);
      return problems;
    };
    expect(await problemsOf('--format', 'sha256')).toEqual([
      'Erased addresses, which are not in the file: 1',
    ]);
    expect(await problemsOf('--domain', 'export.example')).toEqual([
      'Erased addresses of all domains, which are not in the file: 1',
    ]);
    expect(await problemsOf()).toEqual([]);
  });

  it('exports to standard output and to a file, and scrubs a file', async () => {
    await suppress(world, world.alice, ['gone@export.example']);
    const csv = await output(['export', '--domain', 'export.example']);
    expect(csv).toMatch(/^object,id,email.*\r\nsuppression,[^,]+,gone@export.example,manual/);
    const toFile = ['export', '--format', 'sendgrid', '--domain', 'export.example', '--output'];
    await writeFile(join(folder, 'out.csv.part'), 'left over', { mode: 0o644 });
    await output([...toFile, 'out.csv']);
    expect(await readFile(join(folder, 'out.csv'), 'utf8')).toBe('email\r\ngone@export.example\r\n');
    const modeOf = async (file: string) => (await stat(join(folder, file))).mode & 0o777;
    expect(await modeOf('out.csv')).toBe(0o600);
    await chmod(join(folder, 'out.csv'), 0o660);
    await output([...toFile, 'out.csv']);
    expect(await modeOf('out.csv')).toBe(0o660);
    expect(await output([...toFile, '-'])).toBe('email\r\ngone@export.example\r\n');
    expect(await run(['export', '--output', '/dev/full'])).toMatchObject({
      code: 1,
      problems: ['The output cannot be written: the disk is full'],
    });
    await writeFile(
      join(folder, 'campaign.csv'),
      'email,name\ngone@export.example,G\nnew@export.example,N\n',
    );
    const scrubbed = await run(['scrub', 'campaign.csv']);
    expect(scrubbed).toMatchObject({
      code: 0,
      stdout: 'email,name\nnew@export.example,N\n',
      problems: ['rows: 2, send: 1, suppressed: 1, invalid: 0'],
    });
  });

  it.each(['export', 'list -n 2'])(
    'ends without a message when nobody reads the rest of %s',
    async (args) => {
      await suppress(world, world.alice, ['one@pipe.example', 'two@pipe.example']);
      const command = `(cli ${args} --domain pipe.example); echo $? >&2`;
      const script = `rm -f closed; mkfifo closed; { read _ < closed; ${command}; } | { exec <&-; echo > closed; }`;
      const { problems } = await Child.shell(script, settings(), folder).ended;
      expect(problems).toEqual(['141']);
    },
  );

  it('says that a scrub takes no JSON', async () => {
    await writeFile(join(folder, 'campaign.json'), '[{"email":"new@example.com"}]');
    expect(await run(['scrub', 'campaign.json'])).toMatchObject({
      code: 1,
      problems: [
        expect.stringMatching(
          /^campaign\.json: A scrub accepts a CSV file or one address per line, but not JSON\./,
        ),
      ],
    });
  });

  it('says which file cannot be written, or is empty, and that a URL is wrong', async () => {
    expect(await run(['export', '--output', 'nowhere/x.csv'])).toEqual({
      code: 1,
      stdout: '',
      problems: ['nowhere/x.csv cannot be written: its folder does not exist'],
    });
    expect(await run(['export', '--output', folder])).toEqual({
      code: 1,
      stdout: '',
      problems: [`${folder} cannot be written: it is a folder`],
    });
    expect(await run(['export', '--output', ''])).toMatchObject({
      code: 2,
      stdout: '',
      problems: [expect.stringContaining('Name a file.')],
    });
    for (const command of ['scrub', 'import']) {
      const { code, problems } = await run([command, '/dev/null']);
      expect({ code, problems }).toEqual({
        code: 1,
        problems: [expect.stringMatching(/^null: .*The file is empty\.$/)],
      });
    }
    expect(await run(['login', '--url', 'ftp://x'])).toMatchObject({
      code: 2,
      problems: ['ftp://x is not a URL such as https://suppressions.example.com'],
    });
  });

  it('leaves no file behind if the service cuts the connection', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => `user${index}@example.com,x\n`).join('');
    await writeFile(join(folder, 'broken.csv'), `email,name\n${rows}"broken" here,x\n`);
    expect(await run(['scrub', 'broken.csv', '-o', 'clean.csv'])).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('Line 3002:')],
    });
    await expect(stat(join(folder, 'clean.csv'))).rejects.toThrow('ENOENT');
    await expect(stat(join(folder, 'clean.csv.part'))).rejects.toThrow('ENOENT');
  });

  it('reports that the service cannot be reached, and that a command is unknown', async () => {
    const nowhere = { ...settings(), SUPPRESSIONS_URL: 'http://127.0.0.1:9' };
    expect(await run(['list'], '', nowhere)).toMatchObject({
      code: 1,
      problems: ['The service at http://127.0.0.1:9 cannot be reached: ECONNREFUSED'],
    });
    expect(await run(['frobnicate'])).toMatchObject({
      code: 2,
      problems: ["error: unknown command 'frobnicate' (see --help)"],
    });
  });

  async function expectNotTheService(other: Server): Promise<void> {
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const ended = await run(['list'], '', { ...settings(), SUPPRESSIONS_URL: url });
    other.close();
    expect(ended).toMatchObject({
      code: 1,
      problems: ['The response is not from the suppression list service. Check the URL.'],
    });
  }

  it('says that a server without HTTP responded', async () => {
    await expectNotTheService(createTcpServer((socket) => socket.end('220 mail.example.com ESMTP\r\n')));
  });

  it.each([
    [['lists'], "'lists' (Did you mean list?)"],
    [['why', '--jsno', 'ada@example.com'], "'--jsno' (Did you mean --json?)"],
    [['lookup'], "'lookup'"],
    [['search'], "'search'"],
  ])('suggests only similar names: %j', async (args, problem) => {
    const { problems } = await run(args);
    expect(problems).toEqual([expect.stringMatching(/^error: unknown (command|option) /)]);
    expect(problems[0]).toContain(`${problem} (see --help)`);
  });

  it.each([
    [301, ''],
    [200, '<html>Welcome</html>'],
  ])('says that another server responded, with status %d', async (status, page) => {
    await expectNotTheService(
      createServer((_request, response) => response.writeHead(status, { location: '/' }).end(page)),
    );
  });

  it('shows examples in the help of every command, within 90 columns', async () => {
    const help = await output(['--help']);
    const names = [
      'login',
      'logout',
      'whoami',
      'status',
      'check',
      'add',
      'remove',
      'list',
      'why',
      'import',
      'import-errors',
      'export',
      'scrub',
      'mta',
      'completion',
    ];
    for (const name of names) {
      expect(help).toMatch(new RegExp(`^  ${name} `, 'm'));
      const text = await output([name, '--help']);
      expect(text).toContain(`Examples:\n  `);
      expect(text).toContain(`suppressions ${name}`);
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(90);
    }
  });

  it('still has the commands for operators', async () => {
    const operator = { DATABASE_URL: world.database.url };
    const { code, stdout } = await Child.cli(['account', 'list'], operator, folder).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('acme') });
  });

  it('completes commands and options in bash', async () => {
    const script = await output(['completion', 'bash']);
    const complete = (...words: string[]) =>
      Child.shell(
        `bash -c '${script.replaceAll("'", "'\\''")}
COMP_WORDS=(suppressions ${words.join(' ')}); COMP_CWORD=${words.length}; _suppressions; echo "\${COMPREPLY[@]}"'`,
        {},
        folder,
      ).ended;
    expect((await complete('im')).stdout).toBe('import import-errors\n');
    expect((await complete('import', '--dr')).stdout).toBe('--dry-run\n');
    expect((await output(['completion', 'zsh'])).startsWith('#compdef suppressions\n')).toBe(true);
  });

  it('loads neither Nest nor TypeORM for a command that talks to the service', async () => {
    const files = new Set<string>();
    const packages = new Set<string>();
    const follow = async (file: string): Promise<void> => {
      if (files.has(file)) {
        return;
      }
      files.add(file);
      for (const [, name] of (await readFile(file, 'utf8')).matchAll(/^import (?:.*? from )?'(.+?)';$/gms)) {
        if (name!.startsWith('.')) {
          await follow(join(dirname(file), name!));
        } else if (!name!.startsWith('node:')) {
          packages.add(name!);
        }
      }
    };
    await follow(resolve('dist/src/cli/main.js'));
    expect(files.size).toBeGreaterThan(10);
    expect([...packages]).toEqual(['commander', 'leven']);
  });
});

describe('what the command shows at a terminal', () => {
  it('fits tables into the columns by wrapping the widest values, between words if possible', () => {
    const rows = [{ when: '2026-01-15', note: 'She asked on the phone, twice' }];
    expect(table(rows, Infinity).split('\n')).toHaveLength(2);
    expect(table(rows, 26)).toBe(
      'when        note\n2026-01-15  She asked on\n            the phone,\n            twice',
    );
    const address = `${'a'.repeat(50)}@example.com`;
    expect(table([{ address, verdict: 'send' }], 60)).toBe(
      `${'address'.padEnd(51)}  verdict\n${address.slice(0, 51)}  send\n${address.slice(51)}`,
    );
  });

  it('prints a table of any number of rows', () => {
    const rows = Array.from({ length: 200_000 }, () => ({ address: 'ada@example.com' }));
    expect(table(rows, Infinity).split('\n')).toHaveLength(200_001);
  });

  it('lists the fields of each row when a table would be too wide', () => {
    const row = { id: '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11', at: '2026-01-15T09:30:00.000Z' };
    const fields = `id  ${row.id}\nat  ${row.at}`;
    expect(table([row, row], 50)).toBe(`${fields}\n\n${fields}`);
  });

  it('shows rows, rate and time left', () => {
    expect(progressLine('list.csv', 'rows', { done: 250_000, total: 1_000_000, seconds: 5 })).toBe(
      'list.csv  [####............] 25 %  250,000 rows  50,000/s  15s left',
    );
    expect(progressLine('list.csv', 'rows', { done: 1, total: 601, seconds: 1 })).toMatch(/ 10m left$/);
    expect(progressLine('list.csv', 'rows', { done: 10, total: null, seconds: 1 })).toBe(
      'list.csv  10 rows  10/s',
    );
  });
});
