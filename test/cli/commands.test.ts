import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOperatorCommand } from '../../src/cli/client/run.js';
import { operatorProgram } from '../../src/cli/run.js';
import { Child, SHIPPED_CLI, type Ended } from '../support/child-process.js';
import { skipTime } from '../support/clock.js';
import { runCommand } from '../support/command-line.js';
import { TEST_SECRETS_KEY } from '../support/test-app.js';
import { createTestDatabase } from '../support/test-database.js';
import { createWorld, type World } from '../support/world.js';

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';
const UNKNOWN_COMMAND = /^error: unknown command .* \(see --help\)$/;
const SECRET_LINE = /^sup_[0-9a-f]{48}\n$/;

describe('the command line', () => {
  let world: World;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-cli-'));
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const cli = (line: string): Promise<Ended> =>
    runCommand(line.split(' '), { DATABASE_URL: world.database.url }, folder);
  /** In a process of its own. */
  const spawn = (line: string): Promise<Ended> =>
    Child.cli(line.split(' '), { DATABASE_URL: world.database.url }, folder).ended;
  const output = async (line: string): Promise<string> => {
    const { code, stdout, problems } = await cli(line);
    const isExplained = line.startsWith('key create --account') && !line.includes('--json');
    const notes = isExplained ? [expect.stringMatching(/^This is the API key .* of the account /)] : [];
    expect({ line, code, problems }).toEqual({ line, code: 0, problems: notes });
    return stdout;
  };
  const statusFor = async (key: string): Promise<number> =>
    (await world.as(key).get('/suppressions/nobody%40example.com')).status;
  /** Five seconds later, when no instance still knows the caller without asking the database. */
  const statusLater = (key: string): Promise<number> => {
    skipTime(5_000);
    return statusFor(key);
  };
  const idOf = async (key: string): Promise<string> => {
    const [row] = await world.database.query<{ id: string }>('SELECT id FROM api_keys WHERE prefix = $1', [
      key.slice(0, 12),
    ]);
    return row!.id;
  };

  it('disables the webhooks of a suspended account, which go on otherwise, and of no other', async () => {
    const endpoint = 'https://example.com/webhooks';
    for (const key of [world.alice, world.charlie]) {
      await world.as(key).post('/webhooks').send({ endpoint }).expect(201);
    }
    const enabled = async () =>
      (
        await world.database.query<{ account: string }>(
          `SELECT accounts.name AS account FROM webhooks JOIN accounts ON accounts.id = account_id WHERE status = 'enabled'`,
        )
      ).map(({ account }) => account);
    const [one, other] = (await enabled()) as [string, string];
    await output(`account suspend ${one} --yes`);
    expect(await enabled()).toEqual([one, other]);
    expect(await cli('webhook disable --yes')).toMatchObject({
      code: 2,
      problems: ['Name an account with --account, or all accounts with --all.'],
    });
    expect(await output(`webhook disable --account ${one} --yes`)).toBe('Disabled 1 webhooks.\n');
    expect(await enabled()).toEqual([other]);
    expect(JSON.parse(await output('webhook disable --all --yes --json'))).toEqual({ disabled: 1 });
    await output(`account admit ${one}`);
  });

  it('creates an account, admits it, suspends it and lists it, as a table and as JSON', async () => {
    const created = JSON.parse(await output('account create initech --json'));
    expect(created).toEqual({ name: 'initech', created_at: expect.any(String), beta_admitted_at: null });
    const { stdout, problems } = await cli('key create --account initech');
    expect(problems).toEqual([
      expect.stringMatching(
        /^This is the API key default of the account initech\. .* all but contacts:erase/,
      ),
      expect.stringMatching(/run: .* account admit initech$/),
    ]);
    const key = stdout.trim();
    expect(await statusFor(key)).toBe(403);
    expect(await output('account admit initech')).toMatch(
      /^name +created_at +beta_admitted_at\ninitech +\S+ +\d/,
    );
    expect(await statusLater(key)).toBe(404);
    expect(JSON.parse(await output('account suspend initech --json')).beta_admitted_at).toBeNull();
    expect(await statusLater(key)).toBe(403);
    const [table, json] = await Promise.all([output('account list'), output('account list --json')]);
    expect(table.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'name',
      'acme',
      'globex',
      'initech',
      '',
    ]);
    expect(JSON.parse(json)).toHaveLength(3);
  });

  it('prints the secret of a new key alone, and the service accepts it until it is revoked', async () => {
    const printed = await output('key create --account acme --name mailer --scope suppressions:read');
    expect(printed).toMatch(SECRET_LINE);
    const key = printed.trim();
    expect(await statusFor(key)).toBe(404);
    const write = await world.as(key).post('/suppressions').send({ email: 'ada@example.com' });
    expect(write.body).toMatchObject({ statusCode: 401, name: 'restricted_api_key' });
    const id = await idOf(key);
    expect(await output(`key revoke ${id}`)).toBe(`Revoked ${id}.\n`);
    expect(await statusLater(key)).toBe(403);
    expect((await cli(`key revoke ${id} --json`)).code).toBe(3);
  });

  it('admits an account no earlier than it creates it', async () => {
    const account = JSON.parse(await output('account create umbrella --beta --json'));
    expect(account.beta_admitted_at).toBe(account.created_at);
    const later = JSON.parse(await output('account create hooli --json'));
    const admitted = JSON.parse(await output('account admit hooli --json'));
    expect(admitted.beta_admitted_at >= later.created_at).toBe(true);
    expect(JSON.parse(await output('account admit hooli --json'))).toEqual(admitted);
  });

  it('changes nothing when the output cannot be written', async () => {
    const { id } = JSON.parse(await output('key create --account acme --name kept --json'));
    const settings = { DATABASE_URL: world.database.url, SECRETS_KEY: TEST_SECRETS_KEY };
    const source = JSON.parse(await output('source create --account acme --provider resend --json'));
    const stored = () => world.database.query('SELECT action FROM audit_entries ORDER BY id');
    const before = await stored();
    const commands = [
      'key create --account acme',
      'key create --account acme --json',
      `key rotate ${id}`,
      `key revoke ${id}`,
      'source create --account acme --provider sparkpost',
      `source pause ${source.id}`,
      `source secret ${source.id} signing_secret=whsec_${'A'.repeat(32)}`,
      'console invite ada@example.com --account acme',
      'unsubscribe key --account acme',
      'unsubscribe rotate --account acme',
      'unsubscribe set --account acme --sender-name Acme',
      'account create unseen',
      'account set acme --removal guarded',
      'account suspend acme',
    ];
    const failure = {
      code: 1,
      stdout: '',
      problems: [expect.stringMatching(/^The output cannot be written: ENOSPC/)],
    };
    const spawned = Child.shell(`cli ${commands[0]} > /dev/full`, settings, folder);
    expect(await spawned.ended).toEqual(failure);
    for (const command of commands) {
      const full = createWriteStream('/dev/full').on('error', () => undefined);
      expect(await runCommand(command.split(' '), settings, folder, '', { output: full })).toEqual(failure);
    }
    expect(await stored()).toEqual(before);
    for (const table of ['sign_in_links', 'people', 'unsubscribe_keys', 'unsubscribe_settings']) {
      expect(await world.database.query(`SELECT FROM ${table}`)).toEqual([]);
    }
    expect(await world.database.query('SELECT id FROM sources')).toEqual([{ id: source.id }]);
    expect(await output(`key rotate ${id}`)).toMatch(SECRET_LINE);
  });

  it('creates keys that expire', async () => {
    const [lasting, over] = await Promise.all([
      output('key create --account acme --name lasting --expires 90d --json'),
      output('key create --account acme --name over --expires 1m --json'),
    ]);
    const { id, key } = JSON.parse(lasting);
    await world.database.query('UPDATE api_keys SET expires_at = now() WHERE id = $1', [JSON.parse(over).id]);
    expect(await statusFor(key)).toBe(404);
    expect(await statusFor(JSON.parse(over).key)).toBe(403);
    const list: Record<string, string>[] = JSON.parse(await output('key list --account acme --json'));
    const listed = list.find((one) => one.id === id)!;
    expect(listed).toMatchObject({
      account: 'acme',
      name: 'lasting',
      prefix: key.slice(0, 12),
      revoked_at: null,
    });
    const days = (Date.parse(listed.expires_at!) - Date.parse(listed.created_at!)) / 86_400_000;
    expect(days).toBeCloseTo(90, 2);
    expect(await output('key list')).not.toContain(key);
  });

  it('reads durations in days, hours, and minutes, and prints them as it reads them', async () => {
    const set = 'account set globex --bounce-expiry';
    expect(JSON.parse(await output(`${set} 168h,43200m --json`)).bounce_expiry).toEqual(['7d', '30d']);
    expect(await output('account set globex')).toMatch(/ 7d,30d +default +alert\n$/);
    expect(await output(`${set} off`)).toMatch(/ off +default +alert\n$/);
    const { id } = JSON.parse(await output('key create --account acme --expires 2999-01-15T09:30Z --json'));
    const stored = await world.database.query('SELECT expires_at FROM api_keys WHERE id = $1', [id]);
    expect(stored).toEqual([{ expires_at: new Date('2999-01-15T09:30:00Z') }]);
  });

  it('rotates a key: the new one has the same scopes, and the old one keeps working during the overlap', async () => {
    const old = (await output('key create --account acme --name rotated --scope suppressions:read')).trim();
    expect(await output('key list --account acme')).toMatch(/ rotated +sup_\S+ +suppressions:read  /);
    const next = JSON.parse(await output(`key rotate ${await idOf(old)} --json`));
    expect([await statusFor(old), await statusFor(next.key)]).toEqual([404, 404]);
    const last = await output(`key rotate ${next.id} --overlap 0m`);
    expect(last).toMatch(SECRET_LINE);
    expect(await statusLater(next.key)).toBe(403);
    expect(await statusFor(last.trim())).toBe(404);
    const [row] = await world.database.query(
      'SELECT name, scopes, expires_at FROM api_keys WHERE prefix = $1',
      [last.slice(0, 12)],
    );
    expect(row).toEqual({ name: 'rotated', scopes: ['suppressions:read'], expires_at: null });
  });

  it('rotates a key only once, so that its overlap does not become the lifetime of a successor', async () => {
    const first = JSON.parse(await output('key create --account acme --name once --expires 90d --json'));
    const both = await Promise.all([
      spawn(`key rotate ${first.id}`),
      spawn(`key rotate ${first.id} --overlap 0m`),
    ]);
    const [done, refused] = both.toSorted((a, b) => a.code! - b.code!);
    expect(done).toMatchObject({ code: 0, problems: [] });
    const successorId = await idOf(done!.stdout);
    const again = await cli(`key rotate ${first.id}`);
    for (const ended of [refused, again]) {
      expect(ended).toEqual({
        code: 4,
        stdout: '',
        problems: [`The API key ${first.id} was already rotated. Its successor is ${successorId}.`],
      });
    }
    const list: Record<string, string>[] = JSON.parse(await output('key list --account acme --json'));
    const [old, next, ...more] = list.filter(({ name }) => name === 'once');
    expect(more).toEqual([]);
    expect([old!.successor_id, next!.successor_id]).toEqual([successorId, null]);
    const days = (Date.parse(next!.expires_at!) - Date.parse(next!.created_at!)) / 86_400_000;
    expect(days).toBeCloseTo(90, 2);
  });

  it('reports a failure by an exit code and one line', async () => {
    const refusals: [string, number, RegExp][] = [
      ['account create acme', 4, /^An account named acme already exists\.$/],
      ['account create Acme', 2, /^The name of an account must have 1 to 63 lower-case letters/],
      ['account admit nobody', 3, /^No account is named nobody\./],
      ['key create --account nobody', 3, /^No account is named nobody\./],
      [`key rotate ${UNKNOWN_ID}`, 3, /^No active API key has the id 0{8}-.*\./],
      ['key list --account ', 2, /^The name of an account must have 1 to 63 lower-case letters/],
      [
        'key create --account acme --name ',
        2,
        /^The name of an API key must have 1 to 100 characters, not only spaces, without control/,
      ],
      ['key create --account acme --name a\u001bc', 2, /^The name of an API key must have/],
      ['key create --account acme --name a\nb', 2, /^The name of an API key must have/],
      ['key create --account acme --name a\u2028b', 2, /^The name of an API key must have/],
      ['key create --account acme --name a\u200bb', 2, /^The name of an API key must have/],
      ['key create --account acme --name a\u202eb', 2, /^The name of an API key must have/],
      ['account create a\u0007', 2, /^The name of an account must have/],
      ['source list --account a\u0007', 2, /^The name of an account must have/],
      [
        'source create --account acme --provider ses --name a\u009bb',
        2,
        /^The name of a source must have 1 to 100/,
      ],
      [
        `key create --account acme --name ${'x'.repeat(101)}`,
        2,
        /^The name of an API key must have 1 to 100/,
      ],
      ['accounts', 2, UNKNOWN_COMMAND],
      ['key create --account acme --expires soon', 2, /^error: .* 90d, 12h, 30m, 2027-01-15\. \(see --help/],
      ['key create --account acme --expires 0d', 2, /^error: .*at least a minute/],
      ['key create --account acme --expires -1d', 2, /^error: .* 90d, 12h, 30m, 2027-01-15\. \(see --help/],
      ['key create --account acme --expires 2020-01-01', 2, /^error: .*a time in the future/],
      ['account set acme --bounce-expiry 12h', 2, /^error: .* 7d, 168h\. \(see --help/],
      ['account set acme --bounce-expiry 30d,7d', 2, /^error: .* such as 7d,30d,180d, or off\./],
      ['key rotate x --overlap -1h', 2, /^error: .* 90d, 12h, 30m\. \(see --help/],
    ];
    const keys = () => world.database.query('SELECT id FROM api_keys ORDER BY id');
    const before = await keys();
    const ended = await Promise.all(refusals.map(([line]) => cli(line)));
    expect(await keys()).toEqual(before);
    expect(ended).toEqual(
      refusals.map(([, code, problem]) => ({ code, stdout: '', problems: [expect.stringMatching(problem)] })),
    );
  });

  it('stores a scope that is given twice only once, and accepts the longest name', async () => {
    const scope = '--scope suppressions:read';
    const name = '\u{1F4EE}'.repeat(100);
    const key = (await output(`key create --account acme --name ${name} ${scope} ${scope}`)).trim();
    const rows = await world.database.query('SELECT scopes, name FROM api_keys WHERE prefix = $1', [
      key.slice(0, 12),
    ]);
    expect(rows).toEqual([{ scopes: ['suppressions:read'], name }]);
  });

  it('takes scopes after spaces, after commas, and in repetitions of the option', async () => {
    const options = '--scope topics:read,rules:read, events:read --scope changes:read';
    const key = (await output(`key create --account acme ${options}`)).trim();
    const rows = await world.database.query('SELECT scopes FROM api_keys WHERE prefix = $1', [
      key.slice(0, 12),
    ]);
    expect(rows).toEqual([{ scopes: ['topics:read', 'rules:read', 'events:read', 'changes:read'] }]);
  });

  it('says in one line that the database is not migrated', async () => {
    const empty = await createTestDatabase({ migrated: false });
    try {
      for (const line of ['account list', 'key create --account acme', `key revoke ${UNKNOWN_ID}`]) {
        expect(await runCommand(line.split(' '), { DATABASE_URL: empty.url }, folder)).toEqual({
          code: 1,
          stdout: '',
          problems: ['The database is not migrated. Run: npm run migrate'],
        });
      }
    } finally {
      await empty.drop();
    }
  });

  it('says in one line that the database is too slow', async () => {
    const lock = await world.database.lock('accounts');
    const listed = cli('account list');
    await world.database.cancelWaiting();
    expect(await listed).toEqual({
      code: 1,
      stdout: '',
      problems: [
        expect.stringMatching(
          /^The database failed or was too slow: canceling statement due to .+\. Try again\.$/,
        ),
      ],
    });
    await lock.release();
  });

  it('prints the SQL of pending migrations with migrate --plan, and runs nothing', async () => {
    const empty = await createTestDatabase({ migrated: false });
    try {
      const settings = { DATABASE_URL: empty.url };
      const { code, stdout } = await runCommand(['migrate', '--plan'], settings, folder);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^-- CreateAccounts\d+\nCREATE TYPE [^]+;\nCREATE TABLE accounts \([^]+;\n\n-- Create/,
      );
      expect(await empty.query("SELECT FROM pg_class WHERE relname IN ('accounts', 'migrations')")).toEqual(
        [],
      );
    } finally {
      await empty.drop();
    }
  });

  it('prints results on standard output and errors on standard error, and ends with the exit code', async () => {
    const [list, refused, wrong] = await Promise.all(
      ['account list --json', 'account create acme', 'accounts'].map(spawn),
    );
    expect(list).toEqual({ code: 0, stdout: expect.stringMatching(/^\[.*\]\n$/), problems: [] });
    expect(refused).toEqual({ code: 4, stdout: '', problems: ['An account named acme already exists.'] });
    expect(wrong).toEqual({ code: 2, stdout: '', problems: [expect.stringMatching(UNKNOWN_COMMAND)] });
    const settings = { DATABASE_URL: world.database.url };
    const shipped = Child.node([SHIPPED_CLI, 'account', 'list', '--json'], settings, folder);
    expect(await shipped.ended).toEqual(list);
  });

  it('is the program that runs every command for operators', () => {
    const names = operatorProgram('0.0.0-test').commands.map((one) => one.name());
    expect(names).toContain('unsubscribe');
    expect(names.filter((name) => !isOperatorCommand(name))).toEqual([]);
  });

  it('has help for every command', async () => {
    const lines = ['--help', 'key rotate --help', 'key create --help'];
    const helps = await Promise.all(lines.map(output));
    expect(helps.map((help) => help.split('\n')[0])).toEqual([
      'Usage: suppressions [options] [command]',
      'Usage: suppressions key rotate [options] <id>',
      'Usage: suppressions key create --account <name> [options]',
    ]);
    expect(helps[1]).toMatch(/--overlap <duration> .*\(default: 24h\)/);
  });

  it('has the version of the package', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(await spawn('--version')).toEqual({ code: 0, stdout: `${version}\n`, problems: [] });
  });
});
