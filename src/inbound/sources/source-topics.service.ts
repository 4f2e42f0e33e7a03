import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, IsNull, Repository, type EntityManager } from 'typeorm';
import type { Actor } from '../../audit/actor.js';
import { recordAudit } from '../../audit/record-audit.js';
import { transactionBefore } from '../../database/prepared-statement.js';
import { toPage, type Page } from '../../http/page.js';
import { PreferencesRepository } from '../../topics/preferences.repository.js';
import { Topic } from '../../topics/topic.entity.js';
import { TopicsService } from '../../topics/topics.service.js';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import type { TopicUnit } from '../parsing/topic-unit.js';
import { InvalidSourceError } from './errors.js';
import { moveOptOuts } from './move-opt-outs.js';
import { SourceTopic } from './source-topic.entity.js';
import { Source } from './source.entity.js';
import { providerOf } from './sources.service.js';

const MAX_NAME_LENGTH = 50;
const MOVE_MS = 600_000;
/** For each source. Providers let their users invent tags and lists, and verdicts read all topics. */
const MAX_AUTOMATIC_TOPICS = 1_000;
/** The name of the unit that stands for all others of its kind. */
const OTHERS = '*';

/** What a person maps: a kind of mail at the provider, and the key of a topic. */
export interface TopicMapping {
  unit: TopicUnit;
  topicKey: string;
}

/** A kind of mail at the provider, and its topic. */
export interface MappedUnit {
  unit: TopicUnit;
  topic: Topic;
  /** False if the service made the topic for a unit that nobody had mapped. */
  isMapped: boolean;
}

/** The topics that the groups, streams, tags, lists and topics of providers stand for. */
@Injectable()
export class SourceTopicsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(SourceTopic) private readonly sourceTopics: Repository<SourceTopic>,
    @InjectRepository(Topic) private readonly topics: Repository<Topic>,
    private readonly topicsService: TopicsService,
    private readonly preferences: PreferencesRepository,
  ) {}

  async list({ accountId, id: sourceId }: Source): Promise<MappedUnit[]> {
    const rows = await this.sourceTopics.find({
      where: { accountId, sourceId },
      order: { unitKind: 'ASC', unitName: 'ASC' },
    });
    return this.withTopics(accountId, rows);
  }

  /** The first ones. Those that nobody has mapped come first. */
  async page({ accountId, id: sourceId }: Source, limit: number): Promise<Page<MappedUnit>> {
    const rows = await this.sourceTopics.find({
      where: { accountId, sourceId },
      order: { isMapped: 'ASC', unitKind: 'ASC', unitName: 'ASC' },
      take: limit + 1,
    });
    return toPage(await this.withTopics(accountId, rows), limit);
  }

  /** Those of the topics that a person can map a kind of mail to: the service made the others for this source. */
  async choicesAmong({ accountId, id: sourceId }: Source, topics: Topic[]): Promise<Topic[]> {
    const topicId = In(topics.map(({ id }) => id));
    const rows = await this.sourceTopics.findBy({ accountId, sourceId, topicId, isMapped: false });
    const automatic = new Set(rows.map((row) => row.topicId));
    return topics.filter(({ id }) => !automatic.has(id));
  }

  private async withTopics(accountId: number, rows: SourceTopic[]): Promise<MappedUnit[]> {
    const topics = await this.topics.findBy({ accountId, id: In(rows.map(({ topicId }) => topicId)) });
    const byId = new Map(topics.map((topic) => [topic.id, topic]));
    return rows.map(({ unitKind: kind, unitName: name, topicId, isMapped }) => ({
      unit: { kind, name },
      topic: byId.get(topicId)!,
      isMapped,
    }));
  }

  /** @throws {InvalidSourceError} when the provider has no such kinds of mail, or the account has no such topics */
  async requireMappable(accountId: number, provider: string, mappings: TopicMapping[]): Promise<void> {
    const kinds: readonly string[] = providerOf(provider).units ?? [];
    const unknown = mappings.find(({ unit }) => !kinds.includes(unit.kind));
    if (unknown) {
      const known = kinds.length > 0 ? `It has: ${kinds.join(', ')}.` : 'It has none.';
      throw new InvalidSourceError(`A source of ${provider} has no ${unknown.unit.kind} to map. ${known}`);
    }
    for (const { topicKey } of mappings) {
      await topicWith(this.dataSource.manager, accountId, topicKey);
    }
  }

  /**
   * Maps a kind of mail to a topic. If the service had made a topic for it, the opt-outs move, and that topic is archived.
   *
   * @throws {InvalidSourceError}
   */
  async map(
    source: Source,
    actor: Actor,
    mapping: TopicMapping,
    deadline: number = performance.now() + MOVE_MS,
  ): Promise<void> {
    const { accountId, id: sourceId, provider } = source;
    await this.requireMappable(accountId, provider, [mapping]);
    const { unit, topicKey } = mapping;
    const key = { accountId, sourceId, unitKind: unit.kind, unitName: unit.name };
    await transactionBefore(this.dataSource, deadline, async (transaction) => {
      await lock(source, transaction);
      const { id: topicId } = await topicWith(transaction, accountId, topicKey, 'pessimistic_read');
      const rows = transaction.getRepository(SourceTopic);
      const before = await rows.findOneBy(key);
      await rows.save({ ...key, topicId, isMapped: true });
      const mapped = before?.isMapped ? before.topicId : null;
      if (mapped !== topicId) {
        const changes = { [`topics.${unit.kind}:${unit.name}`]: { from: mapped, to: topicId } };
        await recordAudit(transaction, accountId, actor, 'source.updated', source, changes);
      }
      if (before && !before.isMapped && before.topicId !== topicId) {
        await moveOptOuts(this.preferences, source, before.topicId, topicId, transaction);
        await this.topicsService.archiveWithin(transaction, accountId, actor, before.topicId);
      }
    });
  }

  /** The events, with the topic of those that are about a kind of mail, and with what they ask for then. */
  async resolve(
    source: Source,
    events: DeliveryEvent[],
    transaction: EntityManager,
  ): Promise<DeliveryEvent[]> {
    const units = events.flatMap((event) => event.units);
    if (units.length === 0) {
      return events;
    }
    const known = await this.topicIdsOf(source, units, transaction);
    const unknown = events.filter((event) => event.effect === 'opt-out' && !topicIdIn(known, event));
    if (unknown.length > 0) {
      await lock(source, transaction);
      for (const { units: own } of unknown) {
        await this.makeTopic(source, own[0]!, transaction);
      }
    }
    // Until the opt-outs are stored, nobody may change the mappings: such a change moves the opt-outs that it finds.
    const topicIds = await this.topicIdsOf(source, units, transaction, { mode: 'pessimistic_read' });
    return events.map((event) => resolved(event, topicIdIn(topicIds, event)));
  }

  private async topicIdsOf(
    { accountId, id: sourceId }: Source,
    units: TopicUnit[],
    transaction: EntityManager,
    rowLock?: { mode: 'pessimistic_read' },
  ): Promise<Map<string, string>> {
    const unitName = In([...new Set(units.map(({ name }) => name)), OTHERS]);
    const where = { accountId, sourceId, unitName };
    const rows = await transaction.find(SourceTopic, { where, ...(rowLock && { lock: rowLock }) });
    return new Map(rows.map((row) => [`${row.unitKind}:${row.unitName}`, row.topicId]));
  }

  /**
   * A private topic for a kind of mail that nobody mapped, so that no opt-out is lost; one for all others if there are too many.
   * The source is locked.
   */
  private async makeTopic(
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
    const topicName = [...`${provider} ${kind} ${name}`].slice(0, MAX_NAME_LENGTH).join('');
    const actor = { type: 'source', id: sourceId, name: sourceName } as const;
    const topic = await this.topicsService.createWithin(transaction, accountId, actor, {
      name: topicName,
      description: null,
      defaultSubscription: 'opt_in',
      visibility: 'private',
    });
    await transaction.insert(SourceTopic, { ...key, topicId: topic.id, isMapped: false });
  }
}

