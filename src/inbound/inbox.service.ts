import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { transactionWithin, type Within } from '../database/prepared-statement.js';
import type { DeliveryEvent } from './delivery-event.js';
import { InboxRepository, type StoredOutcome } from './inbox.repository.js';
import { ProjectionService } from './projection.service.js';
import type { Source } from './source.entity.js';

/** Stores events and does what the new ones say, both or neither. */
@Injectable()
export class InboxService {
  constructor(
    private readonly inbox: InboxRepository,
    private readonly projection: ProjectionService,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * Locks the token, then the keys of the events, then the addresses, each in their order: no two wait in a circle.
   *
   * @param token - good for these events at this source only; no two things that may be used once have the same one
   * @param within - the request that brought the events, if one did: nothing is done after its caller was answered 503
   * @returns false when the token was spent otherwise; then nothing was done
   */
  take(
    source: Source,
    events: DeliveryEvent[],
    receivedAt: Date,
    token?: string,
    within: Within = { answeredBy: Infinity },
  ): Promise<boolean> {
    return transactionWithin(this.dataSource, within, async (transaction) => {
      if (token !== undefined && !(await this.inbox.spendToken(source, token, events, transaction))) {
        return false;
      }
      const news = await this.inbox.store(source, events, receivedAt, transaction);
      const settlements = await this.projection.apply(source, news, transaction);
      if (settlements.length > 0) {
        await this.inbox.settle(source.accountId, settlements, transaction);
      }
      if (news.length > 0) {
        await this.inbox.forget(source.accountId, news, transaction);
      }
      return true;
    });
  }

  /** What the events did when they came first, in the order given. */
  async outcomesOf(source: Source, events: DeliveryEvent[]): Promise<StoredOutcome[]> {
    const stored = await this.inbox.findOutcomes(source, events);
    const byKey = new Map(stored.map((outcome) => [outcome.key, outcome]));
    return events.map(({ key }) => byKey.get(key)!);
  }
}
