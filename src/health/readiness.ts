import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { LOOKUPS } from '../database/database.module.js';
import { compareSchema } from '../database/startup/schema-difference.js';
import { ServiceUnavailableError } from '../http/errors/errors.js';

/** Whether load balancers should send requests to this instance. */
@Injectable()
export class Readiness {
  private stopping = false;

  constructor(@InjectDataSource(LOOKUPS) private readonly dataSource: DataSource) {}

  /** From now on the instance is not ready, although it still answers. */
  stop(): void {
    this.stopping = true;
  }

  /** @throws {ServiceUnavailableError} with the reason */
  async require(): Promise<void> {
    if (this.stopping) {
      throw new ServiceUnavailableError('This instance is stopping.');
    }
    if (await isReadOnly(this.dataSource)) {
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
}

/** A standby is read-only, and so is a primary that was fenced off before a failover. */
async function isReadOnly(dataSource: DataSource): Promise<boolean> {
  const [row] = await dataSource.query<{ readOnly: boolean }[]>(
    `SELECT current_setting('transaction_read_only') = 'on' AS "readOnly"`,
  );
  return row!.readOnly;
}
