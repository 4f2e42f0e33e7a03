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
import { afterCommit } from '../database/after-commit.js';
import { PreparedStatement, type WriteContext } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Actor } from '../ledger/actor.js';
import { maskOf, type Cause } from '../ledger/cause.js';
import { changeParameters, insertChanges } from '../ledger/insert-changes.js';
import { Metrics } from '../metrics/metrics.js';
import type { Addition } from './addition.js';
import {
  REMOVE_BY_EMAILS,
  REMOVE_BY_IDS,
  REMOVE_CAUSE_BY_EMAILS,
  REMOVE_CAUSE_BY_IDS,
  type LiftedSuppression,
} from './removal-statements.js';
import { createdAtOf, newSuppression } from './suppression-id.js';
import type { SuppressionRefs } from './suppression-ref.js';
import { RECORD_CAUSES, Suppression, type NamedSuppression } from './suppression.entity.js';

/** A record that was added, or that got another cause: a stronger one, or a weaker one. */
export interface ChangedSuppression extends NamedSuppression {
  action: 'added' | 'strengthened' | 'cause_added';
  cause: Cause;
}

/** A record that has the causes it was asked for. */
export interface PresentSuppression extends NamedSuppression {
  importId: string | null;
}

/** One of the causes of a record, as the ledger has it. */
export interface KnownCause {
  cause: Cause;
  emailId: string | null;
  since: Date;
  note: string | null;
}

const CAUSES_COLUMNS = ['id', 'email', RECORD_CAUSES, `coalesce(import_id::text, '')`];

const FIND_CAUSES_OF_EMAILS = new PreparedStatement<DelimitedRows>(
  'find-causes-of-emails',
  `SELECT ${delimitRows(CAUSES_COLUMNS)}
  FROM suppressions
  WHERE account_id = $1 AND email = ANY (${undelimitValues('$2')})`,
);

const ADD = new PreparedStatement<ChangedSuppression>(
  'add-suppressions',
  `WITH addition AS (
    SELECT *
    FROM unnest(
      ${undelimitValues('$6')}::uuid[], ${undelimitValues('$7')} COLLATE "C", ${undelimitValues('$8')}::timestamptz[],
      ${undelimitValues('$9')}::suppression_cause[], $10::uuid[], $11::timestamptz[], $12::uuid[], $13::text[]
    ) AS addition (id, email, created_at, cause, email_id, occurred_at, event_id, note)
  ),
  written AS (
    INSERT INTO suppressions AS record (account_id, id, email, cause, email_id, created_at, import_id)
    SELECT $1, id, email, cause, email_id, created_at, CASE WHEN $2::actor_type = 'import' THEN $3::uuid END
    FROM addition
    ORDER BY email
    ON CONFLICT (account_id, email) DO UPDATE
    SET cause = greatest(record.cause, excluded.cause),
        weaker_causes = record.weaker_causes | cause_bit(least(record.cause, excluded.cause)),
        email_id = CASE WHEN record.cause < excluded.cause THEN excluded.email_id ELSE record.email_id END,
        import_id = excluded.import_id
    WHERE (record.weaker_causes | cause_bit(record.cause)) & cause_bit(excluded.cause) = 0
    RETURNING id AS suppression_id, email, cause AS strongest
  ),
  change AS (
    SELECT
      addition.*,
      suppression_id,
      (
        CASE
          WHEN suppression_id = addition.id THEN 'added'
          WHEN strongest = addition.cause THEN 'strengthened'
          ELSE 'cause_added'
        END
      )::suppression_action AS action
    FROM written
    JOIN addition USING (email)
  ),
  ${insertChanges('change')}
  SELECT suppression_id AS id, email, action, cause FROM change`,
);

const CONFIRM = new PreparedStatement<NamedSuppression>(
  'confirm-imported-suppressions',
  `WITH locked AS (
    SELECT email
    FROM suppressions
    WHERE account_id = $1 AND email = ANY ($2)
    ORDER BY email
    FOR UPDATE
  )
  UPDATE suppressions AS record
  SET import_id = NULL
  FROM locked
  WHERE record.account_id = $1 AND record.email = locked.email
  RETURNING record.id, record.email`,
);

