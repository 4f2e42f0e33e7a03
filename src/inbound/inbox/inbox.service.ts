import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RecentAccounts } from '../../accounts/recent-accounts.js';
import { runTogether } from '../../database/run-together.js';
import { afterCommit, limitStatements, transactionBefore } from '../../database/transaction.js';
import { ServiceUnavailableError } from '../../http/errors/errors.js';
import { Metrics } from '../../metrics/metrics.js';
import { StoredNames } from '../../pseudonyms/stored-names.js';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import { contentKey, recipientsOf, renameEvent } from '../parsing/report.js';
import { isTooFarAhead } from '../parsing/timestamp.js';
import { lockAddresses, lockFor } from '../projection/address-locks.js';
import {
  resultsOf,
  type EventResult,
  type NewEvent,
  type ReceivedEvent,
} from '../projection/event-outcome.js';
import { ProjectionService } from '../projection/projection.service.js';
import { EventTopicsService } from '../sources/event-topics.service.js';
import type { Source } from '../sources/source.entity.js';
import { SharedDeliveries, type Delivery } from './shared-deliveries.js';
import { spendToken, type SingleUseToken } from './spent-tokens.js';
import { findResults, storeEvents, writeOutcomes } from './stored-events.js';

/** Larger deliveries gain nothing from a shared transaction. */
const MAX_SHARED_EVENTS = 10;
const SHARED_STATEMENT_TIMEOUT_MS = 500;
/** A shared transaction may hold all address locks of the account, so it gives up early if it has to wait for a lock. */
const SHARED_LOCK_TIMEOUT_MS = 100;
const JUST_EXPIRED = 'An event that was reported before has just expired. Try again in a moment.';

@Injectable()
export class InboxService {
  private readonly shared = new SharedDeliveries((deliveries) => this.storeTogether(deliveries));

  constructor(
    private readonly projection: ProjectionService,
    private readonly topics: EventTopicsService,
    private readonly dataSource: DataSource,
    private readonly metrics: Metrics,
    private readonly recentAccounts: RecentAccounts,
    private readonly storedNames: StoredNames,
  ) {}

  /**
   * Locks are taken in this order: token, source (to create a topic), its mappings, keys of events that lock no address,
   * addresses, keys of the other events, records. The locks of each kind are sorted, so that no two deliveries deadlock. A small
   * delivery without a token may share its transaction with others of its source.
   *
   * @returns the result of each event, in the order given; undefined if the token was spent on other events, in which case
   *   nothing was changed
   * @throws {UnknownSourceError} when the source was just deleted
   * @throws {ServiceUnavailableError} when an event that was reported before has just expired, so that its result is unknown
   */
  async store(given: Delivery, token?: SingleUseToken): Promise<EventResult[] | undefined> {
    const { source, events, deadline } = given;
    const pseudonyms = await this.storedNames.forWriting(source.accountId, recipientsOf(events));
    const withStoredNames = (reported: DeliveryEvent[]): Delivery => ({
      ...given,
      events: reported.map((event) => renameEvent(event, pseudonyms)),
    });
    if (token) {
      return transactionBefore(
        this.dataSource,
        { accountId: source.accountId, deadline },
        async (transaction) => {
          const once = await this.spend(source, token, events, transaction);
          return once && (await this.storeIn(transaction, [withStoredNames(once)]))[0];
        },
      );
    }
    const delivery = pseudonyms.size === 0 ? given : withStoredNames(events);
    return events.length > MAX_SHARED_EVENTS
      ? (await this.storeTogether([delivery]))[0]
      : this.shared.store(delivery);
  }

