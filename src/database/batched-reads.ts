import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { DeadlineExceededError, isDatabaseUnavailable } from './errors.js';

export interface BatchOptions<Group> {
  keyOf(group: Group): string | number;
  /** The most reads in one statement. */
  maxBatch: number;
  /** The most statements of a group that run at once. Reads that arrive meanwhile form the next batch. */
  maxRunning: number;
  /**
   * For results that the service takes about as long to process as PostgreSQL takes to read. The next statement is sent before
   * the results of the previous one are processed, so that both sides work in parallel. While a statement is running, a second
   * one starts only if two full batches are waiting, or after {@link PATIENCE_MS}. If both ended at the same time, the service
   * and PostgreSQL would take turns waiting for each other.
   */
  isPipelined?: boolean;
}

const PATIENCE_MS = 4;

interface PendingRead<Key, Result> {
  key: Key;
  since: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Combines concurrent reads of a group into few statements, like a data loader. It caches nothing: a statement begins after all
 * of its reads have been requested, so each read sees everything that was committed before it.
 */
export class BatchedReads<Group, Key, Result> {
  private readonly queues = new Map<string | number, Queue<Key, Result>>();

  /** @param readAll - runs one statement; returns a result for each key, in the same order */
  constructor(
    private readonly options: BatchOptions<Group>,
    private readonly readAll: (group: Group, keys: Key[]) => Promise<Result[]>,
  ) {}

  read(group: Group, key: Key): Promise<Result> {
    const groupKey = this.options.keyOf(group);
    let queue = this.queues.get(groupKey);
    if (!queue) {
      queue = new Queue(
        this.options,
        (keys) => this.readAll(group, keys),
        () => this.queues.delete(groupKey),
      );
      this.queues.set(groupKey, queue);
    }
    return queue.read(key);
  }
}

/** The reads of a group. The queue exists only while there are any. */
class Queue<Key, Result> {
  private pending: PendingRead<Key, Result>[] = [];
  /** When the running statements began, oldest first. */
  private readonly runningSince: number[] = [];
  private scheduled = false;
  private recheck?: NodeJS.Timeout;

  constructor(
    private readonly options: BatchOptions<never>,
    private readonly readAll: (keys: Key[]) => Promise<Result[]>,
    private readonly onEmpty: () => void,
  ) {}

  read(key: Key): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.pending.push({ key, since: performance.now(), resolve, reject });
      this.schedule();
    });
  }

  /** Waits until the end of this turn of the event loop, since concurrent requests arrive in several callbacks. */
  private schedule(): void {
    if (this.scheduled || this.runningSince.length === this.options.maxRunning) {
      return;
    }
    if (this.pending.length > 0) {
      this.scheduled = true;
      setImmediate(() => {
        this.scheduled = false;
        this.startNext();
      });
    } else if (this.runningSince.length === 0) {
      this.onEmpty();
    }
  }

  private startNext(): void {
    const waitMs = this.waitMs();
    if (waitMs > 0) {
      this.recheck ??= setTimeout(() => {
        this.recheck = undefined;
        if (this.pending.length > 0) {
          this.schedule();
        }
      }, Math.ceil(waitMs));
      return;
    }
    this.rejectLate();
    void this.run(this.pending.splice(0, this.options.maxBatch));
    this.schedule();
  }

  private waitMs(): number {
    const { isPipelined, maxBatch } = this.options;
    const [oldest] = this.runningSince;
    return isPipelined && oldest !== undefined && this.pending.length < 2 * maxBatch
      ? oldest + PATIENCE_MS - performance.now()
      : 0;
  }

  /** Drops reads whose callers no longer wait, to spare a slow database. */
  private rejectLate(): void {
    const inTime = this.pending.findIndex((read) => !isLate(read));
    const late = this.pending.splice(0, inTime < 0 ? this.pending.length : inTime);
    late.forEach(({ reject }) => reject(new DeadlineExceededError()));
  }

  private async run(batch: PendingRead<Key, Result>[]): Promise<void> {
    if (batch.length === 0) {
      return;
    }
    const since = performance.now();
    this.runningSince.push(since);
    const settle = await this.readOrReject(batch);
    this.runningSince.splice(this.runningSince.indexOf(since), 1);
    this.schedule();
    if (this.options.isPipelined) {
      setImmediate(settle);
    } else {
      settle();
    }
  }

  private async readOrReject(batch: PendingRead<Key, Result>[]): Promise<() => void> {
    try {
      return await this.readBatch(batch);
    } catch (error) {
      await this.resolveOneByOne(batch, error);
      return () => undefined;
    }
  }

  /** @returns a function that resolves the reads */
  private async readBatch(batch: PendingRead<Key, Result>[]): Promise<() => void> {
    const results = await this.readAll(batch.map(({ key }) => key));
    if (results.length !== batch.length) {
      throw new Error(`A statement returned ${results.length} results for ${batch.length} reads.`);
    }
    return () => batch.forEach(({ resolve }, index) => resolve(results[index]!));
  }

  /** A read that PostgreSQL refuses fails alone. If the database is unavailable, all of them fail. */
  private async resolveOneByOne(batch: PendingRead<Key, Result>[], error: unknown): Promise<void> {
    let failure = error;
    for (const read of batch) {
      if (batch.length === 1 || isDatabaseUnavailable(failure)) {
        read.reject(failure);
      } else if (isLate(read)) {
        read.reject(new DeadlineExceededError());
      } else {
        const settle = await this.readBatch([read]).catch((own: unknown) => () => {
          failure = own;
          read.reject(own);
        });
        settle();
      }
    }
  }
}

function isLate({ since }: { since: number }): boolean {
  return since <= performance.now() - REQUEST_TIME_LIMIT_MS;
}
