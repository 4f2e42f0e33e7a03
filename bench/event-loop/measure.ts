import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ApiClient } from '../api-client.js';
import type { LoadedDatabase, TemporaryServer } from '../database.js';
import type { Options } from '../options.js';
import { ask, startService, stop } from '../processes.js';
import type { Table } from '../report.js';
import { SENDGRID_KEY, worstRequests, type WorstRequest } from './requests.js';

const WATCH = fileURLToPath(new URL('./watch.js', import.meta.url));
const MAX_BLOCK_MS = 50;

/**
 * Sends the most expensive requests one at a time, and measures how long each keeps all others waiting: the lowest value of the
 * rounds, since other work on the machine can only increase it.
 */
export async function measureEventLoop(
  server: TemporaryServer,
  database: LoadedDatabase,
  { rounds }: Options,
): Promise<Table> {
  const { process: child, port } = await startService(server.folder, database, { preload: WATCH });
  const api = new ApiClient(port, database.apiKey);
  const targets = {
    brevo: await server.createSource(database, 'brevo'),
    sparkpost: await server.createSource(database, 'sparkpost'),
    mail: await server.createSource(database, 'mail', '--unproven', 'allow'),
    sendgrid: await server.createSource(database, 'sendgrid', '--secret', `verification_key=${SENDGRID_KEY}`),
  };
  const blocks = new Map<string, number>();
  for (let round = 0; round <= rounds; round++) {
    for (const request of worstRequests(targets)) {
      const ms = await longestBlock(child, api, request);
      if (round > 0) {
        blocks.set(request.title, Math.min(ms, blocks.get(request.title) ?? Infinity));
      }
    }
  }
  await stop(child);
  return {
    rows: [...blocks].map(([title, ms]) => ({
      request: title,
      [`longest block, ms (at most ${MAX_BLOCK_MS})`]: ms.toFixed(1),
      result: ms <= MAX_BLOCK_MS ? 'ok' : 'MISSED',
    })),
    holds: [...blocks.values()].every((ms) => ms <= MAX_BLOCK_MS),
  };
}

async function longestBlock(child: ChildProcess, api: ApiClient, request: WorstRequest): Promise<number> {
  await ask(child, 'start');
  const text = await (await api.request(request.path, request)).text();
  if (request.path === '/imports') {
    await api.untilImport(JSON.parse(text).id, ({ status }) => status === 'completed');
  }
  return (await ask(child, 'read')) as number;
}
