import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../support/command-line.js';
import { browserAt } from '../support/console.js';
import { createWorld, type World } from '../support/world.js';

describe('console invite', () => {
  let world: World;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-console-'));
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const cli = (line: string) =>
    runCommand(
      line.split(' '),
      { DATABASE_URL: world.database.url, BASE_URL: 'http://127.0.0.1:3000' },
      folder,
    );

  it('prints a link that opens the console', async () => {
    const { code, stdout } = await cli('console invite Ada@Example.com --account acme --role admin');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/console\/sign-in\/[\w-]{43}\n$/),
    });
    const browser = browserAt(world);
    await browser.post(new URL(stdout.trim()).pathname).expect(303);
    await browser
      .get('/console')
      .expect(200)
      .expect(/ada@example\.com.*\(admin\)/s);
  });

  it('prints a link to this machine where the service listens on all its addresses', async () => {
    const settings = { DATABASE_URL: world.database.url, HOST: '0.0.0.0', PORT: '3000' };
    const invite = ['console', 'invite', 'eve@example.com', '--account', 'acme'];
    const { stdout, problems } = await runCommand(invite, settings, folder);
    expect(problems).toEqual([
      expect.stringMatching(/^Send this link to eve@example\.com\. .* the role viewer/),
    ]);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:3000\/console\/sign-in\//);
  });

  it('makes a new person a viewer, and keeps the role of a known one', async () => {
    const invited = async (line: string) => JSON.parse((await cli(line)).stdout) as Record<string, string>;
    const existing = await invited('console invite bob@example.com --account acme --role editor --json');
    const again = await invited('console invite bob@example.com --account acme --json');
    const fresh = await invited('console invite new@example.com --account acme --json');
    expect([existing.role, again.role, fresh.role]).toEqual(['editor', 'editor', 'viewer']);
  });

  it.each([
    ['console invite ada --account acme', 2, /It must contain an @/],
    ['console invite ada@example.com', 2, /--account/],
    ['console invite ada@example.com --account nobody', 3, /No account is named nobody/],
    ['console invite ada@example.com --account acme --role owner', 2, /viewer, editor, admin/],
  ])('refuses: %s', async (line, code, problem) => {
    const ended = await cli(line);
    expect(ended).toMatchObject({ code, stdout: '', problems: [expect.stringMatching(problem)] });
  });
});
