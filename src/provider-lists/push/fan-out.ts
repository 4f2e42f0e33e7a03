import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { inStep, transactionBefore } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { FeedChange } from '../../feed/feed-change.js';
import { FeedService } from '../../feed/feed.service.js';
import { CursorGoneError } from '../../ledger/feed-position.js';
import { ProviderList } from '../provider-list.entity.js';
import { listProviderOf } from '../providers/providers.js';
import { pushesFor } from './push-decisions.js';
import { PushStatesRepository } from './push-states.repository.js';
import { isPseudonym } from '../../pseudonyms/pseudonym.js';

const MAX_CHANGES = 500;

/**
 * Turns changes of an account into rows of the outbox of a provider list.
 *
 * The feed is the first half of the outbox: the statement that changes the list also announces the change to the feed, so each
 * committed change has a position, and accounts without provider lists pay nothing. A provider list stores the position up to
 * which its rows were written, and advances it in the transaction that writes them. If an instance dies before the commit,
 * another one reads the same changes again; after the commit, none does. So each change is processed exactly once, even if
 * instances are killed.
 */
@Injectable()
export class FanOut {
  constructor(
    private readonly dataSource: DataSource,
    private readonly feed: FeedService,
    private readonly states: PushStatesRepository,
  ) {}

  /**
   * Writes the rows of the next changes.
   *
   * @param list - a list that this instance holds
   * @returns whether there may be more
   */
  async advance({ accountId, id, pushLeaseId }: ProviderList): Promise<boolean> {
    const held = { accountId, id, pushLeaseId: pushLeaseId! };
    const list = await this.dataSource.manager.findOneBy(ProviderList, held);
    if (!list || list.pushPosition === null) {
      return false;
    }
    const from = Number(list.pushPosition);
    const { changes, position, hasMore } = await this.read(accountId, from);
    if (position === from) {
      return false;
    }
    return transactionBefore(this.dataSource, inStep(accountId), async (transaction) => {
      const lock = { mode: 'pessimistic_write' } as const;
      const where = { ...held, pushPosition: list.pushPosition! };
      const locked = await transaction.findOne(ProviderList, { where, lock });
      if (!locked) {
        return false;
      }
      await this.write(locked, changes, transaction);
      await transaction.update(ProviderList, { accountId, id }, { pushPosition: String(position) });
      return hasMore;
    });
  }

  /** If a restore has lost the position, it continues from the end of the feed. The next plan finds what was missed. */
  private async read(
    accountId: number,
    position: number,
  ): Promise<{ changes: FeedChange[]; position: number; hasMore: boolean }> {
    try {
      const read = await this.feed.read(accountId, { position, changeId: null }, MAX_CHANGES);
      return { ...read, position: read.position.position };
    } catch (error) {
      if (error instanceof CursorGoneError) {
        const head = await this.feed.head(accountId);
        return { changes: [], position: head.position, hasMore: false };
      }
      throw error;
    }
  }

  /**
   * Skips changes that the provider itself reported, by a pull from the list or through its source, because the provider
   * already has them. If the list names no source, all sources of the provider count. If such a source is about another scope,
   * the next plan finds the difference.
   */
  private async write(list: ProviderList, changes: FeedChange[], transaction: EntityManager): Promise<void> {
    const sources = (await transaction.query(
      'SELECT id FROM sources WHERE account_id = $1 AND provider = $2 AND ($3::uuid IS NULL OR id = $3)',
      [list.accountId, list.provider, list.sourceId],
    )) as { id: string }[];
    const reporters = [list.id, ...sources.map(({ id }) => id)];
    const liftedAt = new Map<EmailAddress, Date | null>();
    for (const { type, email, removed, actor, createdAt } of changes) {
      if (type.startsWith('suppression.') && !isPseudonym(email) && !reporters.includes(actor.id ?? '')) {
        const mayLift = type === 'suppression.changed' || removed?.cause === 'bounce';
        liftedAt.set(email, mayLift ? new Date(createdAt) : (liftedAt.get(email) ?? null));
      }
    }
    const states = liftedAt.size > 0 ? await this.states.read(list, [...liftedAt.keys()], transaction) : [];
    const rules = { ...list, provider: listProviderOf(list.provider) };
    const pushes = states.flatMap((state) => pushesFor(state, liftedAt.get(state.email)!, rules));
    await this.states.insert(list, pushes, transaction);
  }
}
