import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { DeadlineExceededError } from './errors.js';
import { isDatabaseUnavailable } from './is-database-unavailable.js';

/** How readers are gathered: the busier, the fewer statements. */
export interface Gathering<Group> {
  /** What a group is known by. */
  keyOf(group: Group): string | number;
  /** So many readers are in one statement at most. */
  atOnce: number;
  /** While so many statements of a group are on their way, its readers wait. */
  onTheWay: number;
}

interface Waiting<Asked, Answer> {
  asked: Asked;
  since: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Gathers what the readers of a group ask in the same moment into few statements. Nothing is answered from memory: a
 * statement begins after everybody in it has asked.
 */
export class BatchedReads<Group, Asked, Answer> {
  private readonly queues = new Map<string | number, Queue<Asked, Answer>>();

  /** @param readAll - one statement; returns an answer for each, in the order asked */
  constructor(
    private readonly gathering: Gathering<Group>,
    private readonly readAll: (group: Group, asked: Asked[]) => Promise<Answer[]>,
  ) {}

  read(group: Group, asked: Asked): Promise<Answer> {
    const key = this.gathering.keyOf(group);
    let queue = this.queues.get(key);
    if (!queue) {
      queue = new Queue(
        this.gathering,
        (all) => this.readAll(group, all),
        () => this.queues.delete(key),
      );
      this.queues.set(key, queue);
    }
    return queue.read(asked);
  }
}

/** The readers of a group, until none is left. */
class Queue<Asked, Answer> {
  private waiting: Waiting<Asked, Answer>[] = [];
  private running = 0;
  private scheduled = false;

  constructor(
    private readonly gathering: Gathering<never>,
    private readonly readAll: (asked: Asked[]) => Promise<Answer[]>,
    private readonly end: () => void,
  ) {}

  read(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ asked, since: performance.now(), resolve, reject });
      this.schedule();
    });
  }

  /** At the end of this turn of the event loop: requests of the same moment come in several callbacks of it. */
  private schedule(): void {
    if (this.scheduled || this.running === this.gathering.onTheWay) {
      return;
    }
    if (this.waiting.length > 0) {
      this.scheduled = true;
      setImmediate(() => {
        this.scheduled = false;
        this.dropLate();
        void this.run(this.waiting.splice(0, this.gathering.atOnce));
        this.schedule();
      });
    } else if (this.running === 0) {
      this.end();
    }
  }

  /** So that those whom a slow database left waiting do not keep it busy, nor fill the memory. */
  private dropLate(): void {
    const inTime = this.waiting.findIndex((one) => !isLate(one));
    const late = this.waiting.splice(0, inTime < 0 ? this.waiting.length : inTime);
    late.forEach(({ reject }) => reject(new DeadlineExceededError()));
  }

  private async run(batch: Waiting<Asked, Answer>[]): Promise<void> {
    if (batch.length === 0) {
      return;
    }
    this.running++;
    try {
      await this.answer(batch);
    } catch (error) {
      await this.answerOneByOne(batch, error);
    } finally {
      this.running--;
      this.schedule();
    }
  }

  private async answer(batch: Waiting<Asked, Answer>[]): Promise<void> {
    const answers = await this.readAll(batch.map(({ asked }) => asked));
    if (answers.length !== batch.length) {
      throw new Error(`A statement for ${batch.length} readers has ${answers.length} answers.`);
    }
    batch.forEach(({ resolve }, index) => resolve(answers[index]!));
  }

  /** What PostgreSQL refuses fails alone. Where it is away or took too long, nobody has time for another statement. */
  private async answerOneByOne(batch: Waiting<Asked, Answer>[], error: unknown): Promise<void> {
    let failure = error;
    for (const one of batch) {
      if (batch.length === 1 || isDatabaseUnavailable(failure)) {
        one.reject(failure);
      } else if (isLate(one)) {
        one.reject(new DeadlineExceededError());
      } else {
        await this.answer([one]).catch((own: unknown) => {
          failure = own;
          one.reject(own);
        });
      }
    }
  }
}

function isLate({ since }: { since: number }): boolean {
  return since <= performance.now() - REQUEST_TIME_LIMIT_MS;
}
