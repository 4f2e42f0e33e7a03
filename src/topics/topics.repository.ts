import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, Repository } from 'typeorm';
import { requireFound } from '../http/errors/api-error.js';
import { TopicNotFoundError } from './errors.js';
import type { TopicRef } from './topic-ref.js';
import { Topic } from './topic.entity.js';

@Injectable()
export class TopicsRepository extends Repository<Topic> {
  constructor(dataSource: DataSource) {
    super(Topic, dataSource.manager);
  }

  /** Used for links in old mail, whose topic may have been archived since. */
  findEvenArchived(accountId: number, id: string): Promise<Topic | null> {
    return this.findOneBy({ accountId, id });
  }

  /** Includes archived topics. */
  findByIds(accountId: number, ids: string[]): Promise<Topic[]> {
    return this.findBy({ accountId, id: In(ids) });
  }

  /**
   * Finds topics by id or key, in the order of the refs.
   *
   * @throws {TopicNotFoundError} if any of them does not exist
   */
  async findByRefs(accountId: number, refs: TopicRef[]): Promise<Topic[]> {
    const ids = refs.flatMap((ref) => ('id' in ref ? ref.id : []));
    const keys = refs.flatMap((ref) => ('key' in ref ? ref.key : []));
    const found = await this.findBy([
      { accountId, id: In(ids), archivedAt: IsNull() },
      { accountId, key: In(keys), archivedAt: IsNull() },
    ]);
    return refs.map((ref) => {
      const topic = found.find(({ id, key }) => ('id' in ref ? ref.id === id : ref.key === key));
      return requireFound(topic, TopicNotFoundError);
    });
  }

  findAll(accountId: number): Promise<Topic[]> {
    return this.findBy({ accountId, archivedAt: IsNull() });
  }

  /**
   * Finds the public topics and some others.
   *
   * @param evenArchivedId - a topic to include even if it is archived
   */
  findPublicAnd(accountId: number, ids: string[], evenArchivedId: string | undefined): Promise<Topic[]> {
    return this.findBy([
      { accountId, visibility: 'public', archivedAt: IsNull() },
      { accountId, id: In(ids), archivedAt: IsNull() },
      ...(evenArchivedId === undefined ? [] : [{ accountId, id: evenArchivedId }]),
    ]);
  }
}

/** @returns the topic that was inserted, or none if its key is taken */
export async function insertUnlessTaken(topics: Repository<Topic>, topic: Partial<Topic>): Promise<Topic[]> {
  const { raw } = await topics
    .createQueryBuilder()
    .insert()
    .values(topic)
    .orIgnore()
    .returning('id')
    .execute();
  return Promise.all(
    (raw as { id: string }[]).map(({ id }) => topics.findOneByOrFail({ accountId: topic.accountId!, id })),
  );
}
