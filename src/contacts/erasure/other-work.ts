import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { WEBHOOK_LEASE_SECONDS } from '../../config/time-limits.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { PlaceReader } from '../data/place-reader.js';
import type { Erasure } from './erasure.entity.js';
import type { Subject } from './pseudonyms.js';

/**
 * Work that began before an erasure, and that may write the address again from what it has read. Compares the times of the
 * database, because instances generate the ids, and their clocks differ.
 */
const FIND_EARLIER_WORK = new PreparedStatement<{ exists: boolean }>(
  'find-work-before-erasure',
  `SELECT EXISTS (
    SELECT FROM jobs WHERE account_id = $1 AND created_at <= $2 AND status IN ('uploading', 'queued', 'running')
  )`,
);

/** Expires the files of dry runs, which could still be imported. The job sweep deletes them. */
const EXPIRE_FILES = new PreparedStatement<{ id: string }>(
  'expire-files-of-jobs',
  `UPDATE jobs
  SET leased_until = NULL
  WHERE account_id = $1 AND id = ANY ($2) AND status = 'completed' AND leased_until IS NOT NULL
  RETURNING id`,
);

/** Deliveries that are already in flight may have the address, and are recorded later. */
const IS_DELIVERING = new PreparedStatement<{ exists: boolean; at: string }>(
  'find-deliveries-on-their-way',
  `SELECT
    EXISTS (
      SELECT FROM webhooks
      WHERE account_id = $1
        AND lease_id IS NOT NULL
        AND leased_until BETWEEN clock_timestamp()
          AND coalesce($2::timestamptz, clock_timestamp()) + interval '${WEBHOOK_LEASE_SECONDS} seconds'
    ) AS exists,
    clock_timestamp()::text AS at`,
);

const IS_MOVING = new PreparedStatement<{ exists: boolean }>(
  'find-moves-at-address',
  'SELECT EXISTS (SELECT FROM source_topics WHERE account_id = $1 AND moved_up_to = $2)',
);

/** Makes every move of opt-outs wait until the transaction ends, because a move starts by locking one of these rows. */
const LOCK_MOVES = new PreparedStatement<Record<string, never>>(
  'lock-moves-of-opt-outs',
  'SELECT FROM source_topics WHERE account_id = $1 ORDER BY source_id, unit_kind, unit_name FOR UPDATE',
);

/**
 * Restarts moves, because a pseudonym may sort before an address that a move has not reached. Opt-outs that have moved do not
 * change again.
 */
const RESTART_MOVES = new PreparedStatement<{ id: string }>(
  'restart-moves-of-opt-outs',
  `UPDATE source_topics SET moved_up_to = '' WHERE account_id = $1 AND moving_from IS NOT NULL RETURNING source_id AS id`,
);

/** Work that has read an address that is being erased, and may store it again. */
@Injectable()
export class OtherWork {
  constructor(
    private readonly dataSource: DataSource,
    private readonly places: PlaceReader,
  ) {}

  /**
   * Whether work that began before an erasure may still store the address, so that the erasure must wait. Deletes the files of
   * dry runs that contain the address.
   *
   * @param end - when to stop searching files, by `performance.now()`
   */
  async mustEndBefore({ accountId, createdAt }: Erasure, { quoted }: Subject, end: number): Promise<boolean> {
    const [earlier] = await FIND_EARLIER_WORK.run(this.dataSource, [accountId, createdAt]);
    if (earlier!.exists) {
      return true;
    }
    const jobIds = new Set<string>();
    for await (const rows of this.places.readFiles(accountId, quoted, createdAt)) {
      rows.forEach(({ row }) => jobIds.add(row.job_id as string));
      if (performance.now() > end) {
        return true;
      }
    }
    if (jobIds.size > 0) {
      await EXPIRE_FILES.run(this.dataSource, [accountId, [...jobIds]]);
    }
    return jobIds.size > 0;
  }

  /** Whether a move of opt-outs, or a delivery of a webhook, has the address while tables are being rewritten. */
  async isMovingOrDelivering({ accountId, progress }: Erasure, { email }: Subject): Promise<boolean> {
    const { deliveringSince } = progress!;
    if (deliveringSince) {
      return (await this.deliveringAt(accountId, deliveringSince)) !== null;
    }
    const [moving] = await IS_MOVING.run(this.dataSource, [accountId, email]);
    return moving!.exists;
  }

  /**
   * Whether webhook deliveries that began before a time, by default now, are still in flight.
   *
   * @returns the time of the database if there are any
   */
  async deliveringAt(
    accountId: number,
    since: string | null,
    on: DataSource | EntityManager = this.dataSource,
  ): Promise<string | null> {
    const [found] = await IS_DELIVERING.run(on, [accountId, since]);
    return found!.exists ? found!.at : null;
  }

  /** Prevents moves of opt-outs from storing an address that they have already read. */
  async lockMoves(accountId: number, transaction: EntityManager): Promise<void> {
    await LOCK_MOVES.run(transaction, [accountId]);
  }

  async restartMoves(accountId: number, transaction: EntityManager): Promise<void> {
    await RESTART_MOVES.run(transaction, [accountId]);
  }
}
