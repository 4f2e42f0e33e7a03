import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, EntityManager, Repository } from 'typeorm';
import {
  delimitRows,
  delimitValues,
  undelimitRows,
  undelimitValues,
  type DelimitedRows,
} from '../database/delimited-rows.js';
import { PreparedStatement, type WriteContext } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Actor } from '../ledger/actor.js';
import type { Cause } from '../ledger/cause.js';
import { changeParameters, insertChanges } from '../ledger/insert-changes.js';
import { Metrics } from '../metrics/metrics.js';
import type { Addition } from './addition.js';
import { createdAtOf, newSuppression } from './suppression-id.js';
import type { SuppressionRefs } from './suppression-ref.js';
import { Suppression } from './suppression.entity.js';

/** What names a record. */
export type NamedSuppression = Pick<Suppression, 'id' | 'email'>;

/** A record that was added, or whose cause became stronger. */
export interface ChangedSuppression extends NamedSuppression {
  action: 'added' | 'strengthened';
  cause: Cause;
}

interface RemovedSuppression extends NamedSuppression {
  action: 'removed';
  cause: Cause;
}

const NAME_COLUMNS = ['found.id', 'found.email'];

const FIND_AS_STRONG = new PreparedStatement<DelimitedRows>(
  'find-suppressions-as-strong',
  `SELECT ${delimitRows(NAME_COLUMNS)}
  FROM unnest(${undelimitValues('$2')} COLLATE "C", ${undelimitValues('$3')}::suppression_cause[]) AS asked (email, cause)
  CROSS JOIN LATERAL (
    SELECT id, suppressions.email
    FROM suppressions
    WHERE account_id = $1 AND suppressions.email = asked.email AND suppressions.cause >= asked.cause
    LIMIT 1
  ) AS found`,
);

const ADD_OR_STRENGTHEN = new PreparedStatement<ChangedSuppression>(
  'add-or-strengthen-suppressions',
  `WITH addition AS (
    SELECT *
    FROM unnest(
      ${undelimitValues('$5')}::uuid[], ${undelimitValues('$6')} COLLATE "C", ${undelimitValues('$7')}::timestamptz[],
      ${undelimitValues('$8')}::suppression_cause[], $9::uuid[], $10::timestamptz[], $11::uuid[], $12::text[]
    ) AS addition (id, email, created_at, cause, email_id, occurred_at, event_id, note)
  ),
  written AS (
    INSERT INTO suppressions (account_id, id, email, cause, email_id, created_at)
    SELECT $1, id, email, cause, email_id, created_at
    FROM addition
    ORDER BY email
    ON CONFLICT (account_id, email) DO UPDATE
    SET cause = excluded.cause, email_id = excluded.email_id
    WHERE suppressions.cause < excluded.cause
    RETURNING id AS suppression_id, email
  ),
  change AS (
    SELECT
      addition.*,
      suppression_id,
      (CASE WHEN suppression_id = addition.id THEN 'added' ELSE 'strengthened' END)::suppression_action AS action
    FROM written
    JOIN addition USING (email)
  ),
  logged AS (${insertChanges('change')})
  SELECT suppression_id AS id, email, action, cause FROM change`,
);

const REMOVE_BY_EMAILS = createRemoval('remove-suppressions-by-emails', 'email = ANY ($6)');
const REMOVE_BY_IDS = createRemoval('remove-suppressions-by-ids', 'created_at = ANY ($7) AND id = ANY ($6)');

@Injectable()
export class SuppressionsRepository extends Repository<Suppression> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly metrics: Metrics,
  ) {
    super(Suppression, dataSource.manager);
  }

  /**
   * The records whose cause is at least as strong as asked.
   *
   * @param asked - the cause asked about, by address
   */
  async findAsStrong(
    accountId: number,
    asked: Map<EmailAddress, Cause>,
    on: DataSource | EntityManager = this.dataSource,
  ): Promise<NamedSuppression[]> {
    const rows = await FIND_AS_STRONG.run(on, [
      accountId,
      delimitValues([...asked.keys()]),
      delimitValues([...asked.values()]),
    ]);
    return undelimitRows(rows, NAME_COLUMNS, (values, first) => ({
      id: values[first]!,
      email: values[first + 1] as EmailAddress,
    }));
  }

  /**
   * Adds records, with a line of the ledger each. A record with a weaker cause takes the new one and keeps its id; one with
   * a cause as strong stays as it is and is not returned. Locks are taken in the order of the addresses.
   *
   * @param additions - at most one for each address
   */
  async addOrStrengthen(
    accountId: number,
    actor: Actor,
    additions: Addition[],
    context: WriteContext,
  ): Promise<ChangedSuppression[]> {
    const records = additions.map(({ email, occurredAt }) => newSuppression(email, occurredAt));
    const changed = await ADD_OR_STRENGTHEN.write(this.dataSource, context, [
      ...changeParameters(accountId, actor),
      delimitValues(records.map(({ id }) => id)),
      delimitValues(records.map(({ email }) => email)),
      delimitValues(records.map(({ createdAt }) => createdAt)),
      delimitValues(additions.map(({ cause }) => cause)),
      additions.map(({ emailId }) => emailId),
      additions.map(({ occurredAt }) => occurredAt),
      additions.map(({ eventId }) => eventId),
      additions.map(({ note }) => note),
    ]);
    this.metrics.countChanges(actor.type, changed);
    return changed;
  }

  /** Removes records, with a line of the ledger each. Locks are taken in the order of the addresses. */
  async removeAll(
    accountId: number,
    actor: Actor,
    refs: SuppressionRefs,
    note: string | null,
    context: WriteContext,
  ): Promise<NamedSuppression[]> {
    const parameters = [...changeParameters(accountId, actor), note];
    const removed =
      'ids' in refs
        ? await REMOVE_BY_IDS.write(this.dataSource, context, [
            ...parameters,
            refs.ids,
            refs.ids.map(createdAtOf),
          ])
        : await REMOVE_BY_EMAILS.write(this.dataSource, context, [...parameters, refs.emails]);
    this.metrics.countChanges(actor.type, removed);
    return removed;
  }
}

function createRemoval(name: string, condition: string): PreparedStatement<RemovedSuppression> {
  return new PreparedStatement(
    name,
    `WITH locked AS (
      SELECT email
      FROM suppressions
      WHERE account_id = $1 AND ${condition}
      ORDER BY email
      FOR UPDATE
    ),
    removed AS (
      DELETE FROM suppressions
      USING locked
      WHERE suppressions.account_id = $1 AND suppressions.email = locked.email
      RETURNING suppressions.id, suppressions.email, suppressions.cause, suppressions.email_id
    ),
    change AS (
      SELECT
        'removed'::suppression_action AS action,
        id AS suppression_id,
        email,
        cause,
        email_id,
        NULL::timestamptz AS occurred_at,
        NULL::uuid AS event_id,
        $5::text AS note
      FROM removed
    ),
    logged AS (${insertChanges('change')})
    SELECT id, email, cause, 'removed' AS action FROM removed`,
  );
}
