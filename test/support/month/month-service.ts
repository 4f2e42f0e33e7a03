import { Client } from 'pg';
import { PushLeasesRepository } from '../../../src/provider-lists/push/push-leases.repository.js';
import { Child } from '../child-process.js';
import type { FakeRequest } from '../fake-providers/fake-provider.js';
import { TEST_SECRETS_KEY } from '../test-app.js';
import { until } from '../until.js';
import { LOOPBACK } from '../webhooks.js';
import type { World } from '../world.js';
import { DAY_MS, type MonthLog } from './month-log.js';
import type { Site } from './month-sites.js';

/** Longer than the lease of a list, which a statement of a dead process may still take. */
const PATIENCE_MS = 300_000;
/** What comparisons with provider lists depend on. Ids and times of other tables stay as they are. */
const SHIFTED = `'delivery_events', 'jobs', 'suppression_changes', 'suppressions', 'withdrawals'`;

/**
 * Lets a day pass, if no instance holds anything in memory that has a date: neither a list nor a job. The locks keep them from
 * beginning until the caller has aged the providers, too.
 */
const NIGHT = `
  CREATE FUNCTION pass_night() RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    shift text;
  BEGIN
    LOCK TABLE provider_lists, jobs IN ACCESS EXCLUSIVE MODE;
    IF EXISTS (SELECT FROM provider_lists WHERE push_lease_id IS NOT NULL AND push_leased_until > now())
      OR EXISTS (SELECT FROM jobs WHERE status IN ('queued', 'running') AND lease_id IS NOT NULL)
    THEN
      RETURN false;
    END IF;
    ALTER TABLE suppression_changes DISABLE TRIGGER USER;
    FOR shift IN
      SELECT format(
        'UPDATE %I SET %s',
        table_name,
        string_agg(format('%I = %I - interval ''1 day''', column_name, column_name), ', ')
      )
      FROM information_schema.columns
      WHERE table_schema = 'public'
        AND data_type = 'timestamp with time zone'
        AND (table_name LIKE 'provider_list%' OR table_name IN (${SHIFTED}))
      GROUP BY table_name
    LOOP
      EXECUTE shift;
    END LOOP;
    ALTER TABLE suppression_changes ENABLE TRIGGER USER;
    RETURN true;
  END $$`;

/** Nothing is left that an instance could do today. */
const IS_QUIET = `
  SELECT NOT EXISTS (SELECT FROM feed_pending) AND NOT EXISTS (
    SELECT FROM provider_lists AS list
    WHERE push_lease_id IS NOT NULL AND push_leased_until > now()
      OR has_withdrawn
      OR stopped_at IS NULL
      AND last_success_at IS NOT NULL
      AND (push_paused_until IS NULL OR push_paused_until <= now())
      AND (
        pushing_plan_id IS NOT NULL
        OR push_position < (SELECT last_position FROM feed_heads WHERE account_id = list.account_id)
        OR EXISTS (
          SELECT FROM provider_list_pushes
          WHERE provider_list_id = list.id AND status = 'pending' AND next_attempt_at <= now()
        )
      )
  ) AND NOT EXISTS (
    SELECT FROM jobs
    WHERE status IN ('queued', 'running') AND (lease_id IS NOT NULL OR leased_until IS NULL OR leased_until <= now())
  ) AS quiet`;

const BUSY = `
  SELECT list.*, push.status, push.action, push.number
  FROM provider_lists AS list
  LEFT JOIN LATERAL (
    SELECT status, action, count(*) AS number
    FROM provider_list_pushes
    WHERE provider_list_id = list.id AND next_attempt_at <= now()
    GROUP BY status, action
  ) AS push ON true`;

/** A live instance renews the lease of a job of 15 seconds every four seconds. */
const END_DEAD_JOBS = `
  UPDATE jobs SET leased_until = now() - interval '1 second'
  WHERE lease_id IS NOT NULL AND leased_until < now() + interval '7 seconds'`;

/** Two instances: one in the process of the test, and one that is killed. */
export class MonthService {
  readonly killedAt: number[] = [];
  /** How many kills were in the middle of a request to a provider. */
  killsInRequests = 0;
  /** The addresses that were being added at a provider when the process was killed. */
  readonly interrupted: string[] = [];
  /** Of the process that is killed, while it lives. */
  url = '';
  private child?: Child;
  private armedFor?: 'request' | 'addition' | undefined;
  private killing?: Promise<void>;

