/** Limits how many pieces of work run at a time. The others wait, and begin in the order in which they came. */
export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running < this.most) {
      this.running++;
    } else {
      await new Promise<void>((begin) => this.waiting.push(begin));
    }
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) {
        next();
      } else {
        this.running--;
      }
    }
  }
}
