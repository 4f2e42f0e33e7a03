import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, IsNull, Repository } from 'typeorm';
import { transactionBefore } from '../database/prepared-statement.js';
import { Account, type AccountSettings } from './account.entity.js';
import { PastAccountSettings } from './past-account-settings.entity.js';
import { AccountNameTakenError, AccountNotFoundError, InvalidAccountNameError } from './errors.js';

/** The database has the same rule. */
const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

@Injectable()
export class AccountsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(Account) private readonly accounts: Repository<Account>,
  ) {}

  /**
   * @param admitted - whether the account is admitted to the private beta at once
   * @throws {InvalidAccountNameError}
   * @throws {AccountNameTakenError}
   */
  async create(name: string, admitted: boolean): Promise<Account> {
    requireName(name);
    const { raw } = await this.accounts
      .createQueryBuilder()
      .insert()
      .values({ name, betaAdmittedAt: admitted ? () => 'now()' : null })
      .orIgnore()
      .returning('id')
      .execute();
    if (raw.length === 0) {
      throw new AccountNameTakenError(name);
    }
    return this.get(name);
  }

  /**
   * @throws {InvalidAccountNameError}
   * @throws {AccountNotFoundError}
   */
  async get(name: string): Promise<Account> {
    requireName(name);
    const account = await this.accounts.findOneBy({ name });
    if (!account) {
      throw new AccountNotFoundError(name);
    }
    return account;
  }

  getById(id: number): Promise<Account> {
    return this.accounts.findOneByOrFail({ id });
  }

  /** Changes the settings that are given. The next check and the next change of the list follow them. */
  changeSettings(id: number, changes: Partial<AccountSettings>, deadline: number): Promise<Account> {
    return transactionBefore(this.dataSource, deadline, async (transaction) => {
      const { complaintReach } = await transaction.findOneOrFail(Account, {
        where: { id },
        lock: { mode: 'for_no_key_update' },
      });
      if (changes.complaintReach && changes.complaintReach !== complaintReach) {
        await transaction.insert(PastAccountSettings, { accountId: id, complaintReach });
      }
      if (Object.keys(changes).length > 0) {
        await transaction.update(Account, { id }, changes);
      }
      return transaction.findOneByOrFail(Account, { id });
    });
  }

  /** All accounts, by name. */
  list(): Promise<Account[]> {
    return this.accounts.find({ order: { name: 'ASC' } });
  }

  /**
   * Admits the account to the private beta. One that is admitted already stays so, since the same time.
   *
   * @throws {AccountNotFoundError}
   */
  async admit(name: string): Promise<Account> {
    requireName(name);
    await this.accounts.update({ name, betaAdmittedAt: IsNull() }, { betaAdmittedAt: () => 'now()' });
    return this.get(name);
  }

  /**
   * Takes the admission back: the keys of the account are refused until it is admitted again.
   *
   * @throws {AccountNotFoundError}
   */
  async suspend(name: string): Promise<Account> {
    const account = await this.get(name);
    account.betaAdmittedAt = null;
    return this.accounts.save(account);
  }
}

function requireName(name: string): void {
  if (!NAME.test(name)) {
    throw new InvalidAccountNameError();
  }
}
