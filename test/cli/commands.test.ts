import { randomBytes } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { poll, retriesAfterFirst } from '../../src/cli/client/reads.js';
import { isOperatorCommand } from '../../src/cli/client/run.js';
import { commandLine } from '../../src/cli/options.js';
import { operatorProgram } from '../../src/cli/run.js';
import { readInvocation } from '../../src/config/client-env.js';
import { SourceChangesService } from '../../src/inbound/sources/source-changes.service.js';
import { SourceSecrets } from '../../src/inbound/sources/source-secrets.js';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { Child, type Ended, SHIPPED_CLI } from '../support/child-process.js';
import { skipTime } from '../support/clock.js';
import { runCommand } from '../support/command-line.js';
import { basic, OWN_UUID } from '../support/deliveries.js';
import { untilErased } from '../support/erasures.js';
import { OPERATOR } from '../support/operator.js';
import { deliveryStatus, mail } from '../support/raw-mail.js';
import {
  createSource,
  post,
  postMail,
  postResend,
  postWithCredential,
  readInbox,
  readLedger,
  sparkpostBatch,
  type TestSource,
} from '../support/sources.js';
import { startTestApp, TEST_SECRETS_KEY } from '../support/test-app.js';
import { createTestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
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
      problems: ['The output cannot be written: the disk is full'],
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

describe('the command source', () => {
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

  const cli = (line: string, input?: string, stdout?: Writable): Promise<Ended> => {
    const settings = {
      DATABASE_URL: world.database.url,
      SECRETS_KEY: TEST_SECRETS_KEY,
      BASE_URL: 'https://internal.example.com',
      PUBLIC_URL: 'https://list.example.com/',
    };
    return runCommand(['source', ...line.split(' ')], settings, folder, input, stdout && { output: stdout });
  };
  const output = async (line: string, input?: string): Promise<string> => {
    const { code, stdout, problems } = await cli(line, input);
    expect({ line, code, problems }).toEqual({ line, code: 0, problems: [] });
    return stdout;
  };
  const pathOf = (url: string) => ({ path: new URL(url).pathname });

  it('creates a source whose URL works with the credentials that are printed once', async () => {
    const printed = await output('create --account acme --provider sparkpost --name bulk');
    const [, url] = /^URL:\n(https:\/\/list\.example\.com\/inbound\/[\w-]{32})$/m.exec(printed)!;
    const [, username] = /^username +(\S+)$/m.exec(printed)!;
    const [, password] = /^password +(\S{32})$/m.exec(printed)!;
    expect(printed).toMatch(/never shown again/);
    expect(printed).toMatch(/^1\. In SparkPost/m);
    const batch = sparkpostBatch([{ type: 'bounce', bounce_class: '10', raw_rcpt_to: 'cli@example.com' }]);
    const headers = basic(username!, password!) as Record<string, string>;
    expect((await post(world, pathOf(url!), batch, headers)).status).toBe(200);
    expect(await readLedger(world, 'cli@example.com')).toEqual(['added bounce by bulk']);
    const stored = await world.database.query('SELECT secrets::text FROM sources');
    expect(JSON.stringify(stored)).not.toContain(password);
  });

  it('reads a secret of the provider from standard input, and refuses every delivery until then', async () => {
    const json = await output('create --account acme --provider resend --json');
    const { id, url, secrets, setup } = JSON.parse(json);
    expect(secrets).toEqual({});
    expect(setup.at(-1)).toMatch(
      new RegExp(
        `^Enter this secret .*: the signing secret on .*\\nnode .* source secret ${id} signing_secret=-$`,
      ),
    );
    const signing_secret = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
    const source = { ...pathOf(url), secrets: { signing_secret } } as unknown as TestSource;
    const opened = { type: 'email.opened', data: {} };
    expect((await postResend(world, source, opened)).status).toBe(401);
    expect(await output(`secret ${id} signing_secret=-`, `${signing_secret}\n`)).toContain(id);
    expect((await postResend(world, source, opened)).status).toBe(200);
  });

  it('creates no source, and prints none, if its topics cannot be mapped or it cannot be printed', async () => {
    await world
      .as(world.alice)
      .post('/topics')
      .send({ name: 'News', default_subscription: 'opt_in' })
      .expect(201);
    await world.database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'refused'; END
      $$;
      CREATE TRIGGER refuse BEFORE INSERT ON source_topics FOR EACH ROW
      WHEN (NEW.unit_name = 'refused') EXECUTE FUNCTION refuse()`);
    const sources = () => world.database.query('SELECT id FROM sources ORDER BY id');
    const before = await sources();
    const create = 'create --account acme --provider sparkpost --topic news=list:10';
    expect(await cli(`${create} --topic news=list:refused`)).toMatchObject({ code: 1, stdout: '' });
    const full = createWriteStream('/dev/full').on('error', () => undefined);
    expect(await cli(create, '', full)).toMatchObject({
      code: 1,
      problems: ['The output cannot be written: the disk is full'],
    });
    expect(await sources()).toEqual(before);
    const { id } = JSON.parse(await output(`${create} --json`));
    expect(await sources()).toEqual([...before, { id }]);
    expect(await output(`show ${id}`)).toMatch(/news/);
  });

  it('shows what a source received and what went wrong', async () => {
    const softLimit = { failures: 5, days: 14 };
    const source = await createSource(world, 'postmark', { account: 'globex', options: { softLimit } });
    const record = { RecordType: 'SpamComplaint', ID: 1, Email: 'ada@example.com' };
    await postWithCredential(world, source, record);
    await post(world, source, record, basic('a', 'b') as Record<string, string>);
    const [json, text, list] = await Promise.all([
      output(`show ${source.id} --json`),
      output(`show ${source.id}`),
      output('list --account globex --json'),
    ]);
    expect(JSON.parse(json)).toMatchObject({
      id: source.id,
      url: `https://list.example.com${source.path}`,
      provider: 'postmark',
      paused_at: null,
      last_event_at: expect.any(String),
      bad_signatures: 1,
      last_error: 'The delivery cannot be verified: its credential is wrong.',
      options: { softLimit },
      counts: [{ kind: 'complaint', outcome: 'added', events: 1, last_received_at: expect.any(String) }],
    });
    expect(text).toMatch(/^bad_signatures +1$[^]+^complaint +added +1 /m);
    expect(JSON.parse(list)).toMatchObject([{ account: 'globex', id: source.id }]);
  });

  it('shows the addresses that a person removed and the provider still has on its list', async () => {
    const source = await createSource(world, 'brevo');
    const email = 'stubborn@example.com';
    const report = async (event: string) => {
      const fields = { email, 'message-id': '<1@x>', ts_epoch: Date.now(), reason: event };
      expect((await postWithCredential(world, source, { event, ...fields })).status).toBe(200);
    };
    await report('invalid_email');
    await world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
    expect(JSON.parse(await output(`show ${source.id} --json`)).still_listed).toEqual([]);
    await report('blocked');
    const reason = expect.stringMatching(/^Still on Brevo's blocklist: remove it there \(Contacts > /);
    expect(JSON.parse(await output(`show ${source.id} --json`)).still_listed).toEqual([
      { email, last_received_at: expect.any(String), reason },
    ]);
    expect(await output(`show ${source.id}`)).toMatch(
      /^Removed here, but not at the provider:\nemail +last_received_at/m,
    );
    await report('delivered');
    expect(JSON.parse(await output(`show ${source.id} --json`)).still_listed).toEqual([]);
  });

  it('may have joiners in its name, and a soft limit as long as the inbox keeps events', async () => {
    await output(
      'create --account acme --provider brevo --name \u{1F469}\u200D\u{1F4BB} --soft-limit 5/2160h',
    );
    expect(await output('list --account acme')).toContain('\u{1F469}\u200D\u{1F4BB}');
  });

  it('pauses a source, resumes it and deletes it', async () => {
    const { id } = await createSource(world, 'brevo');
    expect(JSON.parse(await output(`pause ${id} --json`)).paused_at).toEqual(expect.any(String));
    expect(JSON.parse(await output(`resume ${id} --json`)).paused_at).toBeNull();
    expect(await output(`delete ${id}`)).toBe(`Deleted ${id}.\n`);
    expect((await cli(`show ${id}`)).code).toBe(3);
  });

  it('stops between two steps of a deletion when it gets a signal', async () => {
    const { id } = await createSource(world, 'brevo');
    const lock = await world.database.lock('delivery_events');
    const child = Child.cli(['source', 'delete', id], { DATABASE_URL: world.database.url }, folder);
    // Background tasks wait for the lock, too.
    const waiting = `
      SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'source_id = .2 LIMIT 10000'`;
    await until(async () => (await world.database.query(waiting)).length > 0);
    child.kill('SIGINT');
    await until(() => child.stderr.includes('The source may be paused'));
    await lock.release();
    expect(await child.ended).toEqual({
      code: 130,
      stdout: '',
      problems: [expect.stringMatching(/^The source may be paused, .* or run "source resume /)],
    });
    expect(await output(`delete ${id}`)).toBe(`Deleted ${id}.\n`);
  });

  it('reports a failure by an exit code and one line', async () => {
    const refusals: [string, number, RegExp][] = [
      ['create --account acme --provider pigeon', 2, /^error: .*Allowed choices are resend, /],
      ['create --account acme --provider brevo --soft-limit 5', 2, /5\/14d/],
      ['create --account acme --provider brevo --soft-limit 5/12h', 2, / 7d, 168h\./],
      ['create --account acme --provider brevo --soft-limit 5/91d', 2, /^The inbox keeps events for 90 days/],
      ['create --account acme --provider ses', 2, /^Name the topics/],
    ];
    const ended = await Promise.all(refusals.map(([line]) => cli(line)));
    expect(ended).toEqual(
      refusals.map(([, code, problem]) => ({ code, stdout: '', problems: [expect.stringMatching(problem)] })),
    );
  });
});

const NEW_KEY = randomBytes(32).toString('base64');

describe('a change of SECRETS_KEY', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const rotate = (settings: Record<string, string>) =>
    runCommand(['secrets', 'rotate'], { DATABASE_URL: world.database.url, ...settings }, tmpdir());
  const secretsWith = async (id: string, settings: Record<string, string>) => {
    const { app, close } = await startTestApp(world.database.url, settings);
    const sources = app.get(SourcesService);
    const { secrets } = app.get(SourceSecrets).settingsOf(await sources.get(id));
    await close();
    return secrets;
  };

  it('leaves the sources readable before, during and after the re-encryption of their secrets', async () => {
    const first = await createSource(world, 'mailgun');
    const second = await createSource(world, 'postmark');
    const erasure = { keep_block: true, reference: 'Case 1' };
    await world.as(world.alice).post('/suppressions').send({ email: 'ada@example.com' }).expect(201);
    await untilErased(world, async () =>
      world.as(world.alice).post('/contacts/ada@example.com/erase').send(erasure),
    );
    const both = { SECRETS_KEY: NEW_KEY, SECRETS_KEY_PREVIOUS: TEST_SECRETS_KEY };
    expect(await secretsWith(first.id, both)).toEqual(first.secrets);

    const done = expect.stringMatching(/^Encrypted the secrets of 2 sources, .* and 1 erasure keys\./);
    expect(await rotate(both)).toEqual({ code: 0, stdout: done, problems: [] });
    expect(await secretsWith(first.id, { SECRETS_KEY: NEW_KEY })).toEqual(first.secrets);
    expect(await secretsWith(second.id, { SECRETS_KEY: NEW_KEY })).toEqual(second.secrets);

    const nothing = 'All secrets are already encrypted with SECRETS_KEY.\n';
    expect(await rotate({ SECRETS_KEY: NEW_KEY })).toEqual({ code: 0, stdout: nothing, problems: [] });
  });

  it('is refused, and changes nothing, if neither key is the old one', async () => {
    const before = await world.database.query('SELECT id, secrets FROM sources ORDER BY id');
    const { code, problems } = await rotate({ SECRETS_KEY: 'ff'.repeat(32) });
    expect([code, problems[0]]).toEqual([1, expect.stringContaining('SECRETS_KEY')]);
    expect(await world.database.query('SELECT id, secrets FROM sources ORDER BY id')).toEqual(before);
  });
});

const NO_REPORT = 'The message is neither a bounce nor a feedback report. Nothing was changed.';

const gone = (email: string, To = 'bounce@example.com') =>
  deliveryStatus([`Final-Recipient: rfc822; ${email}`, 'Action: failed', 'Status: 5.1.1'], [], { To });

describe('raw mail on the command line', () => {
  let world: World;
  let source: TestSource;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'mail-ingest-'));
    await writeFile(join(folder, 'hello.eml'), mail({ From: 'ada@example.com', Subject: 'Hello' }, 'Hello'));
  });
  beforeEach(async () => (source = await createSource(world, 'mail', { name: 'mx' })));
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const settings = () => ({ DATABASE_URL: world.database.url, SECRETS_KEY: TEST_SECRETS_KEY });
  const cli = (args: string[], input?: string): Promise<Ended> => runCommand(args, settings(), folder, input);
  const ingest = (files: string[], input?: string): Promise<Ended> =>
    cli(['mail', 'ingest', '--source', source.id, ...files], input);
  const lines = ({ stdout }: Ended) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const verp = async (...more: string[]) => {
    const { stdout, problems } = await cli([
      'source',
      'verp',
      source.id,
      OWN_UUID,
      '--domain',
      'b.example',
      ...more,
    ]);
    expect(problems).toEqual([]);
    return stdout.trim();
  };

  it('applies what messages report, once, and prints the outcome', async () => {
    const bounce = gone('ada@example.com', await verp());
    await writeFile(join(folder, 'bounce.eml'), bounce);
    const ended = await ingest(['bounce.eml', 'hello.eml']);
    const event = {
      recipient: 'ada@example.com',
      kind: 'bounce',
      effect: 'suppress',
      outcome: 'added',
      repeated: false,
      suppression_id: expect.any(String),
      source_id: OWN_UUID,
      status: '5.1.1',
      diagnostic: null,
      reason: 'The mailbox does not exist.',
    };
    expect([ended.code, ended.problems, lines(ended)]).toEqual([
      0,
      [],
      [
        { file: 'bounce.eml', events: [event] },
        { file: 'hello.eml', events: [], note: NO_REPORT },
      ],
    ]);
    expect(await readLedger(world, 'ada@example.com')).toEqual(['added bounce by mx']);
    const again = await ingest(['-'], bounce.toString());
    expect(lines(again)).toMatchObject([{ file: '-', events: [{ outcome: 'added', repeated: true }] }]);
    expect(await readInbox(world, source)).toHaveLength(1);
  });

  it('is handled as over HTTP: a message that was received there has no effect here', async () => {
    const To = await verp('--recipient', 'Http@example.com');
    const message = gone('http@example.com', To);
    expect((await postMail(world, source, message)).status).toBe(200);
    const [{ events }] = lines(await ingest(['-'], message.toString()));
    expect(events).toMatchObject([{ outcome: 'added', repeated: true }]);
  });

  it('stores what is unproven, and "source show" counts it', async () => {
    const [{ events }] = lines(await ingest(['-'], gone('forged@example.com').toString()));
    expect(events).toMatchObject([
      { effect: 'none', outcome: 'nothing', reason: expect.stringMatching(/^Unproven/) },
    ]);
    expect(JSON.parse((await cli(['source', 'show', source.id, '--json'])).stdout)).toMatchObject({
      unproven: 1,
      counts: [{ kind: 'bounce', outcome: 'nothing', events: 1 }],
    });
  });

  it('names the file that it cannot read, and ingests the others', async () => {
    await writeFile(join(folder, 'large.eml'), '');
    await truncate(join(folder, 'large.eml'), 25 * 1024 * 1024 + 1);
    await writeFile(join(folder, 'empty.eml'), '');
    const files = ['none.eml', 'large.eml', 'empty.eml', '.', 'hello.eml'];
    const args = ['mail', 'ingest', '--source', source.id, ...files];
    const ended = await Child.cli(args, settings(), folder).ended;
    expect(lines(ended)).toEqual([{ file: 'hello.eml', events: [], note: NO_REPORT }]);
    expect(ended.problems).toEqual([
      'Cannot read none.eml: it does not exist',
      'Cannot read large.eml: The message is larger than 25 MiB.',
      'Cannot read empty.eml: it is empty',
      'Cannot read .: it is a folder',
    ]);
    expect(ended.code).toBe(1);
  });

  it('reports a failure by an exit code and one line', async () => {
    const postmark = await createSource(world, 'postmark');
    await world.app.get(SourceChangesService).pause({ actor: OPERATOR, deadline: Infinity }, source.id);
    const create = ['source', 'create', '--account', 'acme', '--provider'];
    const verpOf = (id: string, uuid: string) => ['source', 'verp', id, uuid, '--domain', 'b.example'];
    const refusals: [string[], number, RegExp][] = [
      [['mail', 'ingest', 'hello.eml'], 2, /--source/],
      [['mail', 'ingest', '--source', source.id], 2, /file/],
      [['mail', 'ingest', '--source', source.id, 'hello.eml'], 1, /is paused/],
      [['mail', 'ingest', '--source', postmark.id, 'hello.eml'], 2, /takes no mail/],
      [['mail', 'ingest', '--source', OWN_UUID, 'hello.eml'], 3, /There is no source/],
      [verpOf(source.id, 'x'), 2, /Use a UUID/],
      [verpOf(postmark.id, OWN_UUID), 2, /Only sources of the provider "mail" sign return paths/],
      [[...create, 'mail', '--message-id-domain', 'com'], 2, /the domain of Message-IDs/],
      [[...create, 'mail', '--unproven', 'perhaps'], 2, /allow or refuse/],
      [[...create, 'postmark', '--unproven', 'allow'], 2, /does not take --unproven/],
    ];
    const ended = await Promise.all(refusals.map(([args]) => cli(args)));
    expect(ended).toEqual(
      refusals.map(([, code, problem]) => ({ code, stdout: '', problems: [expect.stringMatching(problem)] })),
    );
  });

  it('creates a source that believes what its options allow', async () => {
    const args = '--account acme --provider mail --message-id-domain a.example --unproven allow --json';
    const { stdout } = await cli(['source', 'create', ...args.split(' ')]);
    const { id, secrets } = JSON.parse(stdout);
    expect(Object.keys(secrets)).toEqual(['username', 'password', 'return_path_key']);
    expect(await world.app.get(SourcesService).get(id)).toMatchObject({
      options: { messageIdDomains: ['a.example'], unproven: 'allow' },
    });
  });
});

