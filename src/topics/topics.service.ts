import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, IsNull, Not, Repository, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { announceEvent, createEvent } from '../announcements/events.js';
import type { Actor } from '../audit/actor.js';
import { differencesBetween, recordAudit } from '../audit/record-audit.js';
import type { Identity, RequestContext } from '../audit/request-context.js';
import { insertUnlessTaken } from '../database/insert-unless-taken.js';
import { transactionBefore } from '../database/transaction.js';
import { requireFound } from '../http/errors/api-error.js';
import { findPage, type Cursor, type Page } from '../http/page.js';
import { TooManyTopicsError, TopicArchivedError, TopicKeyTakenError, TopicNotFoundError } from './errors.js';
import { topicKeysFrom, type TopicRef } from './topic-ref.js';
import { Topic } from './topic.entity.js';

/** Some pages show all topics, and the form for recipients accepts no more. */
const MAX_TOPICS = 10_000;

export type NewTopic = Pick<Topic, 'name' | 'description' | 'defaultSubscription' | 'visibility'> & {
  /** By default, derived from the name. */
  key?: string;
};

export type TopicChanges = Partial<Pick<Topic, 'name' | 'description' | 'visibility'>>;

/** Manages the topics of an account. Only `findEvenArchived` finds archived topics, whose preferences and keys stay. */
@Injectable()
export class TopicsService {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Topic) private readonly topics: Repository<Topic>,
  ) {}

  /**
   * @throws {TooManyTopicsError}
   * @throws {TopicKeyTakenError} if a key was given
   * @throws {TopicArchivedError} if a key was given
   */
  async create(context: RequestContext, topic: NewTopic): Promise<Topic> {
    await this.requireRoom(context.accountId);
    return transactionBefore(this.dataSource, context, (transaction) =>
      this.createWithin(transaction, context, topic),
    );
  }

  /**
   * @throws {TopicKeyTakenError} if a key was given
   * @throws {TopicArchivedError} if a key was given
   */
  async createWithin(
    transaction: EntityManager,
    identity: Identity,
    { key, ...topic }: NewTopic,
  ): Promise<Topic> {
    const keys = key === undefined ? topicKeysFrom(topic.name) : [key];
    let taken = '';
    for (taken of keys) {
      const where = { accountId: identity.accountId, key: taken };
      if (await insertUnlessTaken(transaction, Topic, { ...topic, ...where })) {
        const created = await transaction.findOneByOrFail(Topic, where);
        const { id, name } = created;
        const fields = { ...topic, key: created.key };
        const changes = differencesBetween({}, fields);
        await recordAudit(transaction, identity, 'topic.created', { id, name }, changes);
        await announceTopic(transaction, 'topic.created', created);
        return created;
      }
    }
    const owner = await transaction.findOneBy(Topic, { accountId: identity.accountId, key: taken });
    throw owner?.archivedAt ? new TopicArchivedError(owner.id, taken) : new TopicKeyTakenError(taken);
  }

  /** @throws {TopicNotFoundError} */
  async get(accountId: number, ref: TopicRef): Promise<Topic> {
    const found = await this.topics.findOneBy({ ...ref, accountId, archivedAt: IsNull() });
    return requireFound(found, TopicNotFoundError);
  }

  /** Newest first. */
  page(accountId: number, cursor: Cursor): Promise<Page<Topic>> {
    return findPage(this.topics, [{ accountId, archivedAt: IsNull() }], cursor);
  }

  /** Newest first. */
  archivedPage(accountId: number, cursor: Cursor): Promise<Page<Topic>> {
    return findPage(this.topics, [{ accountId, archivedAt: Not(IsNull()) }], cursor);
  }

  findEvenArchived(accountId: number, ids: string[]): Promise<Topic[]> {
    return this.topics.findBy({ accountId, id: In(ids) });
  }

  /**
   * Finds topics by id or key, in the order of the refs.
   *
   * @throws {TopicNotFoundError} if any of them does not exist
   */
  async findByRefs(accountId: number, refs: TopicRef[]): Promise<Topic[]> {
    const ids = refs.flatMap((ref) => ('id' in ref ? ref.id : []));
    const keys = refs.flatMap((ref) => ('key' in ref ? ref.key : []));
    const found = await this.topics.findBy([
      { accountId, id: In(ids), archivedAt: IsNull() },
      { accountId, key: In(keys), archivedAt: IsNull() },
    ]);
    return refs.map((ref) => {
      const topic = found.find(({ id, key }) => ('id' in ref ? ref.id === id : ref.key === key));
      return requireFound(topic, TopicNotFoundError);
    });
  }

  findAll(accountId: number): Promise<Topic[]> {
    return this.topics.findBy({ accountId, archivedAt: IsNull() });
  }

  /**
   * Finds the public topics and some others.
   *
   * @param evenArchivedId - a topic to include even if it is archived
   */
  findPublicAnd(accountId: number, ids: string[], evenArchivedId: string | undefined): Promise<Topic[]> {
    return this.topics.findBy([
      { accountId, visibility: 'public', archivedAt: IsNull() },
      { accountId, id: In(ids), archivedAt: IsNull() },
      ...(evenArchivedId === undefined ? [] : [{ accountId, id: evenArchivedId }]),
    ]);
  }

  /** @throws {TopicNotFoundError} */
  update(context: RequestContext, ref: TopicRef, changes: TopicChanges): Promise<Topic> {
    return this.change(context, 'topic.updated', { ...ref, archivedAt: IsNull() }, changes);
  }

  /**
   * Archives a topic. Its preferences stay, and no other topic can take its key: mailers name topics by their keys, so a
   * successor would mail recipients who opted out.
   *
   * @throws {TopicNotFoundError}
   */
  archive(context: RequestContext, ref: TopicRef): Promise<Topic> {
    const where = { ...ref, archivedAt: IsNull() };
    return this.change(context, 'topic.archived', where, { archivedAt: new Date() });
  }

  /**
   * Restores an archived topic with its preferences, or returns one that is not archived.
   *
   * @throws {TopicNotFoundError}
   * @throws {TooManyTopicsError}
   */
  async restore(context: RequestContext, ref: TopicRef): Promise<Topic> {
    const { accountId } = context;
    if (await this.topics.existsBy({ ...ref, accountId, archivedAt: Not(IsNull()) })) {
      await this.requireRoom(accountId);
    }
    return this.change(context, 'topic.restored', ref, { archivedAt: null });
  }

  /** Archives a topic, unless it is already archived. */
  async archiveWithin(transaction: EntityManager, { accountId, actor }: Identity, id: string): Promise<void> {
    const where = { accountId, id, archivedAt: IsNull() };
    const topic = await transaction.findOne(Topic, { where, lock: { mode: 'pessimistic_write' } });
    if (topic) {
      const how = { actor, action: 'topic.archived' } as const;
      await changeLocked(transaction, how, topic, { archivedAt: new Date() });
    }
  }

  /** Concurrent requests may exceed the limit by one topic each. */
  private async requireRoom(accountId: number): Promise<void> {
    if ((await this.topics.countBy({ accountId, archivedAt: IsNull() })) >= MAX_TOPICS) {
      throw new TooManyTopicsError();
    }
  }

  private change(
    context: RequestContext,
    action: TopicAction,
    ref: FindOptionsWhere<Topic>,
    changes: Partial<Topic>,
  ): Promise<Topic> {
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const { accountId, actor } = context;
      const where = { ...ref, accountId };
      const found = await transaction.findOne(Topic, { where, lock: { mode: 'pessimistic_write' } });
      const topic = requireFound(found, TopicNotFoundError);
      return changeLocked(transaction, { actor, action }, topic, changes);
    });
  }
}

