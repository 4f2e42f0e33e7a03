import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import type { Account } from '../accounts/account.entity.js';
import type { Actor } from '../audit/actor.js';
import { differencesBetween, recordAudit } from '../audit/record-audit.js';
import { UnsubscribeSettings } from './unsubscribe-settings.entity.js';

/** What an account chose; null where it chose nothing. */
export type ChosenSettings = Pick<UnsubscribeSettings, 'senderName' | 'mailbox'>;

@Injectable()
export class UnsubscribeSettingsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(UnsubscribeSettings) private readonly settings: Repository<UnsubscribeSettings>,
  ) {}

  async get(accountId: number): Promise<ChosenSettings> {
    const { senderName = null, mailbox = null } = (await this.settings.findOneBy({ accountId })) ?? {};
    return { senderName, mailbox };
  }

  /** Changes the settings that are given. */
  async update(
    { id: accountId, name }: Pick<Account, 'id' | 'name'>,
    actor: Actor,
    changes: Partial<ChosenSettings>,
  ): Promise<ChosenSettings> {
    const differences = differencesBetween(await this.get(accountId), changes);
    await this.dataSource.transaction(async (transaction) => {
      await transaction.upsert(UnsubscribeSettings, { accountId, ...changes }, ['accountId']);
      await recordAudit(transaction, accountId, actor, 'settings.updated', { id: null, name }, differences);
    });
    return this.get(accountId);
  }
}
