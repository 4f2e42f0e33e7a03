import { isDatabaseUnavailable } from '../database/is-database-unavailable.js';
import { ServiceUnavailableError } from '../http/errors.js';

const MAX_KEYS = 100;
/** While so many statements are on their way, lookups wait and are gathered: the busier, the fewer statements. */
const MAX_RUNNING = 4;
/** Who waited longer has been answered 503 by now. */
const PATIENCE_MS = 4_500;

interface Waiting<Row> {
  key: string;
  since: number;
  resolve(row: Row | null): void;
  reject(error: unknown): void;
}

/**
 * Gathers the lookups of one account into few statements. Nothing is answered from memory: a statement begins after
 * everybody in it has asked.
 */
export class GatheredLookups<Row> {
  private waiting: Waiting<Row>[] = [];
  private running = 0;
  private scheduled = false;

  /** @param find - returns what there is of the keys, in any order */
  constructor(
    private readonly find: (keys: string[]) => Promise<Row[]>,
    private readonly keyOf: (row: Row) => string,
  ) {}

  load(key: string): Promise<Row | null> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, since: performance.now(), resolve, reject });
      this.schedule();
    });
  }

  /** At the end of this turn of the event loop: requests of the same moment come in several callbacks of it. */
  private schedule(): void {
    if (!this.scheduled && this.running < MAX_RUNNING && this.waiting.length > 0) {
      this.scheduled = true;
      setImmediate(() => {
        this.scheduled = false;
        this.dropLate();
        void this.run(this.waiting.splice(0, MAX_KEYS));
        this.schedule();
      });
    }
  }

  /** So that those whom a slow database left waiting do not keep it busy, nor fill the memory. */
  private dropLate(): void {
    const late = performance.now() - PATIENCE_MS;
    const inTime = this.waiting.findIndex(({ since }) => since > late);
    const dropped = this.waiting.splice(0, inTime < 0 ? this.waiting.length : inTime);
    dropped.forEach(({ reject }) => reject(new ServiceUnavailableError()));
  }

  private async run(batch: Waiting<Row>[]): Promise<void> {
    if (batch.length === 0) {
      return;
    }
    this.running++;
    try {
      const rows = await this.find(batch.map(({ key }) => key));
      const found = new Map(rows.map((row) => [this.keyOf(row), row]));
      batch.forEach(({ key, resolve }) => resolve(found.get(key) ?? null));
    } catch (error) {
      await this.runOneByOne(batch, error);
    } finally {
      this.running--;
      this.schedule();
    }
  }

  /** A lookup that PostgreSQL refuses fails alone. */
  private async runOneByOne(batch: Waiting<Row>[], error: unknown): Promise<void> {
    if (batch.length === 1 || isDatabaseUnavailable(error)) {
      batch.forEach(({ reject }) => reject(error));
      return;
    }
    for (const { key, resolve, reject } of batch) {
      await this.find([key]).then(([row]) => resolve(row ?? null), reject);
    }
  }
}
