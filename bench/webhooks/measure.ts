import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadedDatabase, ThrowAwayServer } from '../database.js';
import { startService, stop } from '../processes.js';

const CHANGES_PER_SECOND = 200;
const CHANGES_AT_ONCE = 10;
const WARM_UP_SECONDS = 5;
const MAX_P99_MS = 2_000;
const PATIENCE_MS = 30_000;
const POLL_MS = 50;

/** How long changes take from their commit to the endpoint of a webhook. */
export interface Arrival {
  changes: number;
  /** Changes a second. */
  rate: number;
  p50Ms: number;
  p99Ms: number;
  holds: boolean;
}

/** Adds addresses at a fixed rate, one in a request, while an endpoint on this machine receives them. */
export async function measureArrival(
  server: ThrowAwayServer,
  database: LoadedDatabase,
  seconds: number,
): Promise<Arrival> {
  const settings = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
  const service = await startService(server.folder, database, { settings });
  const url = `http://127.0.0.1:${service.port}`;
  const headers = { Authorization: `Bearer ${database.apiKey}`, 'Content-Type': 'application/json' };
  const delays: number[] = [];
  const endpoint = createServer((request, response) => void receive(request, response, delays));
  endpoint.listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  const { port } = endpoint.address() as AddressInfo;
  await post(`${url}/webhooks`, headers, {
    endpoint: `http://127.0.0.1:${port}/`,
    events: ['suppression.added'],
  });
  const warmUpChanges = WARM_UP_SECONDS * CHANGES_PER_SECOND;
  await addAtFixedRate(`${url}/suppressions`, headers, 'warm-up', warmUpChanges);
  await untilReceived(delays, warmUpChanges);
  delays.length = 0;
  const changes = seconds * CHANGES_PER_SECOND;
  const rate = await addAtFixedRate(`${url}/suppressions`, headers, 'webhook', changes);
  await untilReceived(delays, changes);
  endpoint.closeAllConnections();
  endpoint.close();
  await stop(service.process);
  delays.sort((a, b) => a - b);
  const [p50Ms, p99Ms] = [0.5, 0.99].map((share) => delays[Math.floor(share * delays.length)]!) as [
    number,
    number,
  ];
  return { changes, rate, p50Ms, p99Ms, holds: p99Ms <= MAX_P99_MS };
}

/** The timestamp of an event is taken just before the commit, on the same machine. */
async function receive(request: IncomingMessage, response: ServerResponse, delays: number[]): Promise<void> {
  const now = Date.now();
  const parts: Buffer[] = [];
  for await (const part of request) {
    parts.push(part as Buffer);
  }
  response.end();
  delays.push(now - Date.parse(JSON.parse(Buffer.concat(parts).toString()).created_at));
}

/** @returns how many changes a second the service accepted */
async function addAtFixedRate(
  url: string,
  headers: Record<string, string>,
  name: string,
  changes: number,
): Promise<number> {
  const start = performance.now();
  for (let change = 0; change < changes; change += CHANGES_AT_ONCE) {
    await delay(Math.max(0, start + (change / CHANGES_PER_SECOND) * 1_000 - performance.now()));
    const emails = Array.from(
      { length: CHANGES_AT_ONCE },
      (_, index) => `${name}${change + index}@example.com`,
    );
    await Promise.all(emails.map((email) => post(url, headers, { email })));
  }
  return (1_000 * changes) / (performance.now() - start);
}

async function post(url: string, headers: Record<string, string>, body: object): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (response.status !== 201) {
    throw new Error(`${url}: status ${response.status}: ${text}`);
  }
}

async function untilReceived(delays: number[], changes: number): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (delays.length < changes) {
    if (performance.now() > deadline) {
      throw new Error(`The endpoint received ${delays.length} of ${changes} events.`);
    }
    await delay(POLL_MS);
  }
}

export function formatArrival({ changes, rate, p50Ms, p99Ms, holds }: Arrival): string {
  const load = `${Math.round(rate)} changes a second, ${changes.toLocaleString('en')} in all`;
  return [
    `| webhook | p50, ms | p99, ms (at most ${MAX_P99_MS.toLocaleString('en')}) | |`,
    '| --- | --- | --- | --- |',
    `| from commit to arrival, ${load} | ${p50Ms} | ${p99Ms} | ${holds ? 'ok' : 'MISSED'} |`,
  ].join('\n');
}
