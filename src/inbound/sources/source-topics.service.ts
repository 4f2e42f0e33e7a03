import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, Not, type EntityManager } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import type { OperatorContext } from '../../audit/request-context.js';
import { STEP_MS, transactionBefore } from '../../database/transaction.js';
import { toPage, type Page } from '../../http/page.js';
import { Topic } from '../../topics/topic.entity.js';
import { TopicsService } from '../../topics/topics.service.js';
import type { TopicUnit } from '../parsing/delivery-event.js';
import { providerOf } from '../providers/providers.js';
import { InvalidSourceError } from './errors.js';
import { OptOutMovesService } from './opt-out-moves.service.js';
import { SourceTopic, Source } from './source.entity.js';

/** A kind of mail at the provider, and the key of the topic that a person maps it to. */
export interface TopicMapping {
  unit: TopicUnit;
  topicKey: string;
}

export interface MappedUnit {
  unit: TopicUnit;
  topic: Topic;
  isMapped: boolean;
}

/** Maps the groups, streams, tags, lists, and topics of providers to topics. */
@Injectable()
export class SourceTopicsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly topicsService: TopicsService,
    private readonly moves: OptOutMovesService,
  ) {}

  async list({ accountId, id: sourceId }: Source): Promise<MappedUnit[]> {
    const rows = await this.dataSource.manager.find(SourceTopic, {
      where: { accountId, sourceId },
      order: { unitKind: 'ASC', unitName: 'ASC' },
    });
    return this.withTopics(accountId, rows);
  }

  /** The first units, unmapped ones first. */
  async page({ accountId, id: sourceId }: Source, limit: number): Promise<Page<MappedUnit>> {
    const rows = await this.dataSource.manager.find(SourceTopic, {
      where: { accountId, sourceId },
      order: { isMapped: 'ASC', unitKind: 'ASC', unitName: 'ASC' },
      take: limit + 1,
    });
    return toPage(await this.withTopics(accountId, rows), limit);
  }

  /** Filters the topics to which a person can map a kind of mail. The service created the others for this source. */
  async mappableTopics({ accountId, id: sourceId }: Source, topics: Topic[]): Promise<Topic[]> {
    const topicId = In(topics.map(({ id }) => id));
    const rows = await this.dataSource.manager.findBy(SourceTopic, {
      accountId,
      sourceId,
      topicId,
      isMapped: false,
    });
    const automatic = new Set(rows.map((row) => row.topicId));
    return topics.filter(({ id }) => !automatic.has(id));
  }

  private async withTopics(accountId: number, rows: SourceTopic[]): Promise<MappedUnit[]> {
    const topics = await this.dataSource.manager.findBy(Topic, {
      accountId,
      id: In(rows.map(({ topicId }) => topicId)),
    });
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
      const known = kinds.length > 0 ? `only ${kinds.join(', ')}` : 'nor any other kind of mail';
      throw new InvalidSourceError(`A source of ${provider} has no ${unknown.unit.kind} to map, ${known}.`);
    }
    for (const { topicKey } of mappings) {
      await getTopicByKey(this.dataSource.manager, accountId, topicKey);
    }
  }

  /**
   * Maps a kind of mail to a topic. If the service had created a topic for it, that topic is archived, and its opt-outs are
   * moved: until the deadline by this call, and after it in the background.
   *
   * @throws {InvalidSourceError}
   */
  async map({ actor, deadline }: OperatorContext, source: Source, mapping: TopicMapping): Promise<void> {
    const { accountId, id: sourceId, provider } = source;
    await this.requireMappable(accountId, provider, [mapping]);
    const { unit, topicKey } = mapping;
    const key = { accountId, sourceId, unitKind: unit.kind, unitName: unit.name };
    const isOver = () => performance.now() + STEP_MS > deadline;
    await this.moves.finish(key, isOver);
    await transactionBefore(this.dataSource, { accountId, deadline }, async (transaction) => {
      await lockTopics(source, transaction);
      const { id: topicId } = await getTopicByKey(transaction, accountId, topicKey, 'pessimistic_read');
      const rows = transaction.getRepository(SourceTopic);
      const before = await rows.findOneBy(key);
      if (before?.movingFrom) {
        throw new InvalidSourceError(
          `The opt-outs of ${unit.kind}:${unit.name} are still being moved. Try again in a minute.`,
        );
      }
      const movingFrom = before && !before.isMapped && before.topicId !== topicId ? before.topicId : null;
      await rows.save({ ...key, topicId, isMapped: true, movingFrom });
      const mapped = before?.isMapped ? before.topicId : null;
      if (mapped !== topicId) {
        const changes = { [`topics.${unit.kind}:${unit.name}`]: { from: mapped, to: topicId } };
        await recordAudit(transaction, { accountId, actor }, 'source.updated', source, changes);
      }
      if (movingFrom) {
        await this.topicsService.archiveWithin(transaction, { accountId, actor }, movingFrom);
      }
    });
    await this.moves.tryToFinish(key, isOver);
  }
}

/** @throws {InvalidSourceError} */
async function getTopicByKey(
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

type SourceKey = Pick<Source, 'accountId' | 'id'>;

/** One transaction at a time changes the topics of a source. */
export async function lockTopics({ accountId, id }: SourceKey, transaction: EntityManager): Promise<void> {
  await transaction.query('SELECT FROM sources WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE', [
    accountId,
    id,
  ]);
}

/**
 * Also prevents moves from beginning before the transaction ends.
 *
 * @throws {InvalidSourceError} while opt-outs move, which only the mapping of the source knows
 */
export async function requireNoMoves(source: SourceKey, transaction: EntityManager): Promise<void> {
  await lockTopics(source, transaction);
  const { accountId, id: sourceId } = source;
  if (await transaction.existsBy(SourceTopic, { accountId, sourceId, movingFrom: Not(IsNull()) })) {
    throw new InvalidSourceError(
      'Opt-outs are still moving to a topic of this source. The source is paused; try to delete it again in a minute.',
    );
  }
}
