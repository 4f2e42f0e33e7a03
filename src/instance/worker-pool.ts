import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { OperatorError } from '../process/operator-error.js';

/** The pause between attempts to start a worker, for example while the database is unavailable. */
const RETRY_MS = 1_000;

/** A worker exited before it served, and has printed the reason. */
class WorkerFailedError extends OperatorError {
  constructor(override readonly exitCode: number) {
    super('A worker could not start.');
  }
}

export class Workers {
  private readonly logger = new Logger('Workers');
  private readonly serving = new Set<Worker>();
  /** The exits of workers that were told to stop. */
  private readonly ending = new Set<Promise<unknown>>();
  private isStopping = false;
  private replacing = Promise.resolve();

  private constructor(private readonly settings: Record<string, string>) {}

  /** The first worker starts alone, so that a wrong setting is reported once. */
  static async start(count: number, settings: Record<string, string>): Promise<Workers> {
    const workers = new Workers(settings);
    await workers.add();
    await Promise.all(Array.from({ length: count - 1 }, () => workers.add()));
    workers.logger.log(`${count} workers are serving`);
    return workers;
  }

  replaceAll(): void {
    this.replacing = this.replacing.then(() => this.replaceEach(Array.from(this.serving)));
  }

  private async replaceEach(workers: Worker[]): Promise<void> {
    for (const worker of workers) {
      if (!this.isStopping) {
        await this.addWithRetries();
        await this.end(worker, 'SIGHUP');
      }
    }
    this.logger.log('all workers were replaced');
  }

  async stop(signal: string): Promise<void> {
    this.isStopping = true;
    this.serving.forEach((worker) => void this.end(worker, signal));
    await Promise.all(this.ending);
  }

  /** @throws {WorkerFailedError} */
  private async add(): Promise<void> {
    const worker = cluster.fork(this.settings);
    const exit = once(worker, 'exit') as Promise<[number | null]>;
    const failed = await Promise.race([once(worker, 'listening').then(() => undefined), exit]);
    if (failed) {
      throw new WorkerFailedError(failed[0] ?? 1);
    }
    this.serving.add(worker);
    void exit.then(() => this.replaceDead(worker));
    if (this.isStopping) {
      await this.end(worker, 'SIGINT');
    }
  }

  private async addWithRetries(): Promise<void> {
    while (!this.isStopping) {
      try {
        await this.add();
        return;
      } catch {
        await delay(RETRY_MS);
      }
    }
  }

  /** A worker that was told to stop is no longer among those that serve. */
  private replaceDead(worker: Worker): void {
    if (this.serving.delete(worker) && !this.isStopping) {
      this.logger.error(`worker ${worker.process.pid} died; starting another one`);
      void this.addWithRetries();
    }
  }

  private async end(worker: Worker, signal: string): Promise<void> {
    if (this.serving.delete(worker) && !worker.isDead()) {
      const exit = once(worker, 'exit');
      this.ending.add(exit);
      worker.send({ stop: signal });
      await exit;
      this.ending.delete(exit);
    }
  }
}