  private constructor(
    readonly world: World,
    private readonly sites: Site[],
    private readonly log: MonthLog,
    private readonly folder: string,
    /** Where the process finds the providers. */
    private readonly origins: Record<string, string>,
    private readonly night: Client,
  ) {}

  static async start(world: World, sites: Site[], log: MonthLog, folder: string): Promise<MonthService> {
    const night = new Client({ connectionString: world.database.url });
    night.on('error', () => undefined);
    await night.connect();
    await night.query(NIGHT);
    const origins = await Promise.all(
      sites.map(async ({ name, fake }) => [`PROVIDER_API_URL_${name.toUpperCase()}`, await fake.listen()]),
    );
    const service = new MonthService(world, sites, log, folder, Object.fromEntries(origins), night);
    await service.startChild();
    return service;
  }

  async close(): Promise<void> {
    await this.killing;
    this.child?.kill('SIGKILL');
    await this.child?.ended;
    await this.night.end();
  }

  private async startChild(): Promise<void> {
    const settings = {
      ...LOOPBACK,
      ...this.origins,
      DATABASE_URL: this.world.database.url,
      SECRETS_KEY: TEST_SECRETS_KEY,
      MIGRATE_ON_START: 'false',
      ACCESS_LOG: 'false',
    };
    this.child = Child.service(settings, this.folder);
    const [, url] = await this.child.says(/listening on (http:[\d.:/]+)/);
    this.url = url!;
  }

  /**
   * Kills the process in the middle of its next request to a provider, or of its next addition there; at the latest in the evening.
   */
  arm(armedFor: 'request' | 'addition'): void {
    this.armedFor = armedFor;
  }

  wasKilledWithin(ms: number): boolean {
    return this.killedAt.some((at) => Date.now() - at < ms);
  }

  onRequest(site: Site, request: FakeRequest): void {
    const change = site.changeOf(request);
    const isExpected = this.armedFor === 'request' || (this.armedFor && change?.action === 'add');
    if (isExpected && Object.values(this.origins).includes(request.url.origin)) {
      if (change?.action === 'add') {
        this.interrupted.push(change.address.toLowerCase());
        this.log.count(`addition at ${site.name} interrupted`);
      }
      this.killsInRequests++;
      this.kill();
    }
  }

  private kill(): void {
    this.armedFor = undefined;
    const dead = this.child!;
    dead.kill('SIGKILL');
    this.killedAt.push(Date.now());
    this.url = this.world.url;
    this.killing = this.replace(dead);
  }

  /** The leases of the dead process end at once. */
  private async replace(dead: Child): Promise<void> {
    await dead.ended;
    await this.world.database.query(
      'UPDATE provider_lists SET push_leased_until = now() WHERE push_lease_id <> $1',
      [this.world.app.get(PushLeasesRepository).leaseId],
    );
    await this.startChild();
  }

  async untilQuiet(): Promise<void> {
    const { database } = this.world;
    const isQuiet = async () => {
      await database.query(END_DEAD_JOBS);
      const [row] = await database.query<{ quiet: boolean }>(IS_QUIET);
      return row!.quiet;
    };
    await until(isQuiet, PATIENCE_MS).catch(async () => {
      throw new Error(`Something goes on all day: ${JSON.stringify(await database.query(BUSY))}`);
    });
  }

  /** The next day begins, with everything a day older. */
  async passNight(): Promise<void> {
    if (this.armedFor) {
      this.kill();
    }
    await this.killing;
    this.killing = undefined;
    await until(() => this.tryToPassNight(), PATIENCE_MS);
  }

  private async tryToPassNight(): Promise<boolean> {
    await this.world.database.query(END_DEAD_JOBS);
    await this.night.query('BEGIN');
    try {
      const { rows } = await this.night.query<{ passed: boolean }>('SELECT pass_night() AS passed');
      if (rows[0]!.passed) {
        this.sites.forEach((site) => site.age(DAY_MS));
        this.log.endDay();
      }
      await this.night.query('COMMIT');
      return rows[0]!.passed;
    } catch (error) {
      await this.night.query('ROLLBACK');
      if (['40P01', '55P03'].includes((error as { code: string }).code)) {
        return false;
      }
      throw error;
    }
  }
}
