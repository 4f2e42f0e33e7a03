import { Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Metrics } from '../metrics/metrics.js';

/** More than synchronized clocks differ. */
const TOLERANCE_SECONDS = 5;

/**
 * Compares the clock of this instance with that of the database. The one gives ids and timestamps and decides how old a
 * signature is, the other decides what has expired.
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
