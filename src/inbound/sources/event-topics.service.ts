import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { ServiceUnavailableError } from '../../http/errors/errors.js';
import { TopicsService } from '../../topics/topics.service.js';
import type { DeliveryEvent, TopicUnit } from '../parsing/delivery-event.js';
import { lockTopics } from './source-topics.service.js';
import { SourceTopic, type Source } from './source.entity.js';

const MAX_NAME_LENGTH = 50;
/** The limit for each source. Providers let their users invent tags and lists, and verdicts read all topics. */
const MAX_AUTOMATIC_TOPICS = 1_000;
/** The name of the unit that stands for all others of its kind. */
const OTHERS = '*';

@Injectable()
export class EventTopicsService {
  constructor(private readonly topicsService: TopicsService) {}

  /** Adds topics to the events that are about a kind of mail, and sets the resulting effects. */
  async resolve<Event extends DeliveryEvent>(
    source: Source,
    events: Event[],
    transaction: EntityManager,
  ): Promise<Event[]> {
    const units = events.flatMap((event) => event.units);
    const existing = topicIdsOf(await this.rowsOf(source, units, transaction));
    const missing = events.filter((event) => event.effect === 'opt-out' && !topicIdIn(existing, event));
    if (missing.length > 0) {
      await lockTopics(source, transaction);
      for (const { units: own } of missing) {
        await this.createTopic(source, own[0]!, transaction);
      }
    }
    // Nobody may change the mappings until the opt-outs are stored, because such a change moves the opt-outs that exist at that
    // time.
    const rows = await this.rowsOf(source, units, transaction, { mode: 'pessimistic_read' });
    const topicIds = topicIdsOf(rows);
    const moving = new Set(rows.flatMap((row) => (row.movingFrom ? row.topicId : [])));
    return events.map((event) => {
      const topicId = topicIdIn(topicIds, event);
      if (event.kind === 'resubscribe' && topicId !== null && moving.has(topicId)) {
        // The opt-out that it reverts may not have been moved yet. The provider retries.
        throw new ServiceUnavailableError();
      }
      return resolveEffect(event, topicId);
    });
  }

  private rowsOf(
    { accountId, id: sourceId }: Source,
    units: TopicUnit[],
    transaction: EntityManager,
    rowLock?: { mode: 'pessimistic_read' },
  ): Promise<SourceTopic[]> {
    const unitName = In([...new Set(units.map(({ name }) => name)), OTHERS]);
    const where = { accountId, sourceId, unitName };
    return transaction.find(SourceTopic, { where, ...(rowLock && { lock: rowLock }) });
  }

  /**
   * Creates a private topic for a kind of mail that nobody mapped, so that no opt-out is lost; if there are too many, one topic
   * for all others. The source must be locked.
   */
  private async createTopic(
    { accountId, id: sourceId, provider, name: sourceName }: Source,
    { kind, name: unitName }: TopicUnit,
    transaction: EntityManager,
  ): Promise<void> {
    const automatic = await transaction.countBy(SourceTopic, { accountId, sourceId, isMapped: false });
    const name = automatic < MAX_AUTOMATIC_TOPICS ? unitName : OTHERS;
    const key = { accountId, sourceId, unitKind: kind, unitName: name };
    if (await transaction.existsBy(SourceTopic, key)) {
      return;
    }
    const actor = { type: 'source', id: sourceId, name: sourceName } as const;
    const topic = await this.topicsService.createWithin(
      transaction,
      { accountId, actor },
      {
        name: [...`${provider} ${kind} ${name}`].slice(0, MAX_NAME_LENGTH).join(''),
        description: null,
        defaultSubscription: 'opt_in',
        visibility: 'private',
      },
    );
    await transaction.insert(SourceTopic, { ...key, topicId: topic.id, isMapped: false });
  }
}

function topicIdsOf(rows: SourceTopic[]): Map<string, string> {
  return new Map(rows.map((row) => [`${row.unitKind}:${row.unitName}`, row.topicId]));
}

/**
 * Only an unsubscribe may use the topic for all other units. A resubscribe to one of these units must not revert the opt-out of
 * another one.
 */
function topicIdIn(topicIds: Map<string, string>, { kind, units }: DeliveryEvent): string | null {
  const others = kind === 'unsubscribe' ? units.map((unit) => ({ ...unit, name: OTHERS })) : [];
  return [...units, ...others].map((unit) => topicIds.get(`${unit.kind}:${unit.name}`)).find(Boolean) ?? null;
}

/**
 * An unsubscribe from a kind of mail with a topic is an opt-out of that topic, whatever its effect would be otherwise. A refusal
 * to send, because the recipient had unsubscribed before, adds nothing to that opt-out, which may have been reversed here since.
 */
function resolveEffect<Event extends DeliveryEvent>(event: Event, topicId: string | null): Event {
  if (event.units.length === 0 || event.recipient === null) {
    return event;
  }
  if (topicId === null) {
    return event.effect === 'opt-in' ? { ...event, effect: 'none' } : event;
  }
  switch (event.kind) {
    case 'unsubscribe':
      return event.effect === 'suppress-if-absent'
        ? { ...event, effect: 'none' }
        : { ...event, effect: 'opt-out', topicId };
    case 'resubscribe':
      return { ...event, effect: 'opt-in', topicId };
    default:
      return event;
  }
}
