import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runClient } from '../../src/cli/client/run.js';
import { FILTER_NAMES } from '../../src/suppressions/dto/list.dto.js';
import { runCommand } from '../support/command-line.js';
import { signIn } from '../support/console.js';
import { importFile } from '../support/imports.js';
import { createWorld, type World } from '../support/world.js';

const FILE =
  'email,cause,created_at\n' +
  'ada@one.example,bounce,2024-01-01\n' +
  'bob@one.example,unsubscribe,2024-02-01\n' +
  'cleo@two.example,complaint,2024-03-01\n';

/** A condition that some of the addresses meet and others do not. */
const CONDITIONS: Record<(typeof FILTER_NAMES)[number], [value: string, matching: string[]]> = {
  origin: ['manual', ['bob@one.example']],
  cause: ['bounce', ['ada@one.example']],
  domain: ['one.example', ['ada@one.example', 'bob@one.example']],
  created_after: ['2024-01-15', ['bob@one.example', 'cleo@two.example']],
  created_before: ['2024-02-15', ['ada@one.example', 'bob@one.example']],
};

describe('each condition of the filter', () => {
  let world: World;
  let viewer: Awaited<ReturnType<typeof signIn>>;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'filter-'));
    viewer = await signIn(world, 'viewer');
    await importFile(world, world.alice, FILE);
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const read = async (path: string, query: object) =>
    (await world.as(world.alice).get(path).query(query).buffer(true).expect(200)).text;
  const readPage = async (path: string, query: object) =>
    (await viewer.get(path).query(query).buffer(true).expect(200)).text;
  const command = async (name: string, condition: string, value: string) => {
    const settings = { SUPPRESSIONS_URL: world.url, SUPPRESSIONS_API_KEY: world.alice };
    const args = [name, `--${condition.replaceAll('_', '-')}`, value];
    return (await runCommand(args, settings, folder, '', { program: runClient })).stdout;
  };
  const addressesIn = (text: string) => [...new Set(text.match(/\w+@(?:one|two)\.example/g))].sort();

  it.each(FILTER_NAMES)('%s has the same meaning wherever suppressions are filtered', async (name) => {
    const [value, matching] = CONDITIONS[name];
    const query = { [name]: value };
    expect({
      list: addressesIn(await read('/suppressions', query)),
      export: addressesIn(await read('/exports', query)),
      count: JSON.parse(await read('/suppressions/count', query)).total,
      'count by domain': JSON.parse(await read('/suppressions/count', { ...query, group_by: 'domain' }))
        .total,
      'suppressions list': addressesIn(await command('list', name, value)),
      'suppressions export': addressesIn(await command('export', name, value)),
      'list in the console': addressesIn(await readPage('/console/list', query)),
      'export in the console': addressesIn(await readPage('/console/list/export', query)),
    }).toEqual({
      list: matching,
      export: matching,
      count: matching.length,
      'count by domain': matching.length,
      'suppressions list': matching,
      'suppressions export': matching,
      'list in the console': matching,
      'export in the console': matching,
    });
    expect(await readPage('/console/list', query)).toContain(`name="${name}"`);
  });
});