/** @throws {InvalidSourceError} */
async function topicWith(
  manager: EntityManager,
  accountId: number,
  key: string,
  mode?: 'pessimistic_read',
): Promise<Topic> {
  const where = { accountId, key, archivedAt: IsNull() };
  const topic = await manager.findOne(Topic, { where, ...(mode && { lock: { mode } }) });
  if (!topic) {
    throw new InvalidSourceError(
      `The account has no topic with the key ${key}. Create it with POST /topics.`,
    );
  }
  return topic;
}

/** One transaction at a time changes the topics of a source. */
async function lock({ accountId, id }: Source, transaction: EntityManager): Promise<void> {
  await transaction.query('SELECT FROM sources WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE', [
    accountId,
    id,
  ]);
}

/** A resubscribe to one of the other units must not take back the opt-out of another one. */
function topicIdIn(topicIds: Map<string, string>, { kind, units }: DeliveryEvent): string | null {
  const others = kind === 'unsubscribe' ? units.map((unit) => ({ ...unit, name: OTHERS })) : [];
  return [...units, ...others].map((unit) => topicIds.get(`${unit.kind}:${unit.name}`)).find(Boolean) ?? null;
}

/** An unsubscribe from a kind of mail with a topic is an opt-out of that topic, whatever it would mean without one. */
function resolved(event: DeliveryEvent, topicId: string | null): DeliveryEvent {
  if (event.units.length === 0 || event.recipient === null) {
    return event;
  }
  if (topicId === null) {
    return event.effect === 'opt-in' ? { ...event, effect: 'none' } : event;
  }
  switch (event.kind) {
    case 'unsubscribe':
      return { ...event, effect: 'opt-out', topicId };
    case 'resubscribe':
      return { ...event, effect: 'opt-in', topicId };
    default:
      return event;
  }
}
