import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runClient } from '../../src/cli/client/run.js';
import type { Ended } from '../support/child-process.js';
import { runCommand } from '../support/command-line.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

describe('the command lift', () => {
  let service: World;
  let world: World;
  let folder: string;
  beforeAll(async () => {
    service = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'suppressions-'));
  });
  beforeEach(async () => (world = await withNewAccounts(service)));
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  const run = (...args: string[]): Promise<Ended> => {
    const settings = {
      SUPPRESSIONS_URL: world.url,
      SUPPRESSIONS_API_KEY: world.alice,
      XDG_CONFIG_HOME: folder,
    };
    return runCommand(['lift', ...args], settings, folder, '', { program: runClient });
  };
  const output = async (...args: string[]): Promise<string> => {
    const { code, stdout, problems } = await run(...args);
    expect({ args, code, problems }).toEqual({ args, code: 0, problems: [] });
    return stdout;
  };
  const count = async (): Promise<number> =>
    (await world.as(world.alice).get('/suppressions/count').expect(200)).body.total;
  const create = (...args: string[]) =>
    output('create', '--cause', 'manual', '--created-after', '2020-01-01', ...args);

  it('counts, shows, applies, and reverts', async () => {
    await suppress(world, world.alice, ['ada@example.com', 'grace@example.org']);
    const preview = await create('--domain', 'example.com', 'example.net');
    expect(preview).toMatch(/^found +1$/m);
    expect(preview).toMatch(/^COUNT +DOMAIN\n1 +example\.com$/m);
    expect(preview).toMatch(/^ada@example\.com /m);
    const [, id] = /To lift them: .* lift apply (\S+)/.exec(preview)!;
    expect(await output('show', id!)).toMatch(
      /^query +manual, after 2020-01-01 00:00, at example\.com, example\.net$/m,
    );
    expect(await output('lines', id!)).toMatch(/^ada@example\.com +\S+ \S+ +planned/m);
    expect(await count()).toBe(2);
    expect(await output('apply', id!, '--yes')).toMatch(/^Lifted: 1\nTo put them back: .* lift revert /);
    expect(await count()).toBe(1);
    expect(await output('revert', id!, '--yes')).toBe('Put back: 1\n');
    expect(await count()).toBe(2);
    expect(await run('apply', id!, '--yes')).toMatchObject({
      code: 1,
      stdout: '',
      problems: [expect.stringContaining('put back before; nothing was changed')],
    });
    expect(await output('list')).toMatch(/ reverted +1 +manual, after 2020-01-01/);
    expect(JSON.parse(await output('lines', id!, '--status', 'reverted', '--json'))).toMatchObject([
      { email: 'ada@example.com', status: 'reverted' },
    ]);
  });

  it('changes nothing without a confirmation', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    const { id } = JSON.parse(await create('--json'));
    const refused = await run('apply', id);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.problems.join('\n')).toMatch(/found +1/);
    expect(refused.problems.at(-1)).toContain('Confirm with --yes');
    expect(await count()).toBe(1);
    await output('apply', id, '--yes');
    expect(await run('revert', id)).toMatchObject({ code: 2 });
    expect(await count()).toBe(0);
  });

  it('says what is wrong in the words of the command', async () => {
    expect(await run('create', '--cause', 'manual')).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('at least one condition')],
    });
    expect(await run('create', '--cause', 'manual', '--domain', 'a b')).toMatchObject({
      code: 2,
      problems: [expect.stringMatching(/^--domain must have domains/)],
    });
    expect(await run('create', '--cause', 'complaint')).toMatchObject({ code: 2 });
    expect(await run('show', 'none')).toMatchObject({
      code: 3,
      problems: ['The account has no lift with this id.'],
    });
    await suppress(world, world.alice, ['ada@example.com']);
    await world.as(world.alice).patch('/account').send({ removal: 'guarded' }).expect(200);
    const { id } = JSON.parse(await create('--json'));
    expect(await run('apply', id, '--yes')).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('Add --consent our_error')],
    });
    await output('apply', id, '--yes', '--consent', 'our_error', '--reference', 'Case 4711');
    expect(await count()).toBe(0);
  });

  it('of 1,500 addresses confirms the number that the person saw', async () => {
    const emails = Array.from({ length: 1_500 }, (_, index) => `user${index}@example.com`);
    for (let first = 0; first < emails.length; first += 100) {
      await suppress(world, world.alice, emails.slice(first, first + 100));
    }
    const { id } = JSON.parse(await create('--json'));
    expect(await output('apply', id, '--yes')).toMatch(/^Lifted: 1,500\n/);
    expect(JSON.parse(await output('lines', id, '--limit', '250', '--json'))).toHaveLength(250);
  });
});
