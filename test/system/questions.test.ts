import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceSecrets } from '../../src/inbound/sources/source-secrets.js';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { Child, OPEN } from '../support/child-process.js';
import { createSource, type TestSource } from '../support/sources.js';
import { TEST_SECRETS_KEY } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

const SECRET = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
const PROMPT = /signing_secret \(input is hidden\): /;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

describe('questions of commands at a terminal', () => {
  let world: World;
  let folder: string;
  let source: TestSource;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-cli-'));
    source = await createSource(world, 'resend');
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const settings = () => ({ DATABASE_URL: world.database.url, SECRETS_KEY: TEST_SECRETS_KEY });
  const command = () => ['source', 'secret', source.id, 'signing_secret=-'];
  const stored = async () => {
    const sources = world.app.get(SourcesService);
    return world.app.get(SourceSecrets).settingsOf(await sources.get(source.id)).secrets.signing_secret;
  };

  it('asks at a terminal, hides what is typed, and stores it', async () => {
    const child = Child.terminal(command(), settings(), folder);
    await child.says(PROMPT);
    child.type(`${SECRET}\r`);
    const { code, stdout } = await child.ended;
    expect(code).toBe(0);
    expect(stdout).toContain('Database: ');
    expect(stdout).not.toContain(SECRET);
    expect(await stored()).toBe(SECRET);
  });

  it.each([
    ['Ctrl-C', CTRL_C, 130],
    ['Ctrl-D', CTRL_D, 2],
    ['an empty line', '\r', 2],
  ])('stores nothing and fails at %s', async (_name, typed, exitCode) => {
    const before = await stored();
    const child = Child.terminal(command(), settings(), folder);
    await child.says(PROMPT);
    child.type(typed);
    expect((await child.ended).code).toBe(exitCode);
    expect(await stored()).toBe(before);
  });

  const exists = async () => {
    const rows = await world.database.query('SELECT FROM sources WHERE id = $1', [source.id]);
    return rows.length > 0;
  };

  it.each([
    ['Ctrl-C', CTRL_C, 130],
    ['Ctrl-D', CTRL_D, 2],
    ['an empty line', '\r', 2],
    ['n', 'n\r', 2],
  ])('deletes nothing and ends without a stack at %s', async (_name, typed, exitCode) => {
    const child = Child.terminal(['source', 'delete', source.id], settings(), folder);
    await child.says(/Delete the source "resend" of resend, .*\[y\/N\] /);
    child.type(typed);
    const { code, stdout } = await child.ended;
    expect(code).toBe(exitCode);
    expect(stdout).not.toMatch(/ at .*:\d+:\d+/);
    expect(await exists()).toBe(true);
  });

  it.each([
    ['account suspend acme', /Suspend the account acme, .*\[y\/N\] /],
    ['key revoke', /Revoke the key "alice" .*\[y\/N\] /],
    ['webhook disable --all', /Disable the webhooks of all accounts, .*\[y\/N\] /],
    ['unsubscribe revoke 1 --account acme', /Revoke the key 1, .*\[y\/N\] /],
  ])('asks before %s', async (line, question) => {
    const [key] = await world.database.query<{ id: string }>(`SELECT id FROM api_keys WHERE name = 'alice'`);
    const args = line === 'key revoke' ? [line, key!.id] : [line];
    const child = Child.terminal(args, settings(), folder);
    await child.says(question);
    child.type(CTRL_C);
    expect((await child.ended).code).toBe(130);
  });

  it('deletes when the answer is yes, and does not ask with --yes', async () => {
    const other = await createSource(world, 'brevo');
    const child = Child.terminal(['source', 'delete', source.id], settings(), folder);
    await child.says(/\[y\/N\] /);
    child.type('yes\r');
    expect(await child.ended).toMatchObject({ code: 0 });
    expect(await exists()).toBe(false);
    const asked = Child.terminal(['source', 'delete', other.id, '--yes'], settings(), folder);
    expect(await asked.ended).toMatchObject({ code: 0, stdout: expect.not.stringContaining('[y/N]') });
  });

  it('stops at SIGTERM while it waits for its input', async () => {
    const url = new URL(world.database.url);
    url.searchParams.set('application_name', 'question');
    const child = Child.cli(command(), { ...settings(), DATABASE_URL: url.href }, folder, OPEN);
    await until(async () => {
      const rows = await world.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'question'`,
      );
      return rows.length > 0;
    });
    child.kill('SIGTERM');
    expect(await child.ended).toEqual({ code: 143, stdout: '', problems: [] });
  });
});
