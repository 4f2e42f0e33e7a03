import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { Erasure, type Progress } from './erasure.entity.js';

/** What keeps an address from being mailed, and what else a new erasure would find by an index. */
const FIND_TRACES = new PreparedStatement<{ mustNotBeMailed: boolean; isKnown: boolean }>(
  'find-traces-of-address',
  `SELECT
    (
      EXISTS (SELECT FROM suppressions WHERE account_id = $1 AND email = $2 AND (expires_at IS NULL OR expires_at > now()))
      OR EXISTS (SELECT FROM topic_preferences WHERE account_id = $1 AND email = $2 AND subscription = 'opt_out')
      OR EXISTS (
        SELECT FROM rules
        WHERE account_id = $1 AND pattern = $2 AND effect = 'block' AND (expires_at IS NULL OR expires_at > now())
      )
    ) AS "mustNotBeMailed",
    (
      EXISTS (SELECT FROM suppressions WHERE account_id = $1 AND email = $2)
      OR EXISTS (SELECT FROM topic_preferences WHERE account_id = $1 AND email = $2)
      OR EXISTS (SELECT FROM suppression_changes WHERE account_id = $1 AND email = $2)
      OR EXISTS (SELECT FROM delivery_events WHERE account_id = $1 AND recipient = $2)
      OR EXISTS (SELECT FROM rules WHERE account_id = $1 AND pattern = $2)
      OR EXISTS (SELECT FROM contacts WHERE account_id = $1 AND id = $3)
    ) AS "isKnown"`,
);

/** Work that began before an erasure, and that may write the address again from what it has read. */
const FIND_EARLIER_WORK = new PreparedStatement<{ exists: boolean }>(
  'find-work-before-erasure',
  `SELECT EXISTS (
    SELECT FROM jobs WHERE account_id = $1 AND id < $2 AND status IN ('uploading', 'queued', 'running')
  )`,
);

/** The file of a dry run, which could still be imported. The sweep of jobs deletes it. */
const EXPIRE_FILES = new PreparedStatement<{ id: string }>(
  'expire-files-of-jobs',
  `UPDATE jobs
  SET leased_until = NULL
  WHERE account_id = $1 AND id = ANY ($2) AND status = 'completed' AND leased_until IS NOT NULL
  RETURNING id`,
);

const IS_MOVING = new PreparedStatement<{ exists: boolean }>(
  'find-moves-at-address',
  'SELECT EXISTS (SELECT FROM source_topics WHERE account_id = $1 AND moved_up_to = $2)',
);

@Injectable()
export class ErasuresRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async findTraces(accountId: number, email: EmailAddress, contactId: string) {
    const [traces] = await FIND_TRACES.run(this.dataSource, [accountId, email, contactId]);
    return traces!;
  }

  get(accountId: number, id: string): Promise<Erasure> {
    return this.dataSource.manager.findOneByOrFail(Erasure, { accountId, id });
  }

  findLatest(accountId: number, pseudonym: string): Promise<Erasure | null> {
    return this.dataSource.manager.findOne(Erasure, {
      where: { accountId, pseudonym },
      order: { id: 'DESC' },
    });
  }

  findPending(): Promise<Erasure[]> {
    return this.dataSource.manager.find(Erasure, { where: { completedAt: IsNull() }, order: { id: 'ASC' } });
  }

  /** Null if it is complete, or another instance is at it. */
  lock({ accountId, id }: Erasure, transaction: EntityManager): Promise<Erasure | null> {
    return transaction.findOne(Erasure, {
      where: { accountId, id, completedAt: IsNull() },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
  }

  async save(
    { accountId, id, counts: before }: Erasure,
    counts: Record<string, number>,
    progress: Progress | null,
    transaction: EntityManager,
  ): Promise<void> {
    const sums = { ...before };
    for (const [table, count] of Object.entries(counts)) {
      sums[table] = (sums[table] ?? 0) + count;
    }
    const end = progress ? {} : { target: null, completedAt: () => 'clock_timestamp()' };
    await transaction.update(
      Erasure,
      { accountId, id },
      { counts: sums, progress: progress as object, ...end },
    );
  }

  async hasEarlierWork({ accountId, id }: Erasure): Promise<boolean> {
    const [found] = await FIND_EARLIER_WORK.run(this.dataSource, [accountId, id]);
    return found!.exists;
  }

  async expireFiles(accountId: number, jobIds: string[]): Promise<void> {
    await EXPIRE_FILES.run(this.dataSource, [accountId, jobIds]);
  }

  async isMovingAt(accountId: number, email: EmailAddress): Promise<boolean> {
    const [found] = await IS_MOVING.run(this.dataSource, [accountId, email]);
    return found!.exists;
  }
}