async function changeLocked(
  transaction: EntityManager,
  { actor, action }: { actor: Actor; action: TopicAction },
  topic: Topic,
  changes: Partial<Topic>,
): Promise<Topic> {
  const differences = differencesBetween(topic, changes);
  if (Object.keys(differences).length === 0) {
    return topic;
  }
  await recordAudit(transaction, { accountId: topic.accountId, actor }, action, topic, differences);
  const topics = transaction.getRepository(Topic);
  const changed = await topics.save(topics.merge(topic, changes));
  await announceTopic(transaction, action, changed);
  return changed;
}

type TopicAction = 'topic.created' | 'topic.updated' | 'topic.archived' | 'topic.restored';

/** Resend deletes topics instead of archiving them. */
const EVENT_TYPES = {
  'topic.created': 'topic.created',
  'topic.updated': 'topic.updated',
  'topic.archived': 'topic.deleted',
  'topic.restored': 'topic.created',
} as const;

/** Announces a change of a topic as Resend does. https://resend.com/docs/webhooks/topics/created */
async function announceTopic(
  transaction: EntityManager,
  action: TopicAction,
  { accountId, id, name, description, defaultSubscription, createdAt, archivedAt }: Topic,
): Promise<void> {
  const at = action === 'topic.created' ? createdAt : new Date();
  const data = {
    id,
    name,
    description,
    default_subscription: defaultSubscription,
    deleted: archivedAt !== null,
    created_at: createdAt.toISOString(),
    updated_at: at.toISOString(),
  };
  await announceEvent(transaction, accountId, createEvent(EVENT_TYPES[action], uuidv7(), at, data));
}
