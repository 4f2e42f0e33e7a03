import { isDatabaseUnavailable } from '../database/is-database-unavailable.js';
import { ServiceUnavailableError } from '../http/errors.js';

/** Who waited longer has been answered 503 by now. */
const PATIENCE_MS = 4_500;

/** How readers are gathered: the busier, the fewer statements. */
export interface Gathering {
  /** So many readers are in one statement at most. */
  atOnce: number;
  /** While so many statements are on their way, readers wait. */
  onTheWay: number;
}

interface Waiting<Asked, Answer> {
  asked: Asked;
  since: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Gathers what readers of one account ask into few statements. Nothing is answered from memory: a statement begins after
 * everybody in it has asked.
 */
export class GatheredReads<Asked, Answer> {
  private waiting: Waiting<Asked, Answer>[] = [];
  private running = 0;
  private scheduled = false;

  /** @param readAll - one statement; returns an answer for each, in the order asked */
  constructor(
    private readonly gathering: Gathering,
    private readonly readAll: (asked: Asked[]) => Promise<Answer[]>,
  ) {}

  read(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ asked, since: performance.now(), resolve, reject });
      this.schedule();
    });
  }

  /** At the end of this turn of the event loop: requests of the same moment come in several callbacks of it. */
  private schedule(): void {
    if (!this.scheduled && this.running < this.gathering.onTheWay && this.waiting.length > 0) {
      this.scheduled = true;
      setImmediate(() => {
        this.scheduled = false;
        this.dropLate();
        void this.run(this.waiting.splice(0, this.gathering.atOnce));
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

  private async run(batch: Waiting<Asked, Answer>[]): Promise<void> {
    if (batch.length === 0) {
      return;
    }
    this.running++;
    try {
      const answers = await this.readAll(batch.map(({ asked }) => asked));
      batch.forEach(({ resolve }, index) => resolve(answers[index]!));
    } catch (error) {
      await this.runOneByOne(batch, error);
    } finally {
      this.running--;
      this.schedule();
    }
  }

  /** What PostgreSQL refuses fails alone. */
  private async runOneByOne(batch: Waiting<Asked, Answer>[], error: unknown): Promise<void> {
    if (batch.length === 1 || isDatabaseUnavailable(error)) {
      batch.forEach(({ reject }) => reject(error));
      return;
    }
    for (const { asked, resolve, reject } of batch) {
      await this.readAll([asked]).then(([answer]) => resolve(answer!), reject);
    }
  }
}
