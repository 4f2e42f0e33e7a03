import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { transactionBefore } from '../../database/prepared-statement.js';
import { ServiceUnavailableError } from '../../http/errors.js';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import { Metrics } from '../../metrics/metrics.js';
import type { NewEvent } from '../projection/new-event.js';
import { InboxRepository, type StoredOutcome } from './inbox.repository.js';
import { ProjectionService } from '../projection/projection.service.js';
import type { Source } from '../sources/source.entity.js';
import { SourcesService } from '../sources/sources.service.js';
import { SpentTokensRepository } from './spent-tokens.repository.js';

const JUST_FORGOTTEN = 'An event that was told before was just forgotten. Try again in a moment.';

/** Stores events and does what the new ones say, both or neither. */
@Injectable()
export class InboxService {
  constructor(
    private readonly tokens: SpentTokensRepository,
    private readonly inbox: InboxRepository,
    private readonly projection: ProjectionService,
    private readonly sources: SourcesService,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Locks the token, then the addresses, then the keys of the events, each in their order, and then the places of the addresses
   * on the list: no two wait in a circle.
   *
   * @param token - good for these events at this source only; no two things that may be used once have the same one
   * @param deadline - the request that brought the events, if one did: nothing is done after its caller was answered 503
   * @returns what each event did when it came first, in the order given; undefined when the token was spent otherwise: then
   *   nothing was done
   * @throws {UnknownSourceError} when the source was just deleted
   * @throws {ServiceUnavailableError} when an event that was told before was just forgotten, so that nobody knows what it did
   */
  take(
    source: Source,
    events: DeliveryEvent[],
    receivedAt: Date,
    token?: string,
    deadline: number = Infinity,
  ): Promise<StoredOutcome[] | undefined> {
    return transactionBefore(this.dataSource, deadline, async (transaction) => {
      if (token !== undefined && !(await this.tokens.spend(source, token, events, transaction))) {
        return undefined;
      }
      await this.projection.lock(source, events, transaction);
      const news = await this.inbox.store(source, events, receivedAt, transaction);
      const settlements = await this.projection.apply(source, news, transaction);
      if (settlements.length > 0) {
        await this.inbox.settle(source.accountId, settlements, transaction);
      }
      const outcomes = await this.outcomesOf(source, events, transaction);
      if (news.length > 0) {
        await this.inbox.forget(source.accountId, news, transaction);
      }
      this.count(source, news, outcomes);
      return outcomes;
    });
  }

  /**
   * Deletes a source and the events that it received. What they changed on the list stays, and so does the ledger. The
   * source is paused first, so that no events arrive while they are deleted.
   *
   * @throws {SourceNotFoundError}
   */
  async deleteSource(id: string): Promise<void> {
    const source = await this.sources.pause(id);
    await this.inbox.empty(source);
    await this.sources.delete(source);
  }

  private count(source: Source, news: NewEvent[], outcomes: StoredOutcome[]): void {
    const outcomeOf = new Map(outcomes.map(({ key, outcome }) => [key, outcome]));
    const counted = news.map(({ key, effect }) => ({ effect, outcome: outcomeOf.get(key)! }));
    this.metrics.countEvents(source.provider, source.id, counted);
  }

  private async outcomesOf(
    source: Source,
    events: DeliveryEvent[],
    transaction: EntityManager,
  ): Promise<StoredOutcome[]> {
    const stored = await this.inbox.findOutcomes(source, events, transaction);
    const byKey = new Map(stored.map((outcome) => [outcome.key, outcome]));
    return events.map(({ key }) => {
      const outcome = byKey.get(key);
      if (!outcome) {
        throw new ServiceUnavailableError(JUST_FORGOTTEN);
      }
      return outcome;
    });
  }
}
