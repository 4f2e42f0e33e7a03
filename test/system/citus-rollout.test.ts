import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { requireSpread } from '../../src/database/citus/spread-database.js';
import { migrate } from '../../src/database/startup/migrate.js';
import type { Schema } from '../../src/database/startup/schema.js';
import { SCHEMA } from '../../src/schema.js';
import { Child } from '../support/child-process.js';
import { CitusNodes, hasCitus } from '../support/citus-nodes.js';
import { createAccount, ListWriters } from '../support/citus-requests.js';
import { startTestApp, TEST_SECRETS_KEY } from '../support/test-app.js';
import { until } from '../support/until.js';

const ACCOUNTS = 100;
/** Of an account between two changes, so that the machine is not busy. */
const PAUSE_MS = 2_000;
/** Between two steps, of the accounts on a node. */
const CHANGES = 100;
const [FIRST, SECOND] = [1, 2];
/** The folder `dist/src` of an earlier version. Without it, this version follows itself. */
const EARLIER = process.env.EARLIER_BUILD;

interface Instance {
  url: string;
  child: Child;
}

(hasCitus ? describe : describe.skip)('a hundred accounts on three nodes', () => {
  let folder: string;
  let nodes: CitusNodes;
  const settings = () => ({
    DATABASE_URL: nodes.url,
    CITUS_EXPERIMENTAL: 'true',
    SECRETS_KEY: TEST_SECRETS_KEY,
    SHUTDOWN_DELAY: '2',
  });
  const programOf = (name: string, build?: string) => (build ? join(build, name) : undefined);
  const cli = async (args: string[], build?: string) => {
    const program = programOf('cli/main.js', build);
    const child = program
      ? Child.node([program, ...args], settings(), folder)
      : Child.cli(args, settings(), folder);
    expect(await child.ended).toMatchObject({ code: 0 });
  };
  const start = async (build?: string): Promise<Instance> => {
    const child = Child.service(settings(), folder, programOf('main.js', build));
    return { url: (await child.says(/"msg":"listening on (http[^"]+)"/))[1]!, child };
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-rollout-'));
    nodes = await CitusNodes.start(2);
  }, 300_000);
  afterAll(async () => {
    await nodes?.stop();
    await rm(folder, { recursive: true });
  });

  it('lose and reorder nothing, and only those of a node that is killed are refused', async () => {
    await cli(['migrate'], EARLIER);
    const functions = await nodes.functions();
    await cli(['database', 'spread', '--shards', '8'], EARLIER);
    const keys = await createAccounts();
    const instances = [await start(EARLIER), await start(EARLIER)];
    const [away, here] = [FIRST, SECOND].map(
      (worker) => new ListWriters(instances, keys[worker]!, PAUSE_MS),
    ) as [ListWriters, ListWriters];
    const progress = async (...writers: ListWriters[]) => {
      const enough = writers.map(({ acknowledged }) => acknowledged + CHANGES);
      await until(() => writers.every(({ acknowledged }, number) => acknowledged > enough[number]!));
    };

    await progress(away, here);
    nodes.kill(FIRST);
    await until(() => away.refusals.length > 100);
    await progress(here);
    nodes.restart(FIRST);
    await progress(away, here);
    const refused = away.refusals.length;

    await (EARLIER ? cli(['migrate']) : migrate(nodes.url, schemaOfNextVersion(functions)));
    await progress(away, here);
    await cli(['database', 'spread']);
    for (let replaced = 0; replaced < 2; replaced++) {
      const { child } = instances.shift()!;
      child.kill('SIGTERM');
      expect(await child.ended).toMatchObject({ code: 0, problems: [] });
      instances.push(await start());
    }
    await progress(away, here);
    const [first, second] = [(await nodes.shardsOf(FIRST))[0]!, (await nodes.shardsOf(SECOND))[0]!];
    await nodes.move([first], FIRST, SECOND);
    await nodes.move([second], SECOND, FIRST);
    await progress(away, here);

    await Promise.all([away.stop(), here.stop()]);
    expect([...(await away.differencesFromFeed()), ...(await here.differencesFromFeed())]).toEqual([]);
    expect(here.refusals).toEqual([]);
    expect(away.refusals).toHaveLength(refused);
    expect(new Set(away.refusals)).toEqual(new Set([503]));
    expect(await nodes.query('SELECT FROM bucket_homes WHERE epoch > 1')).toHaveLength(2);
    for (const { child } of instances) {
      child.kill('SIGTERM');
      await child.ended;
    }
  }, 600_000);

  /** @returns their keys, by the workers where they are */
  async function createAccounts(): Promise<Record<number, string[]>> {
    await requireSpread(nodes.url, nodes.url);
    const app = await startTestApp(nodes.url);
    const keys: Record<number, string[]> = { [FIRST]: [], [SECOND]: [] };
    for (let created = 0; created < ACCOUNTS; created++) {
      const { accountId, key } = await createAccount(app);
      keys[await nodes.workerOf(accountId)]!.push(key);
    }
    await app.close();
    return keys;
  }
});

/** A version that adds a column, and replaces all functions by those of a single server. */
function schemaOfNextVersion(functions: string[]): Schema {
  class NextVersion1767225999999 implements MigrationInterface {
    async up(queryRunner: QueryRunner): Promise<void> {
      await queryRunner.query('ALTER TABLE suppressions ADD COLUMN of_next_version integer');
      for (const definition of functions) {
        await queryRunner.query(definition);
      }
    }

    async down(queryRunner: QueryRunner): Promise<void> {
      await queryRunner.query('ALTER TABLE suppressions DROP COLUMN of_next_version');
    }
  }
  return { ...SCHEMA, migrations: [...SCHEMA.migrations, NextVersion1767225999999] };
}
