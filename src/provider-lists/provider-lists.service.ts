import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, IsNull, Repository, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { AuditAction, AuditChanges } from '../audit/audit-entry.entity.js';
import { differencesBetween, recordAudit } from '../audit/record-audit.js';
import type { RequestContext } from '../audit/request-context.js';
import { transactionBefore } from '../database/transaction.js';
import { FeedService } from '../feed/feed.service.js';
import { requireFound } from '../http/errors/api-error.js';
import { findPage, type Cursor, type Page } from '../http/page.js';
import { parseCredentials, parseScope } from './connection-fields.js';
import { ProviderListNotFoundError, TooManyProviderListsError } from './errors.js';
import { isPushing, requireFreeScope, requirePossible, requireSource, type Settings } from './list-checks.js';
import { ListCredentials } from './list-credentials.js';
import { ProviderListPlan } from './plans/provider-list-plan.entity.js';
import { ProviderList } from './provider-list.entity.js';
import { PushesRepository, type PushBacklog } from './push/pushes.repository.js';
import type { Credentials } from './providers/provider.js';
import { listProviderOf } from './providers/providers.js';

const MAX_LISTS = 50;
const HOUR_MS = 60 * 60 * 1000;

export interface NewProviderList extends Settings, Pick<ProviderList, 'provider'> {
  scope: Record<string, unknown>;
  credentials: Record<string, unknown>;
}

export interface ProviderListChanges extends Partial<Settings> {
  credentials?: Record<string, unknown>;
}

const REPLACED = 'The credentials were replaced, so that this may be another list.';

/** Makes an instance check all pushes of the list again, and ends the current lease. */
export const WITHDRAWN = { hasWithdrawn: true, pushLeaseId: null, pushLeasedUntil: null };

/** A list, the last plan whose comparison succeeded, and the open pushes. */
export interface ListWithPlan {
  list: ProviderList;
  plan: ProviderListPlan | null;
  backlog: PushBacklog;
}

