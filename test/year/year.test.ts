import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { Child, SERVICE } from '../support/child-process.js';
import { randomNumbers } from '../support/incidents/incident-senders.js';
import { TEST_SECRETS_KEY } from '../support/test-app.js';
import { until } from '../support/until.js';

/** Of Debian's package faketime: gives the server and the service another clock. */
const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
const EVENTS = Number(process.env.YEAR_EVENTS ?? 250_000);
const DAYS = 365;
const DAYS_OF_MONTH = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH = 1_000;
const RETENTION_DAYS = 90;
/** For fifty million events. */
const TIME_LIMIT_MS = DAY_MS;
/**
 * Autovacuum gets its turns in the time of the test, which passes ten thousand times faster. A checkpoint begins with each day, after
 * which every page that changes would be written in full to the write-ahead log.
 */
const SERVER = {
  autovacuum_naptime: '1s',
  autovacuum_vacuum_cost_delay: '0',
  shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`,
  max_wal_size: '16GB',
  full_page_writes: 'off',
};
/** What keeps a line for each change, event, or record. */
const HISTORIES = ['delivery_events', 'feed_pages', 'suppression_changes', 'suppressions', 'withdrawals'];

const FIELDS = {
  delivered: '"type":"delivery"',
  deferred: '"type":"bounce","bounce_class":"22","raw_reason":"452 4.2.2 mailbox full"',
  bounced: '"type":"bounce","bounce_class":"10","raw_reason":"550 5.1.1 user unknown"',
  complained: '"type":"spam_complaint","fbtype":"abuse"',
};

interface Month {
  records: number;
  changes: number;
  events: number;
  /** Medians, in milliseconds. */
  lookup: number;
  event: number;
  check: number;
  /** Of the service, in MiB. */
  memory: number;
  /** Of tables with their indexes, in bytes. */
  sizes: Record<string, number>;
}

if (!existsSync(LIBRARY)) {
  console.warn(`${LIBRARY} is missing, so the year is skipped. On Debian: apt-get install libfaketime`);
}

(existsSync(LIBRARY) ? describe : describe.skip)(`a year with ${EVENTS} events`, () => {
  const numbers = randomNumbers(1);
  const random = (bound: number) => Math.floor(numbers() * bound);
  const months: Month[] = [];
  let folder: string;
  let postgres: EmbeddedPostgres;
  let database: Client;
  let service: Child;
  let url: string;
  let inbound: { url: string; authorization: string };
  let apiKey: string;
  let day = 0;
  let bounced = 0;

  const clock = () => join(folder, 'clock');
  const serverClock = () => join(folder, 'server-clock');
  const clockEnv = () => ({
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: clock(),
    FAKETIME_CACHE_DURATION: '1',
  });
  /**
   * The server's time is that of a file, plus the age of the server. Handlers of its signals ask for the time, so they must not
   * read a file by functions that allocate memory.
   */
  const serverClockEnv = () => ({
    LD_PRELOAD: LIBRARY,
    FAKETIME: '%',
    FAKETIME_FOLLOW_FILE: serverClock(),
    FAKETIME_DONT_RESET: '1',
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });
  const now = () => Date.now() + day * DAY_MS;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-year-'));
    await writeFile(clock(), '+0d');
    await writeFile(serverClock(), '');
    Object.assign(process.env, serverClockEnv());
    postgres = await EmbeddedPostgres.open(join(folder, 'postgres'), { role: 'client', settings: SERVER });
    const settings = { DATABASE_URL: postgres.url, SECRETS_KEY: TEST_SECRETS_KEY, ACCESS_LOG: 'false' };
    const cli = async (...args: string[]) => (await Child.cli(args, settings, folder).ended).stdout;
    await cli('migrate');
    await cli('account', 'create', 'sender', '--beta');
    await cli('account', 'set', 'sender', '--bounce-expiry', '30d,90d,180d', '--incident-guard', 'off');
    apiKey = JSON.parse(await cli('key', 'create', '--account', 'sender', '--json')).key;
    const created = ['--account', 'sender', '--provider', 'sparkpost', '--soft-limit', '5/14d', '--json'];
    const source = JSON.parse(await cli('source', 'create', ...created));
    const { username, password } = source.secrets;
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    // Other tests forgo optimized code, from which only a process that lives for hours gains.
    const program = ['--opt', SERVICE];
    service = Child.node(program, { PORT: '0', SHUTDOWN_DELAY: '0', ...settings, ...clockEnv() }, folder);
    [, url] = (await service.says(/listening on (http:[\d.:/]+)/)) as unknown as [string, string];
    inbound = {
      url: `${url}${new URL(source.url).pathname}`,
      authorization: username === undefined ? `Bearer ${password}` : `Basic ${basic}`,
    };
    database = new Client({ connectionString: postgres.url });
    await database.connect();
    for (day = 1; day <= DAYS; day++) {
      await beginDay();
      await Promise.all(Array.from({ length: 4 }, (_, part) => sendPart(part)));
      await call('DELETE', `${url}/suppressions/${bouncedAddress()}`, `Bearer ${apiKey}`);
      if (day % DAYS_OF_MONTH === 0) {
        months.push(await measure());
        process.stderr.write(`${lineOf(months.length, months.at(-1)!)}\n`);
      }
    }
  }, TIME_LIMIT_MS);
  afterAll(async () => {
    service.kill('SIGKILL');
    await service.ended;
    await database.end();
    await postgres.close();
    await rm(folder, { recursive: true });
  });

  /** Idle connections may be closed, and statements time out, while a day passes in an instant. */
  async function call(method: string, to: string, authorization: string, body?: string): Promise<Response> {
    let response: Response | undefined;
    const headers = { authorization, 'content-type': 'application/json' };
    await until(async () => {
      response = await fetch(to, { method, headers, ...(body && { body }) }).catch(() => undefined);
      await response?.clone().text();
      return response !== undefined && response.status !== 503;
    });
    return response!;
  }

  async function beginDay(): Promise<void> {
    await writeFile(clock(), `+${day}d`);
    const { mtimeMs } = await stat(serverClock());
    const lag = now() - (await timeOfServer());
    await utimes(serverClock(), (mtimeMs + lag) / 1_000, (mtimeMs + lag) / 1_000);
    await until(async () => {
      const response = await call('GET', `${url}/healthz`, '');
      return [await timeOfServer(), Date.parse(response.headers.get('date')!)].every(
        (time) => Math.abs(time - now()) < DAY_MS / 2,
      );
    });
  }

  async function timeOfServer(): Promise<number> {
    const { rows } = await database.query<{ now: Date }>('SELECT now() AS now');
    return rows[0]!.now.getTime();
  }

  /** A quarter of what a day has. */
  async function sendPart(part: number): Promise<void> {
    const perDay = Math.round(EVENTS / DAYS);
    for (let sent = part * BATCH; sent < perDay; sent += 4 * BATCH) {
      await send(Math.min(BATCH, perDay - sent));
    }
  }

  async function send(count: number): Promise<void> {
    const events = Array.from({ length: count }, nextEvent);
    const { status } = await call('POST', inbound.url, inbound.authorization, `[${events.join()}]`);
    expect(status).toBe(200);
  }

  const bouncedAddress = () => `bounced.address.${random(Math.max(1, bounced))}@example.com`;
  const customer = () => `customer.${random(EVENTS * 0.4)}@example.net`;

  /** In percent: 70 deliveries, 14 soft bounces, 10 new and 5 repeated hard bounces, and a complaint. */
  function nextEvent(): string {
    const percent = random(100);
    const [kind, email] =
      percent < 10
        ? (['bounced', `bounced.address.${bounced++}@example.com`] as const)
        : percent < 15
          ? (['bounced', bouncedAddress()] as const)
          : ([percent < 16 ? 'complained' : percent < 30 ? 'deferred' : 'delivered', customer()] as const);
    const id = randomUUID();
    const fields = `"event_id":"${id}","message_id":"${id}","timestamp":"${Math.floor(now() / 1_000)}"`;
    return `{"msys":{"message_event":{${FIELDS[kind]},${fields},"raw_rcpt_to":"${email}"}}}`;
  }

  async function measure(): Promise<Month> {
    const sizes = await database.query<{ table: string; bytes: string }>(
      `SELECT relname AS table, pg_total_relation_size(relid) AS bytes FROM pg_stat_user_tables ORDER BY 2 DESC`,
    );
    const counts = await database.query<{ records: number; changes: number; events: number }>(
      `SELECT
        (SELECT count(*)::integer FROM suppressions) AS records,
        (SELECT count(*)::integer FROM suppression_changes) AS changes,
        (SELECT count(*)::integer FROM delivery_events) AS events`,
    );
    const key = `Bearer ${apiKey}`;
    const emails = () => JSON.stringify({ emails: Array.from({ length: 1_000 }, customer) });
    return {
      ...counts.rows[0]!,
      lookup: await medianOf(200, () => call('GET', `${url}/suppressions/${bouncedAddress()}`, key)),
      event: await medianOf(100, () => send(1)),
      check: await medianOf(30, () => call('POST', `${url}/suppressions/check`, key, emails())),
      memory: await memoryOf(service),
      sizes: Object.fromEntries(sizes.rows.map(({ table, bytes }) => [table, Number(bytes)])),
    };
  }

  it('keeps no event that asked for no change longer than the retention', async () => {
    const old = await database.query(
      `SELECT kind, received_at FROM delivery_events
       WHERE effect <> 'suppress' AND received_at < now() - interval '${RETENTION_DAYS + 2} days' LIMIT 1`,
    );
    expect(old.rows).toEqual([]);
  });

  it('keeps no record longer than its expiry', async () => {
    const expired = `SELECT id FROM suppressions WHERE expires_at < now() - interval '1 day' LIMIT 1`;
    expect((await database.query(expired)).rows).toEqual([]);
  });

  it('lets only histories grow', () => {
    const [half, year] = [months[5]!.sizes, months[11]!.sizes];
    const grown = Object.keys(year).filter(
      (table) => !HISTORIES.includes(table) && year[table]! > 1.5 * half[table]! + 2 ** 20,
    );
    expect(grown).toEqual([]);
  });
});

function lineOf(month: number, { sizes, ...measured }: Month): string {
  const mib = { mib: mibOf(Object.values(sizes)), inbox: mibOf([sizes.delivery_events!]) };
  return JSON.stringify({ month, ...measured, ...mib });
}

const mibOf = (sizes: number[]) => Math.round(sizes.reduce((sum, bytes) => sum + bytes, 0) / 2 ** 20);

async function medianOf(times: number, work: () => Promise<unknown>): Promise<number> {
  const durations: number[] = [];
  for (let time = 0; time < times; time++) {
    const start = performance.now();
    await work();
    durations.push(performance.now() - start);
  }
  return Number(durations.sort((one, other) => one - other)[times / 2]!.toFixed(2));
}

async function memoryOf({ pid }: Child): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s*(\d+)/.exec(status)![1]) / 1024);
}
