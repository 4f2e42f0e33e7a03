import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { BackgroundTask, type BackgroundWork } from './background-task.js';

/** Runs the background tasks of an instance while it serves requests. Commands have no HTTP server and run no background tasks. */
@Injectable()
export class BackgroundTasks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tasks: BackgroundTask[] = [];

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  /** For constructors: the task starts with the application. */
  add(work: BackgroundWork): BackgroundTask {
    const task = new BackgroundTask(work);
    this.tasks.push(task);
    return task;
  }

  onApplicationBootstrap(): void {
    if (this.adapterHost.httpAdapter) {
      this.tasks.forEach((task) => task.start());
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }
}