const FIND_CAUSES = new PreparedStatement<KnownCause>(
  'find-causes-of-suppression',
  `SELECT
    one.cause,
    line.email_id AS "emailId",
    coalesce(line.created_at, record.created_at) AS since,
    line.note
  FROM suppressions AS record
  JOIN unnest(enum_range(NULL::suppression_cause)) AS one (cause)
    ON (record.weaker_causes | cause_bit(record.cause)) & cause_bit(one.cause) <> 0
  LEFT JOIN LATERAL (
    SELECT email_id, created_at, note
    FROM suppression_changes
    WHERE account_id = $1
      AND email = record.email
      AND suppression_id = record.id
      AND cause = one.cause
      AND action IN ('added', 'strengthened', 'cause_added')
    ORDER BY revision DESC
    LIMIT 1
  ) AS line ON true
  WHERE record.account_id = $1 AND record.email = $2
  ORDER BY one.cause DESC`,
);

@Injectable()
export class SuppressionsRepository extends Repository<Suppression> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly metrics: Metrics,
  ) {
    super(Suppression, dataSource.manager);
  }

  /**
   * The records that have certain causes.
   *
   * @param asked - the causes, by address; without causes, any record
   */
  async findWithCauses(
    accountId: number,
    asked: Map<EmailAddress, readonly Cause[]>,
    on: DataSource | EntityManager = this.dataSource,
  ): Promise<PresentSuppression[]> {
    const rows = await FIND_CAUSES_OF_EMAILS.run(on, [accountId, delimitValues([...asked.keys()])]);
    const records = undelimitRows(rows, CAUSES_COLUMNS, (values, first) => ({
      id: values[first]!,
      email: values[first + 1] as EmailAddress,
      causes: Number(values[first + 2]),
      importId: values[first + 3] || null,
    }));
    return records.filter(({ email, causes }) => (maskOf(asked.get(email)!) & ~causes) === 0);
  }

  /**
   * Keeps records of an import even if it is reverted.
   *
   * @returns those that still exist
   */
  confirm(accountId: number, emails: EmailAddress[], context: WriteContext): Promise<NamedSuppression[]> {
    return CONFIRM.write(this.dataSource, context, [accountId, emails]);
  }

  /** All causes of a record, the strongest first. */
  findCauses(accountId: number, email: EmailAddress): Promise<KnownCause[]> {
    return FIND_CAUSES.run(this.dataSource, [accountId, email]);
  }

  /**
   * Adds records, or a cause to those that are there, with a line of the ledger each. A record shows the email id of its
   * strongest cause. One that has the cause stays as it is and is not returned. Locks are taken in the order of the
   * addresses.
   *
   * @param additions - at most one for each address
   */
  async add(
    accountId: number,
    actor: Actor,
    additions: Addition[],
    context: WriteContext,
  ): Promise<ChangedSuppression[]> {
    const records = additions.map(({ email, occurredAt }) => newSuppression(email, occurredAt));
    const changed = await ADD.write(this.dataSource, context, [
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
    afterCommit(context, () => this.metrics.countChanges(actor.type, changed));
    return changed;
  }

  /** Removes records, with a line of the ledger each. Locks are taken in the order of the addresses. */
  async removeAll(
    accountId: number,
    actor: Actor,
    refs: SuppressionRefs,
    note: string | null,
    context: WriteContext,
  ): Promise<LiftedSuppression[]> {
    const statement = 'ids' in refs ? REMOVE_BY_IDS : REMOVE_BY_EMAILS;
    const parameters = [...changeParameters(accountId, actor), note, ...refParameters(refs)];
    const removed = await statement.write(this.dataSource, context, parameters);
    afterCommit(context, () => this.metrics.countChanges(actor.type, removed));
    return removed;
  }

  /** Removes one cause of records, like {@link removeAll}. A record without another cause is removed. */
  async removeCause(
    accountId: number,
    actor: Actor,
    cause: Cause,
    refs: SuppressionRefs,
    note: string | null,
    context: WriteContext,
  ): Promise<LiftedSuppression[]> {
    const statement = 'ids' in refs ? REMOVE_CAUSE_BY_IDS : REMOVE_CAUSE_BY_EMAILS;
    const parameters = [...changeParameters(accountId, actor), note, cause, ...refParameters(refs)];
    const lifted = await statement.write(this.dataSource, context, parameters);
    afterCommit(context, () => this.metrics.countChanges(actor.type, lifted));
    return lifted;
  }
}

/** An id is found by the time in it. */
function refParameters(refs: SuppressionRefs): unknown[] {
  return 'ids' in refs ? [refs.ids, refs.ids.map(createdAtOf)] : [refs.emails];
}
