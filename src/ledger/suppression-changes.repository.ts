import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import type { EmailAddress } from '../email-address/email-address.js';
import { toPage, type Page } from '../http/page.js';
import { SuppressionChange } from './suppression-change.entity.js';

/** Reads the ledger. It is written by the statements that change the list, in {@link SuppressionsRepository}. */
@Injectable()
export class SuppressionChangesRepository {
  constructor(@InjectRepository(SuppressionChange) private readonly changes: Repository<SuppressionChange>) {}

  /** The address that a suppression has or had, or null when the account never had such a suppression. */
  async emailOf(accountId: number, suppressionId: string): Promise<EmailAddress | null> {
    const added = await this.changes.findOneBy({ accountId, suppressionId, action: 'added' });
    return added && added.email;
  }

  /** Whether anything ever happened to an address. */
  exist(accountId: number, email: EmailAddress): Promise<boolean> {
    return this.changes.existsBy({ accountId, email });
  }

  /** The changes of an address, newest first. */
  async page(
    accountId: number,
    email: EmailAddress,
    limit: number,
    after?: string,
  ): Promise<Page<SuppressionChange>> {
    const rows = await this.changes.find({
      where: { accountId, email, ...(after && { id: LessThan(after) }) },
      order: { id: 'DESC' },
      take: limit + 1,
    });
    return toPage(rows, limit);
  }
}
