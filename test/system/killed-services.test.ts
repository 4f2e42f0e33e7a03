import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request, { type Agent } from 'supertest';
import { Child } from '../support/child-process.js';
import { ask } from '../support/data-folder.js';
import { startFakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { startTestApp, TEST_SECRETS_KEY } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
import { LOOPBACK, TestWebhook } from '../support/webhooks.js';
import { createWorld, suppress, type World } from '../support/world.js';

/** `npm run crash:import` takes a million. */
const IMPORTED = Number(process.env.IMPORT_ROWS ?? 10_000);
const LIFTED = 8_000;
const BOUNCED = 4_000;
const BATCH = 100;
const PUSHED = 600;
const REMOVED = 40;
/** For the rest of the work on a busy machine. */
const PATIENCE_MS = 120_000 + IMPORTED;
const MAX_LEASE_SECONDS = 45;

let folder: string;
/** Its service has ended. Each test works on a copy of its database. */
let world: World;
/** Of the tests, which run at the same time. */
const cleanups: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'suppression-list-killed-'));
  world = await createWorld();
  await world.app.close();
});
afterAll(async () => {
  for (const cleanUp of cleanups.toReversed()) {
    await cleanUp();
  }
  await world.database.drop();
  await rm(folder, { recursive: true });
});

/** A service that is killed and started again. */
class KilledService {
  url = '';
  private child!: Child;

  private constructor(
    readonly database: TestDatabase,
    private readonly settings: Record<string, string>,
  ) {}

  static async start(settings: Record<string, string> = {}): Promise<KilledService> {
    const service = new KilledService(await createTestDatabase({ copyOf: world.database }), settings);
    cleanups.push(() => service.remove());
    await service.start();
    return service;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.child.ended;
  }

  /** Ends the leases of jobs that the killed instance had, which would soon end anyway. */
  async endLeases(): Promise<void> {
    const long = `SELECT FROM jobs WHERE leased_until > now() + interval '${MAX_LEASE_SECONDS} seconds'`;
    expect(await this.database.query(long)).toEqual([]);
    await this.database.query('UPDATE jobs SET leased_until = now() WHERE lease_id IS NOT NULL');
  }

  async get<Body>(path: string): Promise<Body> {
    return (await ask(`${this.url}${path}`, world.alice)).json() as Promise<Body>;
  }

