import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BackgroundTask } from '../../process/background-task.js';
import { BackgroundTasks } from '../../process/background-tasks.js';
import { SESSION_IS_OPEN } from './console-session.entity.js';

const INTERVAL_MS = 60 * 60_000;

/** Deletes ended sessions and expired links, also those of people who never come back. */
@Injectable()
export class SignInSweep {
  private readonly task: BackgroundTask;

  constructor(
    private readonly dataSource: DataSource,
    tasks: BackgroundTasks,
  ) {
    this.task = tasks.add({
      name: SignInSweep.name,
      intervalMs: INTERVAL_MS,
      failure: 'ended sessions of the console were not deleted',
      run: () => this.sweep(),
    });
  }

  run(): Promise<void> {
    return this.task.run();
  }

  /** Skips rows that somebody is using, and so never waits for a sign-in or a sign-out. */
  private async sweep(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM console_sessions WHERE token_hash IN (
        SELECT token_hash FROM console_sessions
        WHERE NOT (${SESSION_IS_OPEN})
        FOR UPDATE SKIP LOCKED)`,
    );
    await this.dataSource.query(
      `DELETE FROM sign_in_links WHERE token_hash IN (
        SELECT token_hash FROM sign_in_links WHERE expires_at <= now() FOR UPDATE SKIP LOCKED)`,
    );
  }
}
