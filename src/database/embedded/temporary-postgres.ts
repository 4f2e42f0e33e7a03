import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from './embedded-postgres.js';

/** A PostgreSQL of our own in a temporary folder, without the care for power failures that tests do not need. */
export interface TemporaryPostgres {
  url: string;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL that is gone with its data when it is stopped. */
export async function startTemporaryPostgres(): Promise<TemporaryPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'suppression-list-'));
  await chmod(dataDir, 0o711);
  const postgres = await EmbeddedPostgres.open(dataDir, {
    role: 'visitor',
    settings: { fsync: 'off', max_connections: '300' },
  }).catch(async (error: unknown) => {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  });
  const undertaker = startUndertaker(dataDir);
  return {
    url: postgres.url,
    stop: async () => {
      await postgres.close();
      await rm(dataDir, { recursive: true, force: true });
      undertaker.dismiss();
    },
  };
}

/**
 * A run of tests that is interrupted leaves no PostgreSQL behind: a shell waits for our end, then stops it. Where it is
 * dismissed, what it waits with ends, too: both are one process group.
 */
function startUndertaker(dataDir: string): { dismiss(): void } {
  const script = 'cat > /dev/null; kill -QUIT "$(head -n 1 "$0/postgres/postmaster.pid")"; rm -rf "$0"';
  const shell = spawn('sh', ['-c', script, dataDir], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.unref();
  (shell.stdin as Socket).unref();
  return { dismiss: () => process.kill(-shell.pid!) };
}