describe('a command that is printed', () => {
  it('begins as the user began the present one', () => {
    const linked = '/usr/local/bin/suppressions';
    expect(readInvocation({}, linked)).toBe('suppressions');
    expect(readInvocation({}, `${process.cwd()}/dist/src/cli/main.js`)).toBe('node dist/src/cli/main.js');
    expect(readInvocation({ npm_lifecycle_event: 'cli' }, linked)).toBe('npm run cli --');
    expect(readInvocation({ npm_lifecycle_event: 'npx' }, linked)).toBe('npx suppressions');
  });

  it('is quoted for the shell', () => {
    expect(commandLine('source', 'secret', 'name=-', 'a b', "it's", '')).toMatch(
      / source secret name=- 'a b' 'it'\\''s' ''$/,
    );
  });
});

it('a command that waits asks again at its own pace, also for requests that it may repeat', async () => {
  const send = retriesAfterFirst('The erasure');
  let attempts = 0;
  const result = await poll(() => {
    attempts += 1;
    return send(async () => (attempts < 4 ? undefined : 'erased'));
  }, 1);
  expect({ result, attempts }).toEqual({ result: 'erased', attempts: 4 });
});

const STATIC_IMPORT = /^(?:import|export) (?!type )(?:[^;'"]*? from )?'([^']+)';$/gm;

/** The packages that a module loads before its own code runs. */
function packagesOf(file: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  const text = readFileSync(file, 'utf8');
  for (const [, name] of text.matchAll(STATIC_IMPORT)) {
    if (!name!.startsWith('.')) {
      packages.add(name!);
      continue;
    }
    const imported = join(file, '..', name!.replace(/\.js$/, '.ts'));
    if (!seen.has(imported)) {
      seen.add(imported);
      packagesOf(imported, seen).forEach((one) => packages.add(one));
    }
  }
  return packages;
}

describe('the command line', () => {
  it('starts without the framework, the database and other large packages', () => {
    const packages = [...packagesOf('src/cli/main.ts')].filter((name) => !name.startsWith('node:'));
    expect(packages).toEqual(['commander', 'leven']);
  });
});
