import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { appendFile, chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { until } from './until.js';
import { FUNCTIONS } from '../../src/database/citus/functions.js';
import { freePort } from '../../src/database/embedded/postgres-cluster.js';

/** CITUS_BIN names the programs of a PostgreSQL 15 with Citus that is elsewhere. */
const BIN = process.env.CITUS_BIN ?? '/usr/lib/postgresql/15/bin';
const SETTINGS = [
  `shared_preload_libraries = 'citus'`,
  `listen_addresses = '127.0.0.1'`,
  `unix_socket_directories = ''`,
  'fsync = off',
  'shared_buffers = 64MB',
  'max_connections = 200',
  'jit = off',
  'wal_level = logical',
  'max_prepared_transactions = 200',
  'citus.enable_unsafe_triggers = on',
  `citus.node_conninfo = 'sslmode=disable'`,
  'citus.enable_statistics_collection = off',
  'citus.recover_2pc_interval = 1s',
  'log_statement = all',
  `log_line_prefix = '%m %a '`,
];

/** Whether PostgreSQL 15 is installed with Citus. Debian has no package of it, so CI does not require it. */
export const hasCitus = existsSync(join(BIN, '../lib/citus.so'));
if (!hasCitus) {
  console.warn(
    `There is no Citus 13.2 for the PostgreSQL 15 in ${BIN}, so the tests of a database on several servers are skipped.`,
  );
}

export interface LoggedStatement {
  name: string;
  text: string;
  /** Of its parameters. */
  values: (string | undefined)[];
}

/** A coordinator and workers, each a PostgreSQL 15 with Citus, and a database on all of them. */
export class CitusNodes {
  private coordinator = 0;

  private constructor(
    private readonly folder: string,
    /** The first coordinator comes first. */
    readonly ports: number[],
  ) {}

  /** @param added - how many of the workers are nodes of Citus already */
  static async start(workers: number, added = workers): Promise<CitusNodes> {
    const folder = await mkdtemp(join(process.env.TEST_DATABASE_FOLDER!, 'suppression-list-citus-'));
    await chmod(folder, 0o711);
    const ports = [];
    for (let number = 0; number <= workers; number++) {
      ports.push(await freePort());
    }
    const nodes = new CitusNodes(folder, ports);
    for (const [number, port] of ports.entries()) {
      await nodes.create(number, port);
    }
    for (let number = 1; number <= added; number++) {
      await nodes.add(number);
    }
    await nodes.query(`SELECT citus_set_node_property('127.0.0.1', ${ports[0]}, 'shouldhaveshards', false)`);
    return nodes;
  }

  /** The connection string of the coordinator, for the role of the service. */
  get url(): string {
    return this.urlOf(0).replace('postgres@', 'suppressions@');
  }

  urlOf(number: number, database = 'list'): string {
    return `postgresql://postgres@127.0.0.1:${this.ports[number]}/${database}`;
  }

  query<Row extends QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]> {
    return onServer(this.urlOf(this.coordinator), sql, values);
  }

  /** Makes a worker a node of Citus. */
  async add(number: number): Promise<void> {
    await this.query(`SELECT citus_add_node('127.0.0.1', ${this.ports[number]})`);
  }

  /** Lets a node count far ahead of the others. */
  async countAhead(number: number): Promise<void> {
    await onServer(this.urlOf(number), `SELECT setval('node_revision', nextval('node_revision') + 90000000)`);
  }

  /** Makes the coordinator refuse each COMMIT of a transaction that has changed an account, until the result is called. */
  async failCommitsOfAccounts(): Promise<() => Promise<unknown>> {
    const run = (sql: string) => onServer(this.urlOf(0), `SET citus.enable_ddl_propagation = off; ${sql}`);
    await run(
      `CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'failure'; END $$;
      CREATE CONSTRAINT TRIGGER failure AFTER UPDATE ON accounts DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION fail()`,
    );
    return () => run('DROP TRIGGER failure ON accounts; DROP FUNCTION fail');
  }

  /** Lets the events of a node wait, until the result is called. */
  async holdEvents(number: number): Promise<() => Promise<void>> {
    const client = new Client({ connectionString: this.urlOf(number) });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      `SELECT shardid::text AS name FROM citus_shards
      WHERE table_name = 'delivery_events'::regclass AND nodeport = ${this.ports[number]}`,
    );
    const shards = rows.map(({ name }) => `delivery_events_${name}`);
    await client.query(
      `SET citus.enable_manual_changes_to_shards = on; BEGIN; LOCK TABLE ${shards.join(', ')} IN EXCLUSIVE MODE`,
    );
    return () => client.end();
  }

  /** How many statements wait for locks on a node. */
  async waitingFor(number: number): Promise<number> {
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    return (await onServer(this.urlOf(number), waiting)).length;
  }

  /** Lets a node accept connections and not respond, until it continues. */
  freeze(number: number): void {
    this.signal(number, 'SIGSTOP');
  }

  continue(number: number): void {
    this.signal(number, 'SIGCONT');
  }

  /** Starts a synchronous standby of a node. @returns its number */
  async addStandby(number: number): Promise<number> {
    const port = await freePort();
    const standby = this.ports.push(port) - 1;
    runAsOwner(`${BIN}/pg_basebackup`, [
      '--write-recovery-conf',
      '--checkpoint=fast',
      `--dbname=host=127.0.0.1 port=${this.ports[number]} user=postgres application_name=standby`,
      `--pgdata=${this.dataOf(standby)}`,
    ]);
    await appendFile(join(this.dataOf(standby), 'postgresql.conf'), `port = ${port}\n`);
    this.restart(standby);
    const onPrimary = (sql: string) => onServer(this.urlOf(number), sql);
    await onPrimary(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await onPrimary('SELECT pg_reload_conf()');
    await until(
      async () => (await onPrimary(`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`)).length > 0,
    );
    return standby;
  }

  /** Makes a standby the node that another one was. */
  async promote(standby: number, number: number): Promise<void> {
    runAsOwner(`${BIN}/pg_ctl`, ['promote', '--silent', '--wait', `--pgdata=${this.dataOf(standby)}`]);
    await onServer(this.urlOf(standby), 'ALTER SYSTEM RESET synchronous_standby_names');
    await onServer(this.urlOf(standby), 'SELECT pg_reload_conf()');
    this.coordinator = number === this.coordinator ? standby : this.coordinator;
    await this.query('SELECT citus_update_node(nodeid, nodename, $1) FROM pg_dist_node WHERE nodeport = $2', [
      this.ports[standby],
      this.ports[number],
    ]);
  }

  /** Ends a node without a word to its clients. */
  kill(number: number): void {
    this.control(number, 'stop', '--mode=immediate');
  }

  restart(number: number): void {
    this.control(number, 'start', `--log=${this.logOf(number)}`);
  }

  /**
   * The statements that instances, or other nodes, have sent to a node, with the names of the prepared ones.
   *
   * @param sender - an application name, as a regular expression
   */
  async statementsSentTo(number: number, sender = 'suppression-list'): Promise<LoggedStatement[]> {
    const entries = (await readFile(this.logOf(number), 'utf8')).split(/^(?=\d{4}-\d\d-\d\d .* UTC )/m);
    return entries.flatMap((entry, index) => {
      const [, name = '', text] =
        new RegExp(` ${sender} LOG: {2}(?:statement|execute ([^:]+)): ([^]*)`).exec(entry) ?? [];
      const [, parameters = ''] = / DETAIL: {2}parameters: ([^]*)/.exec(entries[index + 1] ?? '') ?? [];
      const values = Array.from(
        parameters.matchAll(/\$\d+ = (?:'((?:[^']|'')*)'|NULL)/g),
        ([, value]) => value,
      );
      return text === undefined ? [] : [{ name, text, values }];
    });
  }

  /** The number of the worker where an account is. */
  async workerOf(accountId: number): Promise<number> {
    const [shard] = await this.query<{ nodeport: number }>(
      `SELECT nodeport FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('suppressions', $1::integer)`,
      [accountId],
    );
    return this.ports.indexOf(shard!.nodeport);
  }

  /** The definitions of the functions of the service on the coordinator. */
  async functions(): Promise<string[]> {
    const rows = await this.query<{ definition: string }>(FUNCTIONS);
    return rows.map(({ definition }) => definition);
  }

  /** The shards that stand for the buckets of a worker. */
  async shardsOf(number: number): Promise<string[]> {
    const shards = await this.query<{ shardid: string }>(
      `SELECT shardid FROM citus_shards WHERE table_name = 'suppressions'::regclass AND nodeport = ${this.ports[number]}`,
    );
    return shards.map(({ shardid }) => shardid);
  }

  /**
   * The statement timeout of a write that has entered a bucket of a worker 100 ms after it began, if ten seconds were permitted.
   */
  async timeoutAfterWait(number: number): Promise<string> {
    const [shard] = await this.shardsOf(number);
    const [bucket] = await this.query<{ index: number }>(
      `SELECT count(*)::integer AS index FROM pg_dist_shard
       WHERE logicalrelid = 'suppressions'::regclass AND shardmaxvalue::integer <
         (SELECT shardmaxvalue::integer FROM pg_dist_shard WHERE shardid = ${shard})`,
    );
    const [entered] = await onServer<{ timeout: string }>(
      this.urlOf(number),
      `SELECT set_config('statement_timeout', '10s', true), pg_sleep(0.1),
         enter_bucket(${bucket!.index}, ${shard}, true), current_setting('statement_timeout') AS timeout`,
    );
    return entered!.timeout;
  }

  /**
   * Moves buckets to another worker.
   *
   * @param mode - by default, writes go on
   */
  async move(
    shards: readonly string[],
    from: number,
    to: number,
    mode: 'force_logical' | 'block_writes' = 'force_logical',
  ): Promise<void> {
    for (const shard of shards) {
      await this.query(
        `SELECT citus_move_shard_placement(
          ${shard}, '127.0.0.1', ${this.ports[from]}, '127.0.0.1', ${this.ports[to]}, '${mode}'
        )`,
      );
    }
  }

  async stop(): Promise<void> {
    for (const number of this.ports.keys()) {
      if (existsSync(join(this.dataOf(number), 'postmaster.pid'))) {
        this.kill(number);
      }
    }
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  private async create(number: number, port: number): Promise<void> {
    if (process.getuid!() === 0) {
      await chown(this.folder, idOf('-u'), idOf('-g'));
    }
    runAsOwner(`${BIN}/initdb`, [
      '--username=postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      this.dataOf(number),
    ]);
    await appendFile(
      join(this.dataOf(number), 'postgresql.conf'),
      [...SETTINGS, `port = ${port}`, ''].join('\n'),
    );
    this.restart(number);
    await onServer(this.urlOf(number, 'postgres'), 'CREATE ROLE suppressions LOGIN');
    await onServer(this.urlOf(number, 'postgres'), 'CREATE DATABASE list OWNER suppressions');
    await onServer(this.urlOf(number), 'CREATE EXTENSION citus');
    if (number === 0) {
      await this.query(`SELECT citus_set_coordinator_host('127.0.0.1', ${port})`);
    }
  }

  private control(number: number, command: 'start' | 'stop', option: string): void {
    runAsOwner(`${BIN}/pg_ctl`, [command, '--silent', '--wait', `--pgdata=${this.dataOf(number)}`, option]);
  }

  private signal(number: number, signal: NodeJS.Signals): void {
    const [postmaster] = readFileSync(join(this.dataOf(number), 'postmaster.pid'), 'utf8').split('\n');
    const children = execFileSync('pgrep', ['--parent', postmaster!], { encoding: 'utf8' })
      .trim()
      .split('\n');
    [postmaster!, ...children].forEach((pid) => process.kill(Number(pid), signal));
  }

  private dataOf(number: number): string {
    return join(this.folder, `data-${number}`);
  }

  private logOf(number: number): string {
    return join(this.folder, `log-${number}`);
  }
}

/** PostgreSQL does not run as root. */
function runAsOwner(program: string, args: string[]): void {
  const [name, ...rest] =
    process.getuid!() === 0 ? ['runuser', '-u', 'postgres', '--', program, ...args] : [program, ...args];
  execFileSync(name!, rest, { stdio: 'ignore' });
}

const idOf = (option: '-u' | '-g'): number =>
  Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));

async function onServer<Row extends QueryResultRow>(
  url: string,
  sql: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
