import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository, type EntityManager } from 'typeorm';
import type { Actor } from '../audit/actor.js';
import { differencesBetween, recordAudit, type AuditSubject } from '../audit/record-audit.js';
import type { RequestContext } from '../audit/request-context.js';
import { insertUnlessTaken } from '../database/insert-unless-taken.js';
import { transactionBefore } from '../database/transaction.js';
import { ValidationError } from '../http/errors/errors.js';
import { EXIT_CODE, operatorError } from '../process/operator-error.js';
import { Account, PastAccountSettings, type AccountSettings } from './account.entity.js';
import { readRulesVersion } from './rules-version.js';

export class InvalidAccountNameError extends operatorError(
  EXIT_CODE.wrongUsage,
  () =>
    'The name of an account must have 1 to 63 lower-case letters, digits and hyphens, and must not start with a hyphen.',
) {}

export class AccountNameTakenError extends operatorError(
  EXIT_CODE.existsAlready,
  (name: string) => `An account named ${name} already exists.`,
) {}

export class AccountNotFoundError extends operatorError(
  EXIT_CODE.notFound,
  (name: string) => `No account is named ${name}. "account list" shows all accounts.`,
) {}

/** The database has the same rule. */
const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

@Injectable()
export class AccountsService {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Account) private readonly accounts: Repository<Account>,
  ) {}

  /**
   * @param admitted - whether the account is admitted to the private beta at once
   * @throws {InvalidAccountNameError}
   * @throws {AccountNameTakenError}
   */
  async create(actor: Actor, name: string, admitted: boolean): Promise<Account> {
    requireName(name);
    return transactionBefore(this.dataSource, { deadline: Infinity }, async (transaction) => {
      const betaAdmittedAt = admitted ? () => 'now()' : null;
      if (!(await insertUnlessTaken(transaction, Account, { name, betaAdmittedAt }))) {
        throw new AccountNameTakenError(name);
      }
      const account = await transaction.findOneByOrFail(Account, { name });
      await recordAudit(transaction, { accountId: account.id, actor }, 'account.created', subjectOf(account));
      return account;
    });
  }

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

  /** Returns the account with the version of its rules that copies see. */
  async toShare(account: Account): Promise<Account> {
    return { ...account, rulesVersion: await readRulesVersion(this.dataSource, account) };
  }

  /**
   * Changes the given settings. They apply from the next check and the next change of the list.
   *
   * @throws {ValidationError} if the inbox would keep events for less time than a soft limit of a source covers
   */
  changeSettings(context: RequestContext, changes: Partial<AccountSettings>): Promise<Account> {
    const { accountId: id } = context;
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const account = await transaction.findOneOrFail(Account, {
        where: { id },
        lock: { mode: 'for_no_key_update' },
      });
      await requireRetentionForSoftLimits(transaction, id, changes.inboxRetention);
      const { complaintReach } = account;
      if (changes.complaintReach && changes.complaintReach !== complaintReach) {
        await transaction.insert(PastAccountSettings, { accountId: id, complaintReach });
      }
      const differences = differencesBetween(account, changes);
      if (Object.keys(differences).length > 0) {
        await transaction.update(Account, { id }, changes);
        await recordAudit(transaction, context, 'settings.updated', subjectOf(account), differences);
      }
      return transaction.getRepository(Account).merge(account, changes);
    });
  }

  list(): Promise<Account[]> {
    return this.accounts.find({ order: { name: 'ASC' } });
  }

  /**
   * Admits the account to the private beta. If it is already admitted, nothing changes.
   *
   * @throws {AccountNotFoundError}
   */
  admit(actor: Actor, name: string): Promise<Account> {
    return this.setAdmission(actor, name, true);
  }

  /**
   * Suspends the account: its keys are refused until it is admitted again.
   *
   * @throws {AccountNotFoundError}
   */
  suspend(actor: Actor, name: string): Promise<Account> {
    return this.setAdmission(actor, name, false);
  }

  private async setAdmission(actor: Actor, name: string, isAdmitted: boolean): Promise<Account> {
    const { id } = await this.get(name);
    return transactionBefore(this.dataSource, { deadline: Infinity }, async (transaction) => {
      const account = await transaction.findOneOrFail(Account, {
        where: { id },
        lock: { mode: 'for_no_key_update' },
      });
      if ((account.betaAdmittedAt !== null) === isAdmitted) {
        return account;
      }
      await transaction.update(Account, { id }, { betaAdmittedAt: isAdmitted ? () => 'now()' : null });
      const action = isAdmitted ? 'account.admitted' : 'account.suspended';
      await recordAudit(transaction, { accountId: id, actor }, action, subjectOf(account));
      return transaction.findOneByOrFail(Account, { id });
    });
  }
}

function subjectOf({ name }: Account): AuditSubject {
  return { id: null, name };
}

function requireName(name: string): void {
  if (!NAME.test(name)) {
    throw new InvalidAccountNameError();
  }
}

async function requireRetentionForSoftLimits(
  transaction: EntityManager,
  accountId: number,
  days: number | null | undefined,
): Promise<void> {
  if (days === null || days === undefined) {
    return;
  }
  const [longest] = await transaction.query<{ name: string; days: number }[]>(
    `SELECT name, (options #>> '{softLimit,days}')::integer AS days
    FROM sources
    WHERE account_id = $1 AND (options #>> '{softLimit,days}')::integer > $2
    ORDER BY days DESC
    LIMIT 1`,
    [accountId, days],
  );
  if (longest) {
    const message = `must be at least ${longest.days}d, which the soft limit of the source ${longest.name} covers`;
    throw ValidationError.ofField('inbox_retention', message);
  }
}
