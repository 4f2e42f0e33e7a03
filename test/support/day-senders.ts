import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { readOrCreateSecretsKey } from '../../src/secrets/secrets-key.js';
import { DIALECTS, snsCertificate } from './day-dialects.js';
import type { Sending } from './day-of-events.js';
import type { DataFolder, RunningService } from './data-folder.js';
import { createSource } from './sources.js';
import { startTestApp } from './test-app.js';

/** A source as a sender knows it. */
interface Address {
  path: string;
  secrets: Secrets;
}

type Secrets = Record<string, string>;

/** A body that was answered for good. */
export interface Answered {
  sending: Sending;
  status: number;
  at: number;
}

const SENDERS = 8;
/** A provider goes on with other bodies before it tries one again. */
const OTHERS_BEFORE_RETRY = 12;
/** A service that is killed costs a body an attempt or two, and so does a connection that breaks. */
const MAX_ATTEMPTS = 10;
const ANSWERS_TO_BREAK = 8;

const BREAK_TRANSACTION = `SELECT pg_terminate_backend(pid)
  FROM pg_stat_activity
  WHERE application_name = 'suppression-list' AND xact_start IS NOT NULL
  ORDER BY random()
  LIMIT 1`;

/** Makes the sources of a running service: `source create` for each takes as long as all else. */
export async function createSources(folder: DataFolder, apiKey: string): Promise<Map<string, Address>> {
  const addresses = new Map([['event', { path: '/events', secrets: { key: apiKey } as Secrets }]]);
  const SECRETS_KEY = await readOrCreateSecretsKey(folder.dataDir);
  const maker = await startTestApp(folder.databaseUrl, { SECRETS_KEY });
  for (const [name, { provider, options = {}, secrets = {} }] of Object.entries(DIALECTS)) {
    if (provider) {
      const source = await createSource(maker, provider, { account: 'demo', name, options, secrets });
      addresses.set(name, source);
    }
  }
  await maker.close();
  return addresses;
}

/** A setting of a service whose `fetch` finds the certificate of Amazon SNS, and nothing else in the world. */
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

/** Eight senders at once, who send every body again until it is answered with less than 500, but not for ever. */
export class Senders {
  readonly answered: Answered[] = [];
  retries = 0;
  broken = 0;
  private readonly attempts = new Map<Sending, number>();
  private readonly queue: Sending[];
  private readonly kills: { after: number; done: boolean }[];
  private readonly total: number;

  constructor(
    private readonly addresses: ReadonlyMap<string, Address>,
    sendings: Sending[],
    private service: Promise<RunningService>,
    private readonly restart: () => Promise<RunningService>,
    private readonly database: Client,
  ) {
    this.queue = [...sendings];
    this.total = sendings.length;
    this.kills = [1, 2].map((part) => ({ after: Math.floor((part * this.total) / 3), done: false }));
  }

  /**
   * Kills the service when a third and two thirds of the bodies were answered, and breaks the connection of some transaction
   * now and then.
   */
  async sendAll(): Promise<void> {
    await Promise.all(Array.from({ length: SENDERS }, () => this.sendSome()));
  }

  private async sendSome(): Promise<void> {
    for (let sending = this.queue.shift(); sending; sending = this.queue.shift()) {
      const service = await this.service;
      const status = await this.send(service, sending).catch(() => undefined);
      if (status === undefined || status >= 500) {
        this.countRetry(sending, status);
        this.queue.splice(OTHERS_BEFORE_RETRY, 0, sending);
        await delay(1);
      } else {
        this.answered.push({ sending, status, at: Date.now() });
        this.killWhenDue(service);
        await this.breakWhenDue();
      }
    }
  }

  private countRetry(sending: Sending, status: number | undefined): void {
    const attempts = 1 + (this.attempts.get(sending) ?? 0);
    if (attempts === MAX_ATTEMPTS) {
      throw new Error(
        `A body to ${sending.source} failed ${attempts} times, last with ${status ?? 'no answer'}.`,
      );
    }
    this.attempts.set(sending, attempts);
    this.retries++;
  }

  private async send({ url }: RunningService, { source, id, text, isForged }: Sending): Promise<number> {
    const { path, secrets } = this.addresses.get(source)!;
    const { prove } = DIALECTS[source]!;
    const wrong = Object.fromEntries(Object.keys(secrets).map((name) => [name, 'whsec_forged']));
    const proof = isForged ? prove(`${text} `, id, wrong) : prove(text, id, secrets);
    const headers = { 'Content-Type': 'application/json', ...proof };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: text });
    await answer.arrayBuffer();
    return answer.status;
  }

  /** In the midst of what the others send. */
  private killWhenDue({ process }: RunningService): void {
    const due = this.kills.find(({ after, done }) => !done && this.answered.length >= after);
    if (!due) {
      return;
    }
    due.done = true;
    process.kill('SIGKILL');
    this.service = process.ended.then(() => this.restart());
  }

  private async breakWhenDue(): Promise<void> {
    if (this.answered.length % ANSWERS_TO_BREAK === 0) {
      const { rowCount } = await this.database.query(BREAK_TRANSACTION);
      this.broken += rowCount ?? 0;
    }
  }

  get killed(): number {
    return this.kills.filter(({ done }) => done).length;
  }
}
