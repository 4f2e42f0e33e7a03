import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { ReadReplica } from '../database/read-replica.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { toPage, type Page } from '../http/page.js';
import { SuppressionChange } from './suppression-change.entity.js';

/** Reads the ledger. The statements that change the list write it. */
@Injectable()
export class SuppressionChangesRepository {
  constructor(private readonly replica: ReadReplica) {}

  /** The address that a suppression has or had, or null when the account never had such a suppression. */
  async findEmail(accountId: number, suppressionId: string): Promise<EmailAddress | null> {
    const where = { accountId, suppressionId, action: 'added' as const };
    const added = await this.replica.read(({ manager }) => manager.findOneBy(SuppressionChange, where));
    return added && added.email;
  }

  exists(accountId: number, email: EmailAddress): Promise<boolean> {
    return this.replica.read(({ manager }) => manager.existsBy(SuppressionChange, { accountId, email }));
  }

  /** Finds a change of an address. Asks the primary if the replica does not have it yet. */
  find(accountId: number, email: EmailAddress, id: string): Promise<SuppressionChange | null> {
    return this.replica.read(
      ({ manager }) => manager.findOneBy(SuppressionChange, { accountId, email, id }),
      (change) => change !== null,
    );
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
    const where = { accountId, email, ...(before !== undefined && { revision: LessThan(before) }) };
    const rows = await this.replica.read(({ manager }) =>
      manager.find(SuppressionChange, { where, order: { revision: 'DESC' }, take: limit + 1 }),
    );
    return toPage(rows, limit);
  }
}
