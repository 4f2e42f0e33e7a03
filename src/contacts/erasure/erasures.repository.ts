import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { requireFound } from '../../http/errors/api-error.js';
import { IS_LIVE } from '../../suppressions/suppression.entity.js';
import { Erasure, type Progress } from './erasure.entity.js';
import { ErasureInProgressError, MayBeMailedAgainError } from './errors.js';

const FIND_ACCOUNTS = new PreparedStatement<Pick<Erasure, 'accountId'>>(
  'find-accounts-with-pending-erasures',
  'SELECT DISTINCT account_id AS "accountId" FROM erasures WHERE completed_at IS NULL',
);

const MUST_NOT_BE_MAILED = new PreparedStatement<{ exists: boolean }>(
  'find-what-keeps-address-from-mail',
  `SELECT
    EXISTS (SELECT FROM suppressions WHERE account_id = $1 AND email = $2 AND ${IS_LIVE})
    OR EXISTS (SELECT FROM topic_preferences WHERE account_id = $1 AND email = $2 AND subscription = 'opt_out')
    OR EXISTS (
      SELECT FROM rules
      WHERE account_id = $1 AND pattern = $2 AND effect = 'block' AND (expires_at IS NULL OR expires_at > now())
    ) AS exists`,
);

const ACCEPT_MAIL = new PreparedStatement<{ id: string }>(
  'accept-mail-after-erasure',
  `UPDATE erasures
  SET progress = progress || '{"acceptsMail": true}'
  WHERE account_id = $1 AND id = $2 AND completed_at IS NULL
  RETURNING id`,
);

/** The refused erasure has not changed the state of the address, so a kept block is no longer about to be deleted. */
const DELETE_REFUSED = new PreparedStatement<{ id: string }>(
  'delete-refused-erasure',
  `WITH refused AS (
    DELETE FROM erasures
    WHERE account_id = $1 AND id = $2 AND progress ->> 'before' IS NULL AND progress ->> 'acceptsMail' = 'false'
    RETURNING id, pseudonym
  ),
  kept AS (
    UPDATE kept_blocks
    SET renamed_at = clock_timestamp()
    FROM refused
    WHERE account_id = $1 AND kept_blocks.pseudonym = refused.pseudonym AND renamed_at < announced_at
  )
  SELECT id FROM refused`,
);

type RequestedKind = Pick<Erasure, 'keepBlock' | 'reference'>;

@Injectable()
export class ErasuresRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Whether the address is suppressed, blocked by a rule for it alone, or opted out of a topic. */
  async mustNotBeMailed(accountId: number, email: EmailAddress): Promise<boolean> {
    const [found] = await MUST_NOT_BE_MAILED.run(this.dataSource, [accountId, email]);
    return found!.exists;
  }

  /** @throws {MayBeMailedAgainError} if it was refused and deleted */
  async get(accountId: number, id: string): Promise<Erasure> {
    return requireFound(await this.findById(accountId, id), MayBeMailedAgainError);
  }

  findById(accountId: number, id: string): Promise<Erasure | null> {
    return this.dataSource.manager.findOneBy(Erasure, { accountId, id });
  }

  async acceptMail({ accountId, id }: Erasure): Promise<void> {
    await ACCEPT_MAIL.run(this.dataSource, [accountId, id]);
  }

  /** Deletes a refused erasure, unless somebody has accepted that the address may be mailed. */
  async deleteRefused({ accountId, id }: Erasure): Promise<void> {
    await DELETE_REFUSED.run(this.dataSource, [accountId, id]);
  }

  /**
   * Finds the erasure of an address with the requested kind and reference.
   *
   * @throws {ErasureInProgressError} if no erasure matches, but a different erasure of the address is pending
   */
  find(accountId: number, pseudonym: EmailAddress, requested: RequestedKind): Promise<Erasure | null> {
    return this.findBy({ accountId, pseudonym }, requested);
  }

  /** Like {@link find}, but by the keyed hash of a contact id. */
  findByContact(accountId: number, contact: string, requested: RequestedKind): Promise<Erasure | null> {
    return this.findBy({ accountId, contact }, requested);
  }

  private async findBy(
    subject: FindOptionsWhere<Erasure>,
    { keepBlock, reference }: RequestedKind,
  ): Promise<Erasure | null> {
    const found = await this.dataSource.manager.find(Erasure, {
      where: [
        { ...subject, completedAt: IsNull() },
        { ...subject, keepBlock, reference },
      ],
      order: { id: 'DESC' },
    });
    const wanted = found.find(
      (erasure) => erasure.keepBlock === keepBlock && erasure.reference === reference,
    );
    if (!wanted && found.length > 0) {
      throw new ErasureInProgressError();
    }
    return wanted ?? null;
  }

  /** The erasures that are not complete, the oldest of an account first. */
  async findPending(): Promise<Erasure[]> {
    const pending: Erasure[] = [];
    for (const { accountId } of await FIND_ACCOUNTS.run(this.dataSource, [])) {
      pending.push(
        ...(await this.dataSource.manager.find(Erasure, {
          where: { accountId, completedAt: IsNull() },
          order: { id: 'ASC' },
        })),
      );
    }
    return pending;
  }

  /** Returns null if the erasure is complete, or locked by another instance. */
  lock({ accountId, id }: Erasure, transaction: EntityManager): Promise<Erasure | null> {
    return transaction.findOne(Erasure, {
      where: { accountId, id, completedAt: IsNull() },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
  }

  /** @returns the progress that was stored */
  async save<Saved extends Progress | null>(
    erasure: Erasure,
    counts: Record<string, number>,
    progress: Saved,
    transaction: EntityManager,
  ): Promise<Saved> {
    const { accountId, id } = erasure;
    const sums = { ...erasure.counts };
    for (const [table, count] of Object.entries(counts)) {
      sums[table] = (sums[table] ?? 0) + count;
    }
    erasure.counts = sums;
    const end = progress ? {} : { target: null, completedAt: () => 'clock_timestamp()' };
    await transaction.update(
      Erasure,
      { accountId, id },
      { counts: sums, progress: progress as object, ...end },
    );
    return progress;
  }
}
