import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { afterCommit } from '../../database/after-commit.js';
import { transactionBefore } from '../../database/transaction.js';
import { ServiceUnavailableError } from '../../http/errors/errors.js';
import { Metrics } from '../../metrics/metrics.js';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import { contentKey } from '../parsing/event-key.js';
import { isTooFarAhead } from '../parsing/timestamp.js';
import type { NewEvent } from '../projection/new-event.js';
import { ProjectionService } from '../projection/projection.service.js';
import type { Source } from '../sources/source.entity.js';
import { EventTopicsService } from '../sources/event-topics.service.js';
import { resultsOf, type EventResult } from './event-result.js';
import { EventDeletionsRepository } from './event-deletions.repository.js';
import { InboxRepository } from './inbox.repository.js';
import { OutcomesRepository } from './outcomes.repository.js';
import { SpentTokensRepository, type SingleUseToken } from './spent-tokens.repository.js';

/** For each stored event, so that the inbox shrinks while events arrive. */
const EXPIRED_EVENTS_TO_DELETE = 2;
const JUST_EXPIRED = 'An event that was reported before has just expired. Try again in a moment.';

@Injectable()
export class InboxService {
  constructor(
    private readonly tokens: SpentTokensRepository,
    private readonly inbox: InboxRepository,
    private readonly projection: ProjectionService,
    private readonly outcomes: OutcomesRepository,
    private readonly deletions: EventDeletionsRepository,
    private readonly topics: EventTopicsService,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Locks are taken in the order token, source (to make a topic), its mappings, addresses, event keys, records, and each
   * kind in an order of its own, so that no two deliveries deadlock.
   *
   * @param deadline - of the request that brought the events: nothing is changed after its caller was answered 503
   * @returns the result of each event, in the order given; undefined when the token was spent on other events: then nothing
   *   was changed
   * @throws {UnknownSourceError} when the source was just deleted
   * @throws {ServiceUnavailableError} when an event that was reported before has just expired, so that its result is unknown
   */
  store(
    source: Source,
    reported: DeliveryEvent[],
    receivedAt: Date,
    deadline: number,
    token?: SingleUseToken,
  ): Promise<EventResult[] | undefined> {
    return transactionBefore(this.dataSource, deadline, async (transaction) => {
      const once = token ? await this.spend(source, token, reported, transaction) : reported;
      if (!once) {
        return undefined;
      }
      const dated = once.map((event) => withPossibleTime(event, receivedAt));
      const events = await this.topics.resolve(source, dated, transaction);
      await this.projection.lock(source, events, transaction);
      const stored = await this.inbox.store(source, events, receivedAt, transaction);
      const outcomes = await this.projection.apply(source, stored, transaction);
      await this.outcomes.write(source.accountId, outcomes, transaction);
      const earlier = await this.findEarlierResults(source, events, stored, transaction);
      await this.deleteExpired(source, stored, transaction);
      const results = resultsOf(stored, outcomes);
      afterCommit(transaction, () => this.count(source, stored, results));
      return events.map(({ key }) => (results.get(key) ?? earlier.get(key))!);
    });
  }

  /** The events, whose keys belong to this use of a token that identifies them; undefined if it was used for others. */
  private async spend(
    source: Source,
    { value, identifiesEvents }: SingleUseToken,
    events: DeliveryEvent[],
    transaction: EntityManager,
  ): Promise<DeliveryEvent[] | undefined> {
    const spentAt = await this.tokens.spend(source, value, events, transaction);
    return spentAt && identifiesEvents
      ? events.map((event) => ({ ...event, key: contentKey([event.key, spentAt]) }))
      : spentAt && events;
  }

  private async findEarlierResults(
    source: Source,
    events: DeliveryEvent[],
    stored: NewEvent[],
    transaction: EntityManager,
  ): Promise<Map<string, EventResult>> {
    const newKeys = new Set(stored.map(({ key }) => key));
    const keys = [...new Set(events.map(({ key }) => key))].filter((key) => !newKeys.has(key));
    if (keys.length === 0) {
      return new Map();
    }
    const results = await this.outcomes.findResults(source, keys, transaction);
    if (results.size < keys.length) {
      throw new ServiceUnavailableError(JUST_EXPIRED);
    }
    return results;
  }

  private count(source: Source, stored: NewEvent[], results: Map<string, EventResult>): void {
    const counted = stored.map(({ key, effect }) => ({ effect, outcome: results.get(key)!.outcome }));
    this.metrics.countEvents(source.provider, source.id, counted);
  }

  private async deleteExpired(
    { accountId }: Source,
    stored: NewEvent[],
    transaction: EntityManager,
  ): Promise<void> {
    if (stored.length > 0) {
      await this.deletions.deleteExpired(accountId, EXPIRED_EVENTS_TO_DELETE * stored.length, transaction);
    }
  }
}

/** An event of a provider whose clock is wrong counts from when it was received. */
function withPossibleTime(event: DeliveryEvent, receivedAt: Date): DeliveryEvent {
  const { occurredAt } = event;
  return occurredAt && isTooFarAhead(occurredAt.getTime(), receivedAt.getTime())
    ? { ...event, occurredAt: receivedAt }
    : event;
}
