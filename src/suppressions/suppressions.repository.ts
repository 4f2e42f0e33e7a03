import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import type { Identity } from '../audit/request-context.js';
import { delimitValues, undelimitRows } from '../database/delimited-rows.js';
import { afterCommit } from '../database/after-commit.js';
import type { WriteContext } from '../database/write-context.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { causesIn, maskOf, type Cause } from '../ledger/cause.js';
import { changeParameters } from '../ledger/insert-changes.js';
import { Metrics } from '../metrics/metrics.js';
import {
  ADD,
  CHANGED_COLUMNS,
  CONFIRM,
  toChanged,
  type ChangedSuppression,
} from './additions/addition-statements.js';
import type { Addition } from './additions/addition.js';
import { RemovalNotAllowedError } from './errors.js';
import type { LiftedSuppression, Removal } from './removals/removal.js';
import {
  REMOVE_BY_EMAILS,
  REMOVE_BY_IDS,
  REMOVE_CAUSE_BY_EMAILS,
  REMOVE_CAUSE_BY_IDS,
} from './removals/removal-statements.js';
import { createdAtOf, newSuppression } from './suppression-id.js';
import type { SuppressionRefs } from './suppression-ref.js';
import { Suppression, type NamedSuppression } from './suppression.entity.js';

@Injectable()
export class SuppressionsRepository extends Repository<Suppression> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly metrics: Metrics,
  ) {
    super(Suppression, dataSource.manager);
  }

  /**
   * Keeps records of an import even if it is reverted.
   *
   * @returns the records that still exist
   */
  confirm(accountId: number, emails: EmailAddress[], context: WriteContext): Promise<NamedSuppression[]> {
    return CONFIRM.write(this.dataSource, context, [accountId, emails]);
  }

  /**
   * Adds records, or causes to existing records, each with a ledger line. A record shows the email id of its strongest cause. A
   * record that already has the cause is neither changed nor returned. Locks are taken in the order of the addresses.
   *
   * @param additions - at most one for each address
   */
  async add(
    { accountId, actor }: Identity,
    additions: Addition[],
    context: WriteContext,
  ): Promise<ChangedSuppression[]> {
    const records = additions.map(({ email, occurredAt }) => newSuppression(email, occurredAt));
    const rows = await ADD.write(this.dataSource, context, [
      ...changeParameters(accountId, actor),
      delimitValues(records.map(({ id }) => id)),
      delimitValues(records.map(({ email }) => email)),
      delimitValues(records.map(({ createdAt }) => createdAt)),
      delimitValues(additions.map(({ cause }) => cause)),
      nullable(additions.map(({ emailId }) => emailId)),
      nullable(additions.map(({ occurredAt }) => occurredAt && occurredAt.toISOString())),
      nullable(additions.map(({ eventId }) => eventId)),
      nullable(additions.map(({ note }) => note)),
      nullable(additions.map(({ expiresAt }) => expiresAt && expiresAt.toISOString())),
    ]);
    const changed = undelimitRows(rows, CHANGED_COLUMNS, toChanged);
    afterCommit(context, () => this.metrics.countChanges(actor.type, changed));
    return changed;
  }

  /**
   * Removes records, or one cause of each, with ledger lines. A record without another cause is removed. Locks
   * are taken in the order of the addresses.
   *
   * @param liftable - the causes that are lifted even if the account guards removals
   * @throws {RemovalNotAllowedError} if another cause would be lifted; then nothing is lifted
   */
  async lift(
    { accountId, actor }: Identity,
    refs: SuppressionRefs,
    { cause, note }: Pick<Removal, 'cause' | 'note'>,
    liftable: readonly Cause[],
    context: WriteContext,
  ): Promise<LiftedSuppression[]> {
    const [byIds, byEmails] = cause
      ? [REMOVE_CAUSE_BY_IDS, REMOVE_CAUSE_BY_EMAILS]
      : [REMOVE_BY_IDS, REMOVE_BY_EMAILS];
    const rows = await ('ids' in refs ? byIds : byEmails).write(this.dataSource, context, [
      ...changeParameters(accountId, actor),
      note,
      maskOf(liftable),
      ...(cause ? [cause] : []),
      ...refParameters(refs),
    ]);
    if (rows[0]?.refused) {
      throw new RemovalNotAllowedError(causesIn(rows[0].refused));
    }
    afterCommit(context, () => this.metrics.countChanges(actor.type, rows));
    return rows;
  }
}

/** A column of a multi-argument `unnest`, which fills it up with nulls. */
function nullable(values: (string | null)[]): (string | null)[] | null {
  return values.some((value) => value !== null) ? values : null;
}

/** An id is found by the time in it. */
function refParameters(refs: SuppressionRefs): unknown[] {
  return 'ids' in refs ? [refs.ids, refs.ids.map(createdAtOf)] : [refs.emails];
}