  /** @param deliveries - deliveries of one source, the latest last */
  private storeTogether(deliveries: Delivery[]): Promise<EventResult[][]> {
    const { accountId } = deliveries[0]!.source;
    const deadline = Math.min(...deliveries.map((delivery) => delivery.deadline));
    return transactionBefore(this.dataSource, { accountId, deadline }, async (transaction) => {
      if (deliveries.length > 1) {
        limitStatements(transaction, SHARED_STATEMENT_TIMEOUT_MS, SHARED_LOCK_TIMEOUT_MS);
      }
      return this.storeIn(transaction, deliveries);
    });
  }

  private async storeIn(transaction: EntityManager, deliveries: Delivery[]): Promise<EventResult[][]> {
    const { source } = deliveries.at(-1)!;
    const received = deliveries.flatMap(receivedEvents);
    const hasUnits = received.some(({ units }) => units.length > 0);
    const events = hasUnits ? await this.topics.resolve(source, received, transaction) : received;
    const storing = firstOfEachKey(events);
    const isLocked = (event: ReceivedEvent) => lockFor(event, source) !== undefined;
    // Before the locks, for which a large delivery would otherwise make others of the account wait.
    const unlocked = await storeEvents(
      source,
      storing.filter((event) => !isLocked(event)),
      transaction,
    );
    const [, locked, present] = await runTogether(transaction, [
      () => lockAddresses(source, storing, transaction),
      () => storeEvents(source, storing.filter(isLocked), transaction),
      () => this.projection.findPresent(source, storing, transaction),
    ]);
    const stored = withIds(storing, new Map([...unlocked, ...locked]));
    const decisions = await this.projection.judge(source, { events: stored, present }, transaction);
    const { outcomes } = decisions;
    const [, , earlier] = await runTogether(transaction, [
      () => this.projection.settle(source, decisions, transaction),
      () => writeOutcomes(source.accountId, outcomes, transaction),
      () => this.findEarlierResults(source, events, stored, transaction),
    ]);
    const results = resultsOf(stored, outcomes);
    afterCommit(transaction, () => this.count(source, stored, results));
    const inOrder = events.map(({ key }) => (results.get(key) ?? earlier.get(key))!);
    return deliveries.map((delivery) => inOrder.splice(0, delivery.events.length));
  }

  /**
   * Spends the token, and returns the events; undefined if the token was used for other events. If nothing else identifies the
   * events, their keys include this use of the token.
   */
  private async spend(
    source: Source,
    { value, identifiesEvents }: SingleUseToken,
    events: DeliveryEvent[],
    transaction: EntityManager,
  ): Promise<DeliveryEvent[] | undefined> {
    const spentAt = await spendToken(source, value, events, transaction);
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
    const results = await findResults(source, keys, transaction);
    if (results.size < keys.length) {
      throw new ServiceUnavailableError(JUST_EXPIRED);
    }
    return results;
  }

  private count(source: Source, stored: NewEvent[], results: Map<string, EventResult>): void {
    this.recentAccounts.add(source.accountId);
    const counted = stored.map(({ key, effect }) => ({ effect, outcome: results.get(key)!.outcome }));
    this.metrics.countEvents(source.provider, source.id, counted);
  }
}

/** If a provider's clock is ahead, an event counts from when it was received. */
function receivedEvents({ events, receivedAt }: Delivery): ReceivedEvent[] {
  return events.map((event) => {
    const { occurredAt } = event;
    const isPossible = !occurredAt || !isTooFarAhead(occurredAt.getTime(), receivedAt.getTime());
    return { ...event, occurredAt: isPossible ? occurredAt : receivedAt, receivedAt };
  });
}

/** Of events with the same key, the first one counts. */
function firstOfEachKey(events: ReceivedEvent[]): ReceivedEvent[] {
  const keys = new Set<string>();
  return events.filter(({ key }) => !keys.has(key) && keys.add(key));
}

/** The events that were not stored before. */
function withIds(events: ReceivedEvent[], ids: ReadonlyMap<string, string>): NewEvent[] {
  return events.flatMap((event) => {
    const id = ids.get(event.key);
    return id === undefined ? [] : [{ ...event, id }];
  });
}
