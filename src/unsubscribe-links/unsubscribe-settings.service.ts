import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository, type EntityManager } from 'typeorm';
import type { Account } from '../accounts/account.entity.js';
import type { Actor } from '../audit/actor.js';
import { differencesBetween, recordAudit } from '../audit/record-audit.js';
import { transactionBefore } from '../database/transaction.js';
import { UnsubscribeSettings } from './unsubscribe-link.entity.js';

/** Fields are null if they are not set. */
export type ChosenSettings = Pick<UnsubscribeSettings, 'senderName' | 'mailbox'>;

@Injectable()
export class UnsubscribeSettingsService {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(UnsubscribeSettings) private readonly settings: Repository<UnsubscribeSettings>,
  ) {}

  async get(accountId: number): Promise<ChosenSettings> {
    return find(this.settings.manager, accountId);
  }

  async update(
    { id: accountId, name }: Pick<Account, 'id' | 'name'>,
    actor: Actor,
    changes: Partial<ChosenSettings>,
  ): Promise<ChosenSettings> {
    return transactionBefore(this.dataSource, { deadline: Infinity }, async (transaction) => {
      await transaction.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
      const differences = differencesBetween(await find(transaction, accountId), changes);
      if (Object.keys(differences).length > 0) {
        await transaction.upsert(UnsubscribeSettings, { accountId, ...changes }, ['accountId']);
        await recordAudit(
          transaction,
          { accountId, actor },
          'settings.updated',
          { id: null, name },
          differences,
        );
      }
      return find(transaction, accountId);
    });
  }
}

async function find(manager: EntityManager, accountId: number): Promise<ChosenSettings> {
  const { senderName = null, mailbox = null } =
    (await manager.findOneBy(UnsubscribeSettings, { accountId })) ?? {};
  return { senderName, mailbox };
}
