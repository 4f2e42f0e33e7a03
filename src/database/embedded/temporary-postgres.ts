import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withMigrationClient } from '../connections.js';
import { EmbeddedPostgres } from './embedded-postgres.js';

interface TemporaryPostgres {
  url: string;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL server for tests, with its data in a new folder, which is deleted when the server stops. */
export async function startTemporaryPostgres(parent = tmpdir()): Promise<TemporaryPostgres> {
  const dataDir = await mkdtemp(join(parent, 'suppression-list-'));
  await chmod(dataDir, 0o711);
  const cleanup = startCleanup(dataDir);
  const remove = async () => {
    await rm(dataDir, { recursive: true, force: true });
    cleanup.cancel();
  };
  const postgres = await EmbeddedPostgres.open(dataDir, {
    role: 'client',
    settings: { fsync: 'off', max_connections: '300' },
  }).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return {
    url: postgres.url,
    stop: async () => {
      await postgres.close();
      await remove();
    },
  };
}

/**
 * Starts a shell that waits for the end of this process and then removes the server, so that an interrupted test run
 * leaves none behind. Removing is repeated, because a start that was interrupted may still write files. To cancel the shell,
 * its process group is killed, since it waits for a child.
 */
function startCleanup(dataDir: string): { cancel(): void } {
  const script = `
    cat > /dev/null
    for attempt in 1 2 3 4 5; do
      kill -QUIT "$(head -n 1 "$0/postgres/postmaster.pid")"
      rm -rf "$0" && break
      sleep 1
    done`;
  const shell = spawn('sh', ['-c', script, dataDir], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.unref();
  (shell.stdin as Socket).unref();
  return { cancel: () => process.kill(-shell.pid!) };
}

/** Creates a database on a running server. Stopping it drops the database. */
export async function createTemporaryDatabase(serverUrl: string): Promise<TemporaryPostgres> {
  const name = `suppression_list_${randomUUID().replaceAll('-', '')}`;
  await runOn(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, stop: () => runOn(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function runOn(connectionString: string, sql: string): Promise<void> {
  await withMigrationClient({ connectionString }, (client) => client.query(sql));
}
