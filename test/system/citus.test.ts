import { requireSpread } from '../../src/database/citus/spread-database.js';
import { baseNameOf, routeOf } from '../../src/database/citus/routes.js';
import { tablesIn } from '../../src/database/citus/shard-text.js';
import { TABLES } from '../../src/database/citus/tables.js';
import { STATEMENTS } from '../../src/database/prepared-statement.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { Child } from '../support/child-process.js';
import { CitusNodes, hasCitus, type LoggedStatement } from '../support/citus-nodes.js';
import { runCommand } from '../support/command-line.js';
import { createTestDatabase } from '../support/test-database.js';
import { refusalToStart } from '../support/refusal-to-start.js';
import { startTestApp, TEST_SECRETS_KEY, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import {
  createAccount,
  ListWriters,
  send,
  type Body,
  type Response,
  type TestAccount,
} from '../support/citus-requests.js';
import {
  addComparedList,
  addList,
  operationsNotIn,
  Outside,
  requestsOfEveryKind,
  type Answer,
} from '../support/every-request.js';

/** A list of a provider belongs to one account only. */
const OF_ALL = /WHERE \(\("ProviderList"\."scope_key" IN/;
const COORDINATOR = 0;
const [FIRST, SECOND] = [1, 2];

(hasCitus ? describe : describe.skip)('a database that Citus spreads over three nodes', () => {
  let nodes: CitusNodes;
  let outside: Outside;
  let instances: TestApp[];
  let expected: Answer[];
  /** Keys of accounts, by the worker where they are. */
  let keys: Record<number, string[]>;
  const cli = (...args: string[]) => runCommand(args, settings(), process.cwd());
  const settings = () => ({ DATABASE_URL: nodes.url, CITUS_EXPERIMENTAL: 'true' });

  beforeAll(async () => {
    [nodes, outside] = [await CitusNodes.start(2, 1), await Outside.start()];
  }, 300_000);
  afterAll(async () => {
    await Promise.all((instances ?? []).map((instance) => instance.close()));
    await nodes?.stop();
    await outside?.close();
  });

  it('is refused until it is permitted, migrated, and spread', async () => {
    const refusals = async (problem: string, extra = {}) => {
      const { code, problems } = await refusalToStart({ ...settings(), ...extra });
      expect([code, problems]).toEqual([1, [expect.stringContaining(problem)]]);
    };
    await refusals('set CITUS_EXPERIMENTAL=true', { CITUS_EXPERIMENTAL: 'false' });
    await refusals('suppressions migrate && suppressions database spread');
    expect(await nodes.query(`SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
    expect((await cli('migrate')).code).toBe(0);
    await refusals('Stop all instances, and run: suppressions database spread');
  });

  it('is spread by a command, which prints its plan and may run again', async () => {
    const plan = await cli('database', 'spread', '--shards', '4', '--plan');
    expect(plan.stdout).toContain(`create_distributed_table('suppressions', 'account_id', shard_count => 4)`);
    expect(await nodes.query('SELECT FROM pg_dist_partition')).toEqual([]);
    expect(await cli('database', 'spread', '--shards', '4')).toMatchObject({
      code: 0,
      stdout: 'The database is spread.\n',
    });
    expect((await cli('database', 'spread')).stdout).toBe('The functions of all nodes are up to date.\n');
    expect((await cli('database', 'spread', '--plan')).stdout).toBe('-- All tables are spread.\n');
  });

  it('is spread again after a migration created a table', async () => {
    await nodes.query('CREATE TABLE added (LIKE kept_blocks INCLUDING ALL)');
    await nodes.query('ALTER TABLE added OWNER TO suppressions');
    await nodes.query('DROP TABLE kept_blocks');
    await nodes.query('ALTER TABLE added RENAME TO kept_blocks');
    await nodes.query('ALTER TABLE kept_blocks ADD FOREIGN KEY (account_id) REFERENCES accounts (id)');
    await expect(requireSpread(nodes.url, nodes.url)).rejects.toThrow('suppressions database spread');
    expect((await cli('database', 'spread')).stdout).toBe('The database is spread.\n');
  });

  it('takes in a node that is added later', async () => {
    await nodes.add(SECOND);
    await nodes.move((await nodes.shardsOf(FIRST)).slice(2), FIRST, SECOND, 'block_writes');
    await requireSpread(nodes.url, nodes.url);
    await cli('database', 'spread');
    expect(
      await nodes.query(
        `SELECT DISTINCT result LIKE '%n_distinct=1%' AS "isPlanned"
        FROM run_command_on_shards(
          'suppressions',
          $$SELECT attoptions FROM pg_attribute WHERE attrelid = '%s'::regclass AND attname = 'account_id'$$
        )`,
      ),
    ).toEqual([{ isPlanned: true }]);
    instances = [await startTestApp(nodes.url, outside.settings), await startTestApp(nodes.url)];
  });

  it('gives the answers of a single PostgreSQL', async () => {
    const single = await createTestDatabase();
    const app = await startTestApp(single.url, outside.settings);
    expected = await requestsOfEveryKind(app, await createAccount(app), outside);
    await app.close();
    await single.drop();
    expect(await requestsOfEveryKind(instances[0]!, await accountOf(FIRST), outside)).toEqual(expected);
    expect(operationsNotIn(expected)).toEqual([]);
  });

  it('sends what concerns an account to its node and to the tables of the coordinator only', async () => {
    const before = { [COORDINATOR]: 0, [SECOND]: 0 };
    const sentTo = async (number: keyof typeof before) =>
      (await nodes.statementsSentTo(number)).slice(before[number]);
    const account = await accountOf(FIRST);
    const ofCitus = async () => nodes.statementsSentTo(FIRST, 'citus_internal gpid=\\d+');
    const { length: beforeOfCitus } = await ofCitus();
    before[COORDINATOR] = (await sentTo(COORDINATOR)).length;
    before[SECOND] = (await sentTo(SECOND)).length;
    await requestsOfEveryKind(instances[0]!, account, outside);
    const isOfAll = (name: string) =>
      ['all', 'accounts'].includes(routeOf(STATEMENTS.get(name) ?? 'SET', name).to);
    /** Background tasks ask all nodes by statements that are known, and work on other accounts there. */
    const isForeign = ({ name, text, values }: LoggedStatement) => {
      const base = baseNameOf(name.split('/')[0]!);
      if (base.startsWith('enter-bucket') || isOfAll(base) || OF_ALL.test(text)) {
        return false;
      }
      const route = routeOf(text.replaceAll(/_\d{6,}\b/g, ''), base);
      return route.to === 'account'
        ? Number(values[route.parameter - 1]) === account.accountId
        : route.to !== 'session';
    };
    expect((await sentTo(SECOND)).filter(isForeign)).toEqual([]);
    const isDivided = (table: string) => TABLES[table] === 'distributed';
    expect((await sentTo(COORDINATOR)).filter(({ text }) => tablesIn(text).some(isDivided))).toEqual([]);
    expect((await sentTo(COORDINATOR)).length).toBeGreaterThan(50);
    const prepared = (await ofCitus())
      .slice(beforeOfCitus)
      .filter(({ text }) => text.startsWith('PREPARE TRANSACTION'));
    expect(prepared.length).toBeGreaterThan(0);
  });

  it('loses and reorders nothing, and refuses nothing, while the accounts of a node move to another one and back', async () => {
    keys = await accountsOfWorkers();
    const writers = new ListWriters(instances, [...keys[FIRST]!, ...keys[SECOND]!]);
    await until(() => writers.acknowledged > 50);
    await nodes.countAhead(FIRST);
    const before = writers.acknowledged;
    await until(() => writers.acknowledged > before + 50);
    const moving = await nodes.shardsOf(FIRST);
    await nodes.move(moving, FIRST, SECOND);
    await nodes.move(moving, SECOND, FIRST);
    const moved = writers.acknowledged;
    await until(() => writers.acknowledged > moved + 50);
    await writers.stop();
    expect(writers.refusals).toEqual([]);
    expect(await writers.differencesFromFeed()).toEqual([]);
    const homes = await nodes.query('SELECT FROM bucket_homes WHERE epoch > 1');
    expect(homes.length).toBeGreaterThanOrEqual(2);
    // Each table of a shard is copied apart: a minute and a half if nothing else runs.
  }, 300_000);

  it('refuses only the accounts of a node that is down, until it is back', async () => {
    const [away, here] = [keys[FIRST]!, keys[SECOND]!].map((some) => new ListWriters(instances, some));
    await until(() => away!.acknowledged > 5 && here!.acknowledged > 5);
    const { url } = instances[0]!;
    const [account, other] = [await accountOf(SECOND), await accountOf(SECOND)];
    const list = await addComparedList(url, account, outside);
    const { body: unread } = await addList(url, other, outside);
    nodes.kill(FIRST);
    const before = here!.acknowledged;
    await until(() => here!.acknowledged > before + 50 && away!.refusals.length > 5);
    expect(here!.refusals).toEqual([]);
    expect(new Set(away!.refusals)).toEqual(new Set([503]));
    expect((await fetch(`${instances[0]!.url}/readyz`)).status).toBe(200);
    expect(await instances[0]!.app.get(Metrics).registry.metrics()).toContain(
      `suppression_list_database_node_up{node="127.0.0.1:${nodes.ports[FIRST]}"} 0`,
    );
    let plan: Body;
    try {
      await servesFrom(account, list);
      await accountOf(SECOND);
      const path = `/provider-lists/${unread.id}`;
      expect((await addList(url, other, outside)).status).toBe(503);
      expect((await send(url, other.key, 'PATCH', path, { shared: true })).status).toBe(503);
      plan = (await send(url, other.key, 'POST', `${path}/plans`)).body;
    } finally {
      nodes.restart(FIRST);
    }
    const refused = away!.acknowledged;
    await until(() => away!.acknowledged > refused + 20);
    const pathOfPlan = `/provider-lists/${unread.id}/plans/${plan.id}`;
    await until(async () => (await send(url, other.key, 'GET', pathOfPlan)).body.status === 'ready');
    await Promise.all([away!.stop(), here!.stop()]);
    expect([...(await away!.differencesFromFeed()), ...(await here!.differencesFromFeed())]).toEqual([]);
  });

  it('refuses the accounts of a shard that was split, and does not start again', async () => {
    const { accountId, key } = await createAccount(instances[0]!);
    const check = () =>
      send(instances[0]!.url, key, 'POST', '/suppressions/check', { emails: ['a@example.com'] });
    expect((await check()).status).toBe(200);
    await nodes.query(
      `SELECT isolate_tenant_to_new_shard('suppressions', ${accountId}, 'CASCADE', shard_transfer_mode => 'block_writes')`,
    );
    expect((await check()).status).toBe(503);
    await expect(requireSpread(nodes.url, nodes.url)).rejects.toThrow('split or replaced shards');
  });

  /** A new instance is ready while a worker is down, and an account of the other one can do everything. */
  async function servesFrom(account: TestAccount, list: Response): Promise<void> {
    const child = Child.service(
      {
        ...settings(),
        ...outside.settings,
        SECRETS_KEY: TEST_SECRETS_KEY,
        BASE_URL: 'http://127.0.0.1:3000',
      },
      process.cwd(),
    );
    const [, url] = await child.says(/"msg":"listening on (http[^"]+)"/);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await requestsOfEveryKind(instances[0]!, account, outside, { url, list })).toEqual(expected);
    child.kill('SIGTERM');
    await child.ended;
  }

  /** A new account of a worker. While the other one is down, accounts that belong there cannot be created. */
  async function accountOf(worker: number): Promise<TestAccount> {
    for (;;) {
      const account = await createAccount(instances[0]!).catch(() => undefined);
      if (account && (await nodes.workerOf(account.accountId)) === worker) {
        return account;
      }
    }
  }

  /** The keys of two new accounts for each worker. */
  async function accountsOfWorkers(): Promise<Record<number, string[]>> {
    const keysOf = async (worker: number) => [(await accountOf(worker)).key, (await accountOf(worker)).key];
    return { [FIRST]: await keysOf(FIRST), [SECOND]: await keysOf(SECOND) };
  }
});
