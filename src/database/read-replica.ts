import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { BackgroundTask } from '../process/background-tasks.js';
import { codeOf, DatabaseError, DeadlineExceededError, NoConnectionError } from './errors.js';
import { compareSchema } from './startup/schema.js';

/** PostgreSQL: cancelled by the statement timeout. */
const QUERY_CANCELED = '57014';
/** pg: no connection of the pool became free in time. */
const POOL_EXHAUSTED = 'timeout exceeded when trying to connect';
/** PostgreSQL: transaction rollback, as when replication must remove rows that a long read still sees. */
const CONFLICT = /^40/;

function isOutOfTime(error: unknown): boolean {
  return (
    error instanceof DeadlineExceededError ||
    error instanceof NoConnectionError ||
    codeOf(error) === QUERY_CANCELED ||
    (error as Error).message === POOL_EXHAUSTED
  );
}

/** Messages of PostgreSQL may quote addresses. */
function problemOf(error: unknown): string {
  return codeOf(error) || (error as Error).message;
}

const CHECK_INTERVAL_MS = 5_000;
/** A failure this long after the previous one is a new problem. */
const NEW_PROBLEM_MS = 600_000;
const MAX_PAUSE_MS = 300_000;

/**
 * Runs reads that may be out of date on the server at `DATABASE_REPLICA_URL`, and on the primary while that server cannot be
 * used. Without the setting, all of them run on the primary, and so do those inside {@link ReadReplica.onPrimary}.
 */
export class ReadReplica implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('ReadReplica');
  private readonly checks = new BackgroundTask({
    name: 'ReadReplica',
    intervalMs: CHECK_INTERVAL_MS,
    failure: 'the read replica could not be checked',
    run: () => this.check(),
  });
  /** Undefined until the replica has been reached. */
  dataSource?: DataSource;
  /** How far the replica is behind the primary; undefined without a replica, or while that is unknown. */
  lagSeconds?: number;
  /** Undefined before the first check. */
  private isUsed?: boolean;
  /** How long the primary serves after a read failed on the replica, although the checks succeed. */
  private pauseMs = 0;
  private failedAt = -Infinity;

  /** @param open - connects to the replica, and is repeated until it succeeds */
  constructor(
    private readonly primary: DataSource,
    private readonly open?: () => Promise<DataSource>,
  ) {}

  /** Whether reads run on the replica; undefined without a replica. */
  get isUp(): boolean | undefined {
    return this.open && this.isUsed === true;
  }

  async onModuleInit(): Promise<void> {
    if (this.open) {
      this.checks.start();
      await this.run();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.checks.stop();
    await this.dataSource?.destroy();
  }

  /** Checks the replica now instead of within five seconds. */
  run(): Promise<void> {
    return this.checks.run();
  }

  /** Runs work with all reads on the primary, so that they show what the caller has just written. */
  onPrimary<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.open ? onPrimary(work) : work();
  }

  /** Whether this is inside {@link ReadReplica.onPrimary}. */
  get isOnPrimary(): boolean {
    return isOnPrimary();
  }

  /**
   * Runs a read on the replica, or on the primary if it fails there. The primary does not take over the load of a replica that is
   * only slow.
   *
   * @param isSufficient - whether the result of the replica suffices; otherwise the primary is read
   */
  async read<Result>(
    work: (dataSource: DataSource) => Promise<Result>,
    isSufficient: (result: Result) => boolean = () => true,
  ): Promise<Result> {
    if (this.dataSource && this.isUsed && !this.isOnPrimary) {
      try {
        const result = await work(this.dataSource);
        if (isSufficient(result)) {
          return result;
        }
      } catch (error) {
        if (isOutOfTime(error)) {
          throw error;
        }
        const result = await work(this.primary);
        // Of the reads that fail together, such as when the replica restarts, only the first one counts.
        if (this.isUsed && !CONFLICT.test(codeOf(error))) {
          this.pause();
          this.usePrimary(problemOf(error));
        }
        return result;
      }
    }
    return work(this.primary);
  }

  private async check(): Promise<void> {
    try {
      this.dataSource ??= await this.open!();
      const { pending } = await compareSchema(this.dataSource);
      if (pending.length > 0) {
        throw new DatabaseError('it lacks migrations of this version');
      }
      this.lagSeconds = await readLag(this.dataSource);
      if (performance.now() >= this.failedAt + this.pauseMs) {
        this.useReplica();
      }
    } catch (error) {
      const isBusy = this.isUsed && isOutOfTime(error);
      if (!isBusy) {
        this.lagSeconds = undefined;
        this.usePrimary(problemOf(error));
      }
    }
  }

  private useReplica(): void {
    if (!this.isUsed) {
      this.isUsed = true;
      this.logger.log('reads of lists, histories, exports, counts, and events use the read replica');
    }
  }

  /** Doubles the pause while reads fail repeatedly, such as for a missing privilege that the checks do not need. */
  private pause(): void {
    const now = performance.now();
    const isNew = now - this.failedAt > NEW_PROBLEM_MS;
    this.pauseMs = isNew ? CHECK_INTERVAL_MS : Math.min(2 * this.pauseMs, MAX_PAUSE_MS);
    this.failedAt = now;
  }

  private usePrimary(problem: string): void {
    if (this.isUsed !== false) {
      this.isUsed = false;
      this.logger.warn(`the read replica cannot be used, so the primary serves all reads: ${problem}`);
    }
  }
}

/**
 * The age of the last transaction that the replica shows, or 0 if it shows all that its primary sends. Without a connection to
 * the primary, it cannot know that.
 */
const READ_LAG = `
  SELECT CASE
    WHEN NOT pg_is_in_recovery() THEN 0
    WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT FROM pg_stat_wal_receiver) THEN 0
    ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::double precision
  END AS seconds`;

async function readLag(replica: DataSource): Promise<number | undefined> {
  const [row] = await replica.query<{ seconds: number | null }[]>(READ_LAG);
  return row?.seconds ?? undefined;
}

const storage = new AsyncLocalStorage<true>();
let running = 0;

/**
 * Runs work with all reads on the primary. The storage is disabled afterwards, because while it is enabled, every promise of
 * the process costs more, and a lookup takes a quarter more processor time.
 */
export async function onPrimary<Result>(work: () => Promise<Result>): Promise<Result> {
  running++;
  try {
    return await storage.run(true, work);
  } finally {
    running--;
    if (running === 0) {
      storage.disable();
    }
  }
}

function isOnPrimary(): boolean {
  return storage.getStore() === true;
}