  async send<Body>(method: string, path: string, body: object | string = {}): Promise<Body> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${world.alice}`,
        'Content-Type': typeof body === 'string' ? 'text/plain' : 'application/json',
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    expect([method, path, response.ok]).toEqual([method, path, true]);
    return (await response.json()) as Body;
  }

  async remove(): Promise<void> {
    await this.kill();
    await this.database.drop();
  }

  private async start(): Promise<void> {
    const fixed = { DATABASE_URL: this.database.url, SECRETS_KEY: TEST_SECRETS_KEY };
    this.child = Child.service({ ...fixed, ...this.settings }, folder);
    const [, url] = await this.child.says(/listening on (http:[^"]+)/);
    this.url = url!;
  }
}

interface ImportProgress {
  id: string;
  status: string;
  rows: number;
  added: number;
}

describe('an import', () => {
  it.concurrent(
    'neither loses nor repeats a row when the service is killed in the middle of it, again and again',
    async () => {
      const file = Array.from({ length: IMPORTED }, (_, index) => `user${index}@example.com\n`).join('');
      const service = await KilledService.start();
      const { id } = await service.send<ImportProgress>('POST', '/imports', file);
      const progress = () => service.get<ImportProgress>(`/imports/${id}`);
      for (const share of [0.1, 0.5]) {
        await until(async () => (await progress()).rows >= share * IMPORTED, PATIENCE_MS);
        await service.restart();
        expect(await progress()).toMatchObject({ status: 'running' });
        await service.endLeases();
      }
      await until(async () => (await progress()).status === 'completed', PATIENCE_MS);
      expect(await progress()).toMatchObject({ rows: IMPORTED, added: IMPORTED, unchanged: 0 });
      const [counts] = await service.database.query(`
        SELECT (SELECT count(*) FROM suppressions) AS records,
          (SELECT count(*) FROM suppression_changes) AS lines,
          (SELECT count(DISTINCT email) FROM suppression_changes) AS addresses
      `);
      const all = String(IMPORTED);
      expect(counts).toEqual({ records: all, lines: all, addresses: all });
    },
    3 * PATIENCE_MS,
  );
});

interface LiftProgress {
  id: string;
  status: string;
  count: number;
  applied: number;
  skipped: number;
  reverted: number;
}

describe('a lift by query', () => {
  const recordsOf = ({ database }: KilledService) =>
    database.query('SELECT id, email, cause, created_at FROM suppressions ORDER BY email');

  it.concurrent(
    'neither loses nor repeats a line when the service is killed while it counts, applies, and reverts',
    async () => {
      const service = await KilledService.start();
      const file = Array.from({ length: LIFTED }, (_, index) => `user${index}@example.com\n`).join('');
      const { id: imported } = await service.send<ImportProgress>('POST', '/imports', file);
      const importPath = `/imports/${imported}`;
      await until(
        async () => (await service.get<ImportProgress>(importPath)).status === 'completed',
        PATIENCE_MS,
      );
      const before = await recordsOf(service);

      const query = { cause: 'manual', actor: imported };
      const { id } = await service.send<LiftProgress>('POST', '/lifts', query);
      const path = `/lifts/${id}`;
      const killWhen = async (isInTheMiddle: (lift: LiftProgress) => boolean): Promise<void> => {
        await until(async () => isInTheMiddle(await service.get<LiftProgress>(path)), PATIENCE_MS);
        await service.restart();
        await service.endLeases();
      };
      const reached = async (status: string): Promise<LiftProgress> => {
        let lift!: LiftProgress;
        await until(async () => {
          lift = await service.get<LiftProgress>(path);
          return lift.status === status;
        }, PATIENCE_MS);
        return lift;
      };
      await killWhen(({ count }) => count > 0);
      expect(await reached('ready')).toMatchObject({ count: LIFTED });

      await service.send('POST', `${path}/apply`, { confirm: LIFTED });
      await killWhen(({ applied }) => applied > 0);
      expect(await reached('applied')).toMatchObject({ applied: LIFTED, skipped: 0 });
      expect(await recordsOf(service)).toEqual([]);

      await service.send('POST', `${path}/revert`);
      await killWhen(({ reverted }) => reverted > 0);
      expect(await reached('reverted')).toMatchObject({ reverted: LIFTED });
      expect(await recordsOf(service)).toEqual(before);
      const [counts] = await service.database.query(`
        SELECT
          count(*) FILTER (WHERE evidence ->> 'lift' = '${id}') AS lifted,
          count(*) FILTER (WHERE evidence ->> 'reverted_lift' = '${id}') AS restored,
          count(DISTINCT email) AS addresses
        FROM suppression_changes`);
      const all = String(LIFTED);
      expect(counts).toEqual({ lifted: all, restored: all, addresses: all });
    },
    4 * PATIENCE_MS,
  );
});

describe('an incident', () => {
  const incidentsAt = async (service: KilledService) =>
    (await service.get<{ data: { addresses: number; held: number }[] }>('/incidents')).data;

  it.concurrent(
    'counts and holds each bounce once, however often the service is killed',
    async () => {
      const service = await KilledService.start();
      await service.send('PATCH', '/account', { incident_guard: 'hold' });
      const bounce = (email: string) => ({
        type: 'bounce',
        email,
        diagnostic: '550 5.1.1 No such user here',
      });
      await service.send('POST', '/events', bounce('first@other.example'));
      await service.database.query(`
        INSERT INTO delivery_events
          (account_id, source_id, key, kind, effect, outcome, recipient, reason, occurred_at, received_at)
        SELECT account_id, source_id, number::text, 'delivered', 'success', 'nothing', 'person' || number || '@gmail.com', 'Test.',
          now() - interval '2 days', now()
        FROM delivery_events, generate_series(0, ${BOUNCED - 1}) AS number`);
      for (let first = 0; first < BOUNCED; first += BATCH) {
        const emails = Array.from({ length: BATCH }, (_, index) => `person${first + index}@gmail.com`);
        await service.send('POST', '/events', emails.map(bounce));
      }
      for (const [from, count] of [
        ['addresses', 50],
        ['held', 1],
        ['held', BOUNCED / 2],
      ] as const) {
        await until(async () => ((await incidentsAt(service))[0]?.[from] ?? 0) >= count, PATIENCE_MS);
        await service.restart();
      }
      const all = BOUNCED + 1;
      await until(async () => ((await incidentsAt(service))[0]?.held ?? 0) >= all, PATIENCE_MS);
      expect(await incidentsAt(service)).toMatchObject([{ addresses: all, held: all }]);
      const [counts] = await service.database.query(`
        SELECT (SELECT count(*) FROM suppressions WHERE expires_at < now() + interval '1 day') AS held,
          (SELECT count(*) FROM held_bounces) AS holds,
          (SELECT count(*) FROM suppression_changes WHERE evidence ->> 'incident' IS NOT NULL) AS lines,
          (SELECT sum(addresses) FROM incident_counts) AS counted`);
      expect(counts).toEqual({
        held: String(all),
        holds: String(all),
        lines: String(all),
        counted: String(all),
      });
    },
    4 * PATIENCE_MS,
  );
});

interface ListBody {
  id: string;
  last_success_at: string | null;
  pushes: { pending: number; failed: number };
}

describe('pushing to a provider list', () => {
  it.concurrent(
    'neither loses nor doubles an entry when the service is killed while it adds and removes',
    async () => {
      const sendgrid = await startFakeSendGrid();
      cleanups.push(() => sendgrid.close());
      const service = await KilledService.start({ ...LOOPBACK, PROVIDER_API_URL_SENDGRID: sendgrid.url });
      const { id } = await service.send<ListBody>('POST', '/provider-lists', {
        provider: 'sendgrid',
        name: 'SendGrid',
        scope: { subuser: 'shop' },
        credentials: { api_key: 'SG.key' },
        push_additions: true,
        push_removals: true,
      });
      await service.send('POST', `/provider-lists/${id}/plans`);
      await until(
        async () => (await service.get<ListBody>(`/provider-lists/${id}`)).last_success_at !== null,
      );
      const listed = () => sendgrid.lists.unsubscribes!.map(({ email }) => email);
      const isDone = async (): Promise<boolean> => {
        const { pushes } = await service.get<ListBody>(`/provider-lists/${id}`);
        const [list] = await service.database.query<{ behind: boolean }>(
          `SELECT push_position < (SELECT last_position FROM feed_heads AS head WHERE head.account_id = list.account_id)
            OR EXISTS (SELECT FROM feed_pending WHERE feed_pending.account_id = list.account_id) AS behind
          FROM provider_lists AS list`,
        );
        return !list!.behind && pushes.pending === 0;
      };
      /** The leases of a dead instance and of its attempts end at once, so that the test need not wait for a minute. */
      const killWhen = async (isInTheMiddle: () => boolean): Promise<void> => {
        await until(isInTheMiddle, PATIENCE_MS);
        await service.restart();
        await service.database.query(
          'UPDATE provider_lists SET push_leased_until = now() WHERE push_lease_id IS NOT NULL',
        );
        await service.database.query(
          `UPDATE provider_list_pushes SET next_attempt_at = now() WHERE status = 'pending'`,
        );
      };

      const emails = Array.from({ length: PUSHED }, (_, index) => `user${index}@example.com`);
      await service.send('POST', '/imports', emails.join('\n'));
      await killWhen(() => listed().length > 0);
      await killWhen(() => listed().length > PUSHED / 3);
      await killWhen(() => listed().length > PUSHED / 2);
      await until(async () => listed().length >= PUSHED && (await isDone()), PATIENCE_MS);
      expect(listed().toSorted()).toEqual(emails.toSorted());
      const marks = await service.database.query<{ number: number }>(
        `SELECT count(*)::integer AS number FROM provider_list_pushes WHERE status = 'done' AND put_at IS NOT NULL`,
      );
      expect(marks).toEqual([{ number: PUSHED }]);

      const lifted = emails.slice(0, REMOVED);
      await service.send('POST', '/suppressions/batch/remove', { emails: lifted });
      await killWhen(() => listed().length < PUSHED);
      await until(async () => listed().length <= PUSHED - REMOVED && (await isDone()), PATIENCE_MS);
      expect(listed().toSorted()).toEqual(emails.slice(REMOVED).toSorted());

      const { id: plan } = await service.send<ListBody>('POST', `/provider-lists/${id}/plans`);
      let compared!: { status: string; counts: object };
      await until(async () => {
        compared = await service.get(`/provider-lists/${id}/plans/${plan}`);
        return compared.status !== 'comparing';
      }, PATIENCE_MS);
      const counts = { pull: 0, push: 0, remove: 0, drift: 0, cannot: 0, agreed: PUSHED - REMOVED };
      expect(compared).toMatchObject({ status: 'ready', counts });
    },
    4 * PATIENCE_MS,
  );
});

describe('an instance that is killed while it delivers to a webhook', () => {
  it.concurrent(
    'is replaced within a minute by another one, which loses no event and keeps their order',
    async () => {
      const first = await KilledService.start(LOOPBACK);
      let { url } = first;
      const as = (apiKey: string) => request.agent(url).set('Authorization', `Bearer ${apiKey}`) as Agent;
      const current: World = { ...world, as };
      const webhook = await TestWebhook.create(current, world.alice);
      cleanups.push(() => webhook.endpoint.close());
      webhook.endpoint.respond = (response) => void (webhook.endpoint.received.length < 3 && response.end());
      await suppress(current, world.alice, addresses('before'));
      await webhook.receives(3);
      await first.kill();
      webhook.endpoint.respond = (response) => void response.end();
      const [lease] = await first.database.query<{ seconds: number }>(
        'SELECT extract(epoch FROM leased_until - now())::integer AS seconds FROM webhooks',
      );
      expect(lease!.seconds).toBeLessThanOrEqual(MAX_LEASE_SECONDS);
      await first.database.query('UPDATE webhooks SET leased_until = now()');

      const second = await startTestApp(first.database.url, LOOPBACK);
      cleanups.push(() => second.close());
      url = second.url;
      await suppress(current, world.alice, addresses('after'));
      const all = [...addresses('before'), ...addresses('after')];
      await until(() => webhook.emails().at(-1) === all.at(-1), PATIENCE_MS);
      expect([...new Set(webhook.emails())]).toEqual(all);
      expect(new Set(webhook.endpoint.received.map(({ id }) => id)).size).toBe(all.length);
    },
    2 * PATIENCE_MS,
  );
});

function addresses(name: string): string[] {
  return Array.from({ length: 20 }, (_, index) => `${name}${String(index).padStart(2, '0')}@example.com`);
}
