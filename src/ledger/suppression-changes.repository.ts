import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, LessThan, Repository } from 'typeorm';
import type { Cause } from './cause.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { toPage, type Page } from '../http/page.js';
import { SuppressionChange } from './suppression-change.entity.js';

/** How many records were added or removed on a day in UTC for a cause. */
export interface ChangesOfDay {
  day: string;
  cause: Cause;
  isRemoval: boolean;
  count: number;
}

/** Reads the ledger. The statements that change the list write it. */
@Injectable()
export class SuppressionChangesRepository extends Repository<SuppressionChange> {
  constructor(@InjectDataSource() dataSource: DataSource) {
    super(SuppressionChange, dataSource.manager);
  }

  /** The address that a suppression has or had, or null when the account never had such a suppression. */
  async findEmail(accountId: number, suppressionId: string): Promise<EmailAddress | null> {
    const added = await this.findOneBy({ accountId, suppressionId, action: 'added' });
    return added && added.email;
  }

  /**
   * The changes of an address, newest first.
   *
   * @param before - only changes with a lower revision
   */
  async findPage(
    accountId: number,
    email: EmailAddress,
    limit: number,
    before?: string,
  ): Promise<Page<SuppressionChange>> {
    const rows = await this.find({
      where: { accountId, email, ...(before !== undefined && { revision: LessThan(before) }) },
      order: { revision: 'DESC' },
      take: limit + 1,
    });
    return toPage(rows, limit);
  }

  /**
   * Counts the records that were added and removed.
   *
   * @param after - the lowest id of a change that is counted
   */
  countByDay(accountId: number, after: string): Promise<ChangesOfDay[]> {
    return this.query<ChangesOfDay[]>(
      `SELECT (created_at AT TIME ZONE 'UTC')::date::text AS day, cause, action <> 'added' AS "isRemoval", count(*)::integer
      FROM suppression_changes
      WHERE account_id = $1 AND id > $2 AND action IN ('added', 'removed', 'expired')
      GROUP BY 1, 2, 3`,
      [accountId, after],
    );
  }
}
