import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BackgroundTasks, Sweep } from '../../process/background-tasks.js';
import { SESSION_IS_OPEN } from './person.entity.js';

const INTERVAL_MS = 60 * 60_000;

/** Deletes ended sessions and expired links, including those of people who never return. */
@Injectable()
export class SignInSweep extends Sweep {
  constructor(
    private readonly dataSource: DataSource,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: INTERVAL_MS, failure: 'ended sessions of the console were not deleted' });
  }

  /** Skips rows that somebody is using, and so never waits for a sign-in or a sign-out. */
  protected async sweep(): Promise<void> {
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
