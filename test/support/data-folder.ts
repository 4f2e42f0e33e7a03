import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { Child, type Ended } from './child-process.js';
import { until } from './until.js';

/** A service that runs on a data folder of its own. */
export interface RunningService {
  url: string;
  key: string;
  process: Child;
  /** Asks for a path with the key; with a body, by POST. */
  ask(path: string, body?: unknown): Promise<Response>;
}

/** A folder with an embedded PostgreSQL, and what runs on it. */
export class DataFolder {
  private readonly children: Child[] = [];

  private constructor(readonly path: string) {}

  static async create(): Promise<DataFolder> {
    return new DataFolder(
      await mkdtemp(join(process.env.TEST_DATABASE_FOLDER!, 'suppression-list-process-')),
    );
  }

  get dataDir(): string {
    return join(this.path, 'data');
  }

  /** Begins a service and does not wait for anything. */
  spawn(settings: Record<string, string> = {}): Child {
    return this.keep(Child.service({ DATA_DIR: this.dataDir, ...settings }, this.path));
  }

  /** Starts a service and waits until it serves. */
  async start(settings: Record<string, string> = {}): Promise<RunningService> {
    const child = this.spawn(settings);
    const [, key] = await child.says(/^API key: +(.+)$/m);
    const [, url] = await child.says(/^API: +(.+)$/m);
    await child.says(/^curl [^]+?'\n/m);
    return { url: url!, key: key!, process: child, ask: (path, body) => ask(`${url}${path}`, key!, body) };
  }

  cli(...args: string[]): Promise<Ended> {
    return this.keep(Child.cli(args, { DATA_DIR: this.dataDir }, this.path)).ended;
  }

  /** The process id of PostgreSQL, as it wrote it down; undefined when it does not run, or stopped in order. */
  postgresPid(): number | undefined {
    const pid = this.pidFile()[0];
    return pid && isAlive(Number(pid)) ? Number(pid) : undefined;
  }

  /** Of the database, past the service; while PostgreSQL runs. */
  get databaseUrl(): string {
    const password = readFileSync(join(this.dataDir, 'postgres', 'password'), 'utf8');
    return `postgresql://postgres:${password}@127.0.0.1:${this.pidFile()[3]}/suppression_list`;
  }

  /** A connection to the database past the service. */
  async connect(): Promise<Client> {
    const client = new Client({ connectionString: this.databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Runs a statement past the service. */
  async query<Row extends QueryResultRow>(sql: string): Promise<Row[]> {
    const client = await this.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends whatever a failed test left, and removes the folder. */
  async remove(): Promise<void> {
    for (const child of this.children) {
      child.kill('SIGKILL');
      await child.ended;
    }
    const pid = this.postgresPid();
    if (pid) {
      process.kill(pid, 'SIGQUIT');
      await until(() => !isAlive(pid));
    }
    await rm(this.path, { recursive: true, force: true });
  }

  private keep(child: Child): Child {
    this.children.push(child);
    return child;
  }

  private pidFile(): string[] {
    const file = join(this.dataDir, 'postgres', 'postmaster.pid');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  }
}

export function ask(url: string, key: string, body?: unknown): Promise<Response> {
  return fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
}

/** Where nobody collects them, ended processes stay in the table as zombies. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const state = `/proc/${pid}/stat`;
  return !existsSync(state) || !readFileSync(state, 'utf8').includes(') Z ');
}
