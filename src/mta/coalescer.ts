interface Waiting<Question, Answer> {
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Sends questions in batches: those that arrive in the same turn of the event loop, or while the earlier batches are under way.
 * An idle service is therefore asked immediately, and a busy one with larger batches.
 */
export class Coalescer<Question, Answer> {
  private waiting: Waiting<Question, Answer>[] = [];
  private open = 0;
  private isScheduled = false;

  /** @param send - returns an answer for each question, in their order */
  constructor(
    private readonly send: (questions: Question[]) => Promise<Answer[]>,
    private readonly maxSize: number,
    private readonly maxOpen: number,
  ) {}

  get isIdle(): boolean {
    return this.open === 0 && this.waiting.length === 0;
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      if (!this.isScheduled && this.open < this.maxOpen) {
        this.isScheduled = true;
        setImmediate(() => {
          this.isScheduled = false;
          this.sendWaiting();
        });
      }
    });
  }

  private sendWaiting(): void {
    while (this.open < this.maxOpen && this.waiting.length > 0) {
      void this.sendBatch(this.waiting.splice(0, this.maxSize));
    }
  }

  /** If a batch fails, the questions behind it fail too, instead of waiting for as long again. */
  private async sendBatch(batch: Waiting<Question, Answer>[]): Promise<void> {
    this.open++;
    try {
      const answers = await this.send(batch.map(({ question }) => question));
      batch.forEach(({ resolve }, index) => resolve(answers[index]!));
    } catch (error) {
      [...batch, ...this.waiting.splice(0)].forEach(({ reject }) => reject(error));
    } finally {
      this.open--;
      this.sendWaiting();
    }
  }
}
