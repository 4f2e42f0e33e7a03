import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { readOrCreateSecretsKey } from '../../../src/secrets/secrets-key.js';
import { FORMATS, snsCertificate } from './day-formats.js';
import type { Delivery } from './day-of-events.js';
import type { DataFolder, RunningService } from '../data-folder.js';
import { createSource } from '../sources.js';
import { startTestApp } from '../test-app.js';

interface Endpoint {
  path: string;
  secrets: Secrets;
}

type Secrets = Record<string, string>;

/** A delivery with its final response. */
export interface AnsweredDelivery {
  delivery: Delivery;
  status: number;
  at: number;
}

const SENDERS = 8;
/** A provider sends other bodies before it retries one. */
const OTHERS_BEFORE_RETRY = 12;
/** A delivery loses an attempt or two to each kill of the service, and to each broken connection. */
const MAX_ATTEMPTS = 10;
const DELIVERIES_PER_BREAK = 8;

const BREAK_TRANSACTION = `SELECT pg_terminate_backend(pid)
  FROM pg_stat_activity
  WHERE application_name = 'suppression-list' AND xact_start IS NOT NULL
  ORDER BY random()
  LIMIT 1`;

/** Creates the sources of a running service without `source create`, which would take as long as everything else. */
export async function createSources(folder: DataFolder, apiKey: string): Promise<Map<string, Endpoint>> {
  const endpoints = new Map([['event', { path: '/events', secrets: { key: apiKey } as Secrets }]]);
  const SECRETS_KEY = await readOrCreateSecretsKey(folder.dataDir);
  const app = await startTestApp(folder.databaseUrl, { SECRETS_KEY });
  for (const [name, { provider, options = {}, secrets = {} }] of Object.entries(FORMATS)) {
    if (provider) {
      const source = await createSource(app, provider, { account: 'demo', name, options, secrets });
      endpoints.set(name, source);
    }
  }
  await app.close();
  return endpoints;
}

/** The settings of a service whose `fetch` returns the certificate of Amazon SNS, and reaches nothing else. */
export async function withoutNetwork(folder: DataFolder): Promise<Record<string, string>> {
  const file = join(folder.path, 'network.mjs');
  const pem = JSON.stringify(snsCertificate.pem);
  await writeFile(
    file,
    `globalThis.fetch = async (url) => {
      if (!/^https:\\/\\/sns\\.us-east-1\\.amazonaws\\.com\\/SimpleNotificationService-/.test(url)) {
        throw new Error('there is no network');
      }
      return new Response(${pem});
    };\n`,
  );
  return { NODE_OPTIONS: `--import ${pathToFileURL(file).href}` };
}

/** Concurrent senders, which retry every delivery a limited number of times until it gets a status below 500. */
export class Senders {
  readonly answered: AnsweredDelivery[] = [];
  retries = 0;
  brokenTransactions = 0;
  private readonly attempts = new Map<Delivery, number>();
  private readonly queue: Delivery[];
  private readonly plannedKills: { after: number; done: boolean }[];
  private readonly total: number;

  constructor(
    private readonly endpoints: ReadonlyMap<string, Endpoint>,
    deliveries: Delivery[],
    private service: Promise<RunningService>,
    private readonly restart: () => Promise<RunningService>,
    private readonly database: Client,
  ) {
    this.queue = [...deliveries];
    this.total = deliveries.length;
    this.plannedKills = [1, 2].map((part) => ({ after: Math.floor((part * this.total) / 3), done: false }));
  }

  /**
   * Kills the service after a third and after two thirds of the deliveries, and regularly breaks the connection of a random
   * transaction.
   */
  async sendAll(): Promise<void> {
    await Promise.all(Array.from({ length: SENDERS }, () => this.sendSome()));
  }

  private async sendSome(): Promise<void> {
    for (let delivery = this.queue.shift(); delivery; delivery = this.queue.shift()) {
      const service = await this.service;
      const status = await this.send(service, delivery).catch(() => undefined);
      if (status === undefined || status >= 500) {
        this.countRetry(delivery, status);
        this.queue.splice(OTHERS_BEFORE_RETRY, 0, delivery);
        await delay(1);
      } else {
        this.answered.push({ delivery, status, at: Date.now() });
        this.killIfDue(service);
        await this.breakIfDue();
      }
    }
  }

  private countRetry(delivery: Delivery, status: number | undefined): void {
    const attempts = 1 + (this.attempts.get(delivery) ?? 0);
    if (attempts === MAX_ATTEMPTS) {
      throw new Error(
        `A body to ${delivery.source} failed ${attempts} times, last with ${status ?? 'no response'}.`,
      );
    }
    this.attempts.set(delivery, attempts);
    this.retries++;
  }

  private async send({ url }: RunningService, { source, id, text, isForged }: Delivery): Promise<number> {
    const { path, secrets } = this.endpoints.get(source)!;
    const { authenticate } = FORMATS[source]!;
    const wrong = Object.fromEntries(Object.keys(secrets).map((name) => [name, 'whsec_forged']));
    const proof = isForged ? authenticate(`${text} `, id, wrong) : authenticate(text, id, secrets);
    const headers = { 'Content-Type': 'application/json', ...proof };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: text });
    await response.arrayBuffer();
    return response.status;
  }

  /** The other senders are in the middle of their requests. */
  private killIfDue({ process }: RunningService): void {
    const due = this.plannedKills.find(({ after, done }) => !done && this.answered.length >= after);
    if (!due) {
      return;
    }
    due.done = true;
    process.kill('SIGKILL');
    this.service = process.ended.then(() => this.restart());
  }

  private async breakIfDue(): Promise<void> {
    if (this.answered.length % DELIVERIES_PER_BREAK === 0) {
      const { rowCount } = await this.database.query(BREAK_TRANSACTION);
      this.brokenTransactions += rowCount ?? 0;
    }
  }

  get kills(): number {
    return this.plannedKills.filter(({ done }) => done).length;
  }
}
