import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runClient } from '../../src/cli/client/run.js';
import type { Ended } from '../support/child-process.js';
import { runCommand } from '../support/command-line.js';
import { addresses, WatchedMail } from '../support/incidents/incidents.js';
import { createWorld, type World } from '../support/world.js';

describe('the command incident', () => {
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

  const run = (...args: string[]): Promise<Ended> => {
    const settings = {
      SUPPRESSIONS_URL: world.url,
      SUPPRESSIONS_API_KEY: world.alice,
      XDG_CONFIG_HOME: folder,
    };
    return runCommand(args, settings, folder, '', { program: runClient });
  };
  const output = async (...args: string[]): Promise<string> => {
    const { code, stdout, problems } = await run('incident', ...args);
    expect({ args, code, problems }).toEqual({ args, code: 0, problems: [] });
    return stdout;
  };

  it('lists and shows incidents with the lift that finds their bounces, and decides them', async () => {
    expect(await output('list')).toBe('No incidents.\n');
    const mail = await WatchedMail.create(world, 'acme');
    await mail.delivered(addresses(60), 24 * 60);
    await mail.bounced(addresses(60));
    await mail.pass();
    const [, id] = /^(\S+) +\S+ \S+ +open +60 +0 +The email account/m.exec(await output('list'))!;
    const shown = await output('show', id!);
    expect(shown).toMatch(/^answer +The email account that you tried to reach/m);
    const [, lift] = /^find the others +\S+.* lift (create .*)$/m.exec(shown)!;
    const args = lift!.split(/ (?=(?:[^']*'[^']*')*[^']*$)/).map((arg) => arg.replaceAll("'", ''));
    expect((await run('lift', ...args)).stdout).toMatch(/^found +60$/m);
    expect(await run('incident', 'decide', id!, 'keep')).toMatchObject({ code: 2 });
    expect(await output('decide', id!, 'keep', '--yes')).toMatch(/^status +decided: keep$/m);
    expect(await run('incident', 'decide', id!, 'lift', '--yes')).toMatchObject({
      code: 1,
      problems: ['This incident has already been decided: keep.'],
    });
    expect(JSON.parse(await output('show', id!, '--json'))).toMatchObject({
      object: 'incident',
      decision: 'keep',
    });
  });
});