@Injectable()
export class ProviderListsService {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(ProviderList) private readonly lists: Repository<ProviderList>,
    private readonly credentials: ListCredentials,
    private readonly feed: FeedService,
    private readonly pushes: PushesRepository,
  ) {}

  /**
   * @throws {ValidationError} when the provider has no such scope or credentials
   * @throws {ScopeTakenError | TooManyProviderListsError | NoSecretsKeyError}
   */
  async create(context: RequestContext, { provider, ...given }: NewProviderList): Promise<ListWithPlan> {
    const { accountId } = context;
    const rules = listProviderOf(provider);
    const scope = parseScope(rules, given.scope);
    const credentials = parseCredentials(rules, given.credentials);
    const { scope: _scope, credentials: _credentials, ...settings } = given;
    requirePossible(rules, settings);
    const id = uuidv7();
    const keys = this.credentials.scopeKeysOf({ provider, scope }, credentials);
    const list = {
      accountId,
      id,
      provider,
      ...settings,
      scope,
      scopeKey: keys[0]!,
      credentials: this.credentials.encrypt(id, credentials),
      nextRunAt: new Date(Date.now() + settings.intervalHours * HOUR_MS),
      pushPosition: await this.startOf(accountId, settings),
    };
    return transactionBefore(this.dataSource, context, async (transaction) => {
      await transaction.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
      if ((await transaction.countBy(ProviderList, { accountId, deletedAt: IsNull() })) >= MAX_LISTS) {
        throw new TooManyProviderListsError(MAX_LISTS);
      }
      await requireSource(list, transaction);
      await requireFreeScope(list, keys, transaction);
      await transaction.insert(ProviderList, list);
      const changes = differencesBetween({}, { provider, scope, ...settings });
      await recordAudit(transaction, context, 'provider_list.created', list, changes);
      const created = await transaction.findOneByOrFail(ProviderList, { accountId, id });
      return this.withPlan(created, transaction);
    });
  }

  /** @throws {ProviderListNotFoundError} */
  async find(accountId: number, id: string): Promise<ProviderList> {
    return requireFound(
      await this.lists.findOneBy({ accountId, id, deletedAt: IsNull() }),
      ProviderListNotFoundError,
    );
  }

  /** All lists of an account, of which there are few. */
  findAll(accountId: number): Promise<ProviderList[]> {
    return this.lists.findBy({ accountId, deletedAt: IsNull() });
  }

  /** @throws {ProviderListNotFoundError} */
  async get(accountId: number, id: string): Promise<ListWithPlan> {
    return this.withPlan(await this.find(accountId, id), this.dataSource);
  }

  /** Newest first. */
  async page(accountId: number, cursor: Cursor): Promise<Page<ListWithPlan>> {
    const page = await findPage(this.lists, [{ accountId, deletedAt: IsNull() }], cursor);
    return {
      ...page,
      elements: await Promise.all(page.elements.map((list) => this.withPlan(list, this.dataSource))),
    };
  }

  /**
   * Changes settings, or replaces the credentials, which resumes a list whose credentials were refused. If only the credentials
   * identify the list, it may be a different list now, so nothing is pushed before a plan has read it, and earlier plans
   * expire.
   *
   * @throws {ProviderListNotFoundError | ValidationError | ScopeTakenError | NoSecretsKeyError}
   */
  async update(
    context: RequestContext,
    id: string,
    { credentials: given, ...settings }: ProviderListChanges,
  ): Promise<ListWithPlan> {
    const start = await this.startOf(context.accountId, settings);
    return this.change(context, id, 'provider_list.updated', async (list, transaction) => {
      const now = { ...list, ...settings };
      requirePossible(listProviderOf(list.provider), now);
      await requireSource(settings.sourceId === undefined ? { ...now, sourceId: null } : now, transaction);
      const replacing = given && parseCredentials(listProviderOf(list.provider), given);
      let scope: Partial<ProviderList> = {};
      if (replacing || settings.shared !== undefined) {
        const keys = this.credentials.scopeKeysOf(list, replacing ?? this.credentials.decrypt(list));
        await requireFreeScope(now, keys, transaction);
        const isSame = keys.includes(list.scopeKey);
        if (!isSame) {
          await this.expirePlans(list, transaction);
        }
        scope = {
          scopeKey: keys[0]!,
          ...(!isSame && { lastSuccessAt: null, nextRunAt: new Date(), pushingPlanId: null }),
        };
      }
      const replaced = replacing && this.replace(list, replacing);
      const hasWithdrawn = (['pushAdditions', 'pushRemovals', 'pushUnsubscribes'] as const).some(
        (name) => list[name] && !now[name],
      );
      const { accountId } = list;
      const pushing = isPushing(now)
        ? { pushPosition: list.pushPosition ?? start }
        : { pushPosition: null, pushPausedUntil: null, pushError: null, pushFailures: 0 };
      await transaction.update(
        ProviderList,
        { accountId, id },
        { ...settings, ...scope, ...pushing, ...replaced, ...(hasWithdrawn && WITHDRAWN) },
      );
      const secrets = given && { credentials: { from: null, to: 'replaced' } };
      return { ...differencesBetween(list, settings), ...secrets };
    });
  }

  /**
   * Deletes a list. Its plans are deleted in the background; nothing changes at the provider, or in the list of the account.
   *
   * @throws {ProviderListNotFoundError}
   */
  async delete(context: RequestContext, id: string): Promise<ProviderList> {
    const work = async ({ accountId }: ProviderList, transaction: EntityManager) => {
      await transaction.update(ProviderList, { accountId, id }, { deletedAt: new Date(), credentials: {} });
      return {};
    };
    return (await this.change(context, id, 'provider_list.deleted', work)).list;
  }

  /**
   * Expires plans that were read with other credentials. Pending pushes stay, because each entry is looked up before its change
   * is sent.
   */
  private async expirePlans({ accountId, id }: ProviderList, transaction: EntityManager): Promise<void> {
    const status = In(['ready', 'stopped', 'applying']);
    const read = { accountId, providerListId: id, status };
    await transaction.update(ProviderListPlan, read, { status: 'expired', reason: REPLACED });
  }

  /** The position in the feed at which pushes begin. They cover only future changes; existing differences are left to plans. */
  private async startOf(accountId: number, settings: Partial<Settings>): Promise<string | null> {
    return isPushing(settings) ? String((await this.feed.head(accountId)).position) : null;
  }

  private replace(list: ProviderList, credentials: Credentials): Partial<ProviderList> {
    const resumed = list.stoppedAt && { stoppedAt: null, lastError: null, nextRunAt: new Date() };
    const encrypted = this.credentials.encrypt(list.id, credentials);
    return { credentials: encrypted, pushPausedUntil: null, pushError: null, ...resumed };
  }

  /** Makes a change, and reads the result before the commit, so that a committed change is never reported as failed. */
  private change(
    context: RequestContext,
    id: string,
    action: AuditAction,
    work: (list: ProviderList, transaction: EntityManager) => Promise<AuditChanges>,
  ): Promise<ListWithPlan> {
    const { accountId } = context;
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const list = await lockList(accountId, id, transaction);
      const changes = await work(list, transaction);
      await recordAudit(transaction, context, action, list, changes);
      const changed = await transaction.findOneByOrFail(ProviderList, { accountId, id });
      return this.withPlan(changed, transaction);
    });
  }

  private async withPlan(list: ProviderList, on: DataSource | EntityManager): Promise<ListWithPlan> {
    const { accountId, id: providerListId } = list;
    const status = In(['ready', 'stopped', 'applying', 'applied', 'expired']);
    const plan = await on.getRepository(ProviderListPlan).findOne({
      where: { accountId, providerListId, status, deletedAt: IsNull() },
      order: { id: 'DESC' },
    });
    return { list, plan, backlog: await this.pushes.backlog(list, on) };
  }
}

/** @throws {ProviderListNotFoundError} */
export async function lockList(
  accountId: number,
  id: string,
  transaction: EntityManager,
): Promise<ProviderList> {
  const lock = { mode: 'pessimistic_write' } as const;
  const where = { accountId, id, deletedAt: IsNull() };
  return requireFound(await transaction.findOne(ProviderList, { where, lock }), ProviderListNotFoundError);
}
