import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '../api-client.js';
import type { LoadedDatabase, TemporaryServer } from '../database.js';
import type { Options } from '../options.js';
import { startService, stop } from '../processes.js';
import type { Table } from '../report.js';

const CHANGES_PER_SECOND = 200;
const CHANGES_AT_ONCE = 10;
const WARM_UP_SECONDS = 5;
const MAX_P99_MS = 2_000;
const PATIENCE_MS = 30_000;
const POLL_MS = 50;

/** Adds addresses at a fixed rate while an endpoint on this machine receives the events. */
export async function measureArrival(
  server: TemporaryServer,
  database: LoadedDatabase,
  { rounds, seconds }: Options,
): Promise<Table> {
  const settings = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
  const service = await startService(server.folder, database, { settings });
  const api = new ApiClient(service.port, database.apiKey);
  const delays: number[] = [];
  const endpoint = createServer((request, response) => void receive(request, response, delays));
  endpoint.listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  const { port } = endpoint.address() as AddressInfo;
  await api.post('/webhooks', { endpoint: `http://127.0.0.1:${port}/`, events: ['suppression.added'] });
  await addAtFixedRate(api, 'warm-up', WARM_UP_SECONDS, delays);
  const changes = seconds * rounds * CHANGES_PER_SECOND;
  const rate = await addAtFixedRate(api, 'webhook', seconds * rounds, delays);
  endpoint.closeAllConnections();
  endpoint.close();
  await stop(service.process);
  const sorted = delays.toSorted((one, other) => one - other);
  const [p50, p99] = [sorted[Math.floor(0.5 * changes)]!, sorted[Math.floor(0.99 * changes)]!];
  const holds = p99 <= MAX_P99_MS;
  const row = {
    webhook: `from commit to arrival, ${Math.round(rate)} changes a second, ${changes.toLocaleString('en')} in all`,
    'p50, ms': p50,
    [`p99, ms (at most ${MAX_P99_MS.toLocaleString('en')})`]: p99,
    result: holds ? 'ok' : 'MISSED',
  };
  return { rows: [row], holds };
}

/** The timestamp of an event is taken just before the commit, on the same machine. */
async function receive(request: IncomingMessage, response: ServerResponse, delays: number[]): Promise<void> {
  const now = Date.now();
  const body = await text(request);
  response.end();
  delays.push(now - Date.parse(JSON.parse(body).created_at));
}

/**
 * Clears the delays, and waits until all events have arrived.
 *
 * @returns the number of changes a second that the service accepted
 */
async function addAtFixedRate(
  api: ApiClient,
  name: string,
  seconds: number,
  delays: number[],
): Promise<number> {
  delays.length = 0;
  const changes = seconds * CHANGES_PER_SECOND;
  const start = performance.now();
  for (let change = 0; change < changes; change += CHANGES_AT_ONCE) {
    await delay(Math.max(0, start + (change / CHANGES_PER_SECOND) * 1_000 - performance.now()));
    const emails = Array.from({ length: CHANGES_AT_ONCE }, (_, n) => `${name}${change + n}@example.com`);
    await Promise.all(emails.map((email) => api.post('/suppressions', { email })));
  }
  const rate = (1_000 * changes) / (performance.now() - start);
  const deadline = performance.now() + PATIENCE_MS;
  while (delays.length < changes) {
    if (performance.now() > deadline) {
      throw new Error(`The endpoint received ${delays.length} of ${changes} events.`);
    }
    await delay(POLL_MS);
  }
  return rate;
}
