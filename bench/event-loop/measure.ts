import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LoadedDatabase, ThrowAwayServer } from '../database.js';
import { ask, startService, stop, type Listener } from '../processes.js';
import { SENDGRID_KEY, worstRequests, type WorstRequest } from './requests.js';

const WATCH = fileURLToPath(new URL('./watch.js', import.meta.url));
const MAX_BLOCK_MS = 50;
const POLL_MS = 100;
const MAX_SHOWN = 500;

export interface Block {
  title: string;
  /** How long the request held the event loop: the lowest of the rounds, since everything else on the machine only adds to it. */
  ms: number;
  holds: boolean;
}

/** Sends each of the most expensive requests alone, and measures how long it keeps all others waiting. */
export async function measureEventLoop(
  server: ThrowAwayServer,
  database: LoadedDatabase,
  rounds: number,
): Promise<Block[]> {
  const service = await startService(server.folder, database, { preload: WATCH });
  const targets = {
    brevo: await server.createSource(database, 'brevo'),
    sparkpost: await server.createSource(database, 'sparkpost'),
    mail: await server.createSource(database, 'mail', '--unproven', 'allow'),
    sendgrid: await server.createSource(database, 'sendgrid', '--secret', `verification_key=${SENDGRID_KEY}`),
  };
  const measured = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const request of worstRequests(database.apiKey, targets)) {
      const ms = await longestBlock(service, request);
      if (round > 0) {
        measured.set(request.title, [...(measured.get(request.title) ?? []), ms]);
      }
    }
  }
  await stop(service.process);
  return [...measured].map(([title, values]) => {
    const ms = Math.min(...values);
    return { title, ms, holds: ms <= MAX_BLOCK_MS };
  });
}

async function longestBlock({ process: child, port }: Listener, request: WorstRequest): Promise<number> {
  const url = `http://127.0.0.1:${port}`;
  const { title, path, method = 'POST', headers, body, status, isJob } = request;
  await ask(child, 'start');
  const response = await fetch(url + path, { method, headers, body });
  const text = await response.text();
  if (response.status !== status) {
    throw new Error(`${title}: status ${response.status}, not ${status}: ${text.slice(0, MAX_SHOWN)}`);
  }
  if (isJob) {
    await untilCompleted(`${url}${path}/${JSON.parse(text).id}`, headers);
  }
  return (await ask(child, 'read')) as number;
}

async function untilCompleted(url: string, headers: Record<string, string> | undefined): Promise<void> {
  for (;;) {
    const response = await fetch(url, { headers: { Authorization: headers!.Authorization! } });
    const { status } = (await response.json()) as { status: string };
    if (status === 'completed') {
      return;
    }
    if (!response.ok || status === 'failed') {
      throw new Error(`The job ended with ${status}.`);
    }
    await delay(POLL_MS);
  }
}

export function formatBlocks(blocks: Block[]): string {
  const rows = blocks.map(
    ({ title, ms, holds }) => `| ${title} | ${ms.toFixed(1)} | ${holds ? 'ok' : 'MISSED'} |`,
  );
  return [`| request | longest block, ms (at most ${MAX_BLOCK_MS}) | |`, '| --- | --- | --- |', ...rows].join(
    '\n',
  );
}
