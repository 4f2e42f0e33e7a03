import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { PROBES } from '../database/database.module.js';
import { withMark } from '../database/errors.js';
import { poolOf } from '../database/pool.js';
import { compareSchema } from '../database/startup/schema.js';
import { ServiceUnavailableError } from '../http/errors/errors.js';
import { Metrics } from '../metrics/metrics.js';

/** More than the difference between synchronized clocks. */
const TOLERANCE_SECONDS = 5;

/**
 * Compares the clock of this instance with that of the database. The instance's clock sets ids and timestamps and determines
 * the age of signatures; the database's clock determines what has expired.
 */
@Injectable()
export class Clock {
  private readonly logger = new Logger('Clock');
  private readonly difference: Gauge;
  private isOff = false;

  constructor({ registry }: Metrics) {
    this.difference = new Gauge({
      name: 'suppression_list_clock_difference_seconds',
      help: 'How far the clocks of the instance and of the database are apart',
      aggregator: 'max',
      registers: [registry],
    });
  }

  /**
   * Logs once that the clocks differ. Times are in milliseconds since 1970.
   *
   * @param now - the time of the database, which was read between the other two
   */
  compare(now: number, before: number, after: number): void {
    const seconds = Math.max(before - now, now - after, 0) / 1_000;
    this.difference.set(seconds);
    if (seconds > TOLERANCE_SECONDS && !this.isOff) {
      const direction = now < before ? 'ahead of' : 'behind';
      this.logger.warn(
        `the clock of this instance is ${Math.round(seconds)} seconds ${direction} that of the database; ` +
          'synchronize both (NTP), because timestamps, signatures, and expiry depend on them',
      );
    }
    this.isOff = seconds > TOLERANCE_SECONDS;
  }
}

/** Reads whether the server is read-only, as a standby is, or a primary that was fenced before a failover. */
const READ_STATE = `
  SELECT
    current_setting('transaction_read_only') = 'on' AS "isReadOnly",
    extract(epoch FROM clock_timestamp())::double precision * 1000 AS now`;

interface DatabaseState {
  isReadOnly: boolean;
  /** In milliseconds since 1970. */
  now: number;
}

/** Whether load balancers should send requests to this instance. */
@Injectable()
export class Readiness implements OnApplicationBootstrap {
  private stopping = false;
  private checking: Promise<void> | undefined;

  constructor(
    @InjectDataSource(PROBES) private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Compares the clocks even if nobody polls the readiness probe. */
  async onApplicationBootstrap(): Promise<void> {
    await this.readState().catch(() => undefined);
  }

  /** Makes the instance not ready, although it still serves requests. */
  stop(): void {
    this.stopping = true;
  }

  /** @throws {ServiceUnavailableError} with the reason */
  async require(): Promise<void> {
    if (this.stopping) {
      throw new ServiceUnavailableError('This instance is stopping.');
    }
    this.checking ??= this.check().finally(() => (this.checking = undefined));
    await this.checking;
  }

  /** Callers share a check, since there is one connection for it. */
  private async check(): Promise<void> {
    const { isReadOnly } = await this.readState();
    if (isReadOnly) {
      throw new ServiceUnavailableError('The database is read-only.');
    }
    const { pending, contracting } = await compareSchema(this.dataSource);
    if (pending.length > 0) {
      throw new ServiceUnavailableError(
        'The database lacks migrations of this version. Run: npm run migrate',
      );
    }
    if (contracting.length > 0) {
      throw new ServiceUnavailableError('The database was migrated for a newer version of the service.');
    }
  }

  /** Closes the connection if it is read-only, because its session may stay so when the database no longer is. */
  private async readState(): Promise<DatabaseState> {
    const connection = await poolOf(this.dataSource).connect();
    let isKept = false;
    try {
      const before = Date.now();
      const { rows } = await connection.query<DatabaseState>(READ_STATE);
      const state = rows[0]!;
      this.clock.compare(state.now, before, Date.now());
      isKept = !state.isReadOnly;
      return state;
    } catch (error) {
      throw withMark(error);
    } finally {
      connection.release(!isKept);
    }
  }
}
