import { setImmediate } from 'node:timers/promises';

/** A value for the metrics that is read from the database once per scrape. */
export class OncePerScrape<Value> {
  private reading?: Promise<void>;

  constructor(
    private last: Value,
    private readonly read: () => Promise<Value>,
  ) {}

  /** Returns the last value while the database is unavailable. */
  async get(): Promise<Value> {
    this.reading ??= this.readNow().finally(() => (this.reading = undefined));
    await this.reading;
    return this.last;
  }

  /** Other metrics of the scrape are collected first: they must not count this statement as one that waits for a connection. */
  private async readNow(): Promise<void> {
    await setImmediate();
    try {
      this.last = await this.read();
    } catch {
      // The database is unavailable.
    }
  }
}
