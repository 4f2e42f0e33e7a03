import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../../src/database/embedded/postgres-cluster.js';
import { until } from '../until.js';

/** PgBouncer keeps prepared statements in transaction mode since version 1.21. */
export function keepsStatements(): boolean {
  const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout)!;
  return Number(major) * 100 + Number(minor) >= 121;
}

/** PgBouncer in front of a database. */
export class PgBouncer {
  private constructor(
    readonly url: string,
    private readonly process: ChildProcess,
  ) {}

  /** @param folder - for its configuration */
  static async start(
    databaseUrl: string,
    folder: string,
    mode: 'transaction' | 'session' = 'transaction',
  ): Promise<PgBouncer> {
    const { hostname, port, pathname, username, password } = new URL(databaseUrl);
    const listenPort = await freePort();
    const file = join(folder, 'pgbouncer.ini');
    const lines = [
      '[databases]',
      `list = host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password='${password}'`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listenPort}`,
      'unix_socket_dir =',
      'auth_type = any',
      `pool_mode = ${mode}`,
      `default_pool_size = ${mode === 'session' ? 50 : 5}`,
      'ignore_startup_parameters = options',
      ...(keepsStatements() ? ['max_prepared_statements = 200'] : []),
      '',
    ];
    await writeFile(file, lines.join('\n'));
    const user = process.getuid!() === 0 ? ['-u', 'nobody'] : [];
    const child = spawn('pgbouncer', ['-q', ...user, file], { stdio: 'ignore' });
    await until(() => isListening(listenPort));
    return new PgBouncer(`postgresql://anyone@127.0.0.1:${listenPort}/list`, child);
  }

  async stop(): Promise<void> {
    const ended = once(this.process, 'close');
    this.process.kill('SIGKILL');
    await ended;
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
