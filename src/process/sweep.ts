import type { BackgroundTask, BackgroundWork } from './background-task.js';
import type { BackgroundTasks } from './background-tasks.js';

/** Base of tasks that run at an interval, in every instance, and do one thing in `sweep`. */
export abstract class Sweep {
  private readonly task: BackgroundTask;

  constructor(tasks: BackgroundTasks, work: Pick<BackgroundWork, 'intervalMs' | 'failure'>) {
    this.task = tasks.add({ ...work, name: new.target.name, run: (stopping) => this.sweep(stopping) });
  }

  run(): Promise<void> {
    return this.task.run();
  }

  protected abstract sweep(stopping: AbortSignal): Promise<void>;
}

/** @param work - returns whether there may be more to do */
export async function repeat(work: () => Promise<boolean>, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await work())) {
    // The next pass follows.
  }
}
