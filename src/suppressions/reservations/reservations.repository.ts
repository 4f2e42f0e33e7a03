import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Identity } from '../../audit/request-context.js';
import { afterCommit } from '../../database/after-commit.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { maskOf, type Cause } from '../../ledger/cause.js';
import { changeParameters } from '../../ledger/insert-changes.js';
import { Metrics } from '../../metrics/metrics.js';
import { createdAtOf, newSuppression } from '../suppression-id.js';
import { RESERVE, SETTLE } from './reservation-statements.js';
import type { FinalRecord, NewChange } from './reservation.js';

/**
 * Reserves addresses for a transaction that reads before it decides. Until it ends, nobody else can change their records, or
 * add a record where there is none.
 */
@Injectable()
export class ReservationsRepository {
  constructor(private readonly metrics: Metrics) {}

  /**
   * Locks the records of addresses, and inserts a placeholder for each address that has none. The transaction must
   * {@link settle} every placeholder. Locks are taken in the order of the addresses, so that no two statements deadlock.
   *
   * @param addresses - with the cause that each record will probably get, so that it is written once
   * @returns the addresses that got a placeholder, keyed by its id
   */
  async reserve(
    accountId: number,
    addresses: Map<EmailAddress, Cause>,
    transaction: EntityManager,
  ): Promise<Map<string, EmailAddress>> {
    const records = [...addresses.keys()].map((email) => newSuppression(email));
    const placeholders = await RESERVE.run(transaction, [
      accountId,
      records.map(({ id }) => id),
      records.map(({ email }) => email),
      records.map(({ createdAt }) => createdAt),
      [...addresses.values()],
    ]);
    return new Map(placeholders.map(({ id, email }) => [id, email]));
  }

  /**
   * Writes the final records of reserved addresses, and the changes that led to them.
   *
   * @param changes - the changes of an address are in the order in which they happened
   */
  async settle(
    { accountId, actor }: Identity,
    records: FinalRecord[],
    changes: NewChange[],
    transaction: EntityManager,
  ): Promise<void> {
    const emptied = records.filter(({ record }) => !record).map(({ reservation }) => reservation);
    const filled = records.flatMap(({ email, record }) => (record ? { email, ...record } : []));
    await SETTLE.run(transaction, [
      ...changeParameters(accountId, actor),
      emptied,
      filled.map(({ email }) => email),
      filled.map(({ id }) => id),
      filled.map(({ cause }) => cause),
      filled.map(({ emailId }) => emailId),
      filled.map(({ id }) => createdAtOf(id)),
      changes.map(({ action }) => action),
      changes.map(({ suppressionId }) => suppressionId),
      changes.map(({ email }) => email),
      changes.map(({ cause }) => cause),
      changes.map(({ emailId }) => emailId),
      changes.map(({ occurredAt }) => occurredAt),
      changes.map(({ eventId }) => eventId),
      changes.map(({ note }) => note),
      emptied.map(createdAtOf),
      filled.map(({ weakerCauses }) => maskOf(weakerCauses)),
      filled.map(({ expiresAt }) => expiresAt),
      changes.map(({ expiresAt }) => expiresAt),
    ]);
    afterCommit(transaction, () => this.metrics.countChanges(actor.type, changes));
  }
}
