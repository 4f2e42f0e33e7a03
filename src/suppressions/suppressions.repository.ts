import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, EntityManager, Repository } from 'typeorm';
import {
  delimitRows,
  delimitValues,
  hideLength,
  undelimitRows,
  undelimitValues,
  type DelimitedRows,
} from '../database/delimited-rows.js';
import { afterCommit } from '../database/after-commit.js';
import { PreparedStatement, type WriteContext } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Actor } from '../ledger/actor.js';
import { causesIn, maskOf, type Cause } from '../ledger/cause.js';
import { changeParameters } from '../ledger/insert-changes.js';
import { Metrics } from '../metrics/metrics.js';
import type { Addition, Presence } from './addition.js';
import { ADD, CHANGED_COLUMNS, type ChangedSuppression } from './addition-statement.js';
import { RemovalNotAllowedError } from './errors.js';
import type { Removal } from './removal.js';
import {
  REMOVE_BY_EMAILS,
  REMOVE_BY_IDS,
  REMOVE_CAUSE_BY_EMAILS,
  REMOVE_CAUSE_BY_IDS,
  type LiftedSuppression,
} from './removal-statements.js';
import { createdAtOf, newSuppression } from './suppression-id.js';
import type { SuppressionRefs } from './suppression-ref.js';
import {
  IS_LIVE,
  LIVE_CAUSES,
  liveCauses,
  Suppression,
  type NamedSuppression,
} from './suppression.entity.js';

/** A record that has the causes it was asked for. */
export interface PresentSuppression extends NamedSuppression {
  importId: string | null;
}

/** One of the causes of a record, as the ledger has it. */
export interface KnownCause {
  cause: Cause;
  emailId: string | null;
  since: Date;
  /** When it ends; null if never. */
  expiresAt: Date | null;
  note: string | null;
}

/** When a bounce and a manual entry end, in milliseconds since 1970. */
const ENDS_AT = `coalesce(extract(epoch FROM expires_at) * 1000, 'Infinity')`;
const CAUSES_COLUMNS = ['id', 'email', LIVE_CAUSES, ENDS_AT, `coalesce(import_id::text, '')`];

const FIND_CAUSES_OF_EMAILS = new PreparedStatement<DelimitedRows>(
  'find-causes-of-emails',
  `SELECT ${delimitRows(CAUSES_COLUMNS)}
  FROM suppressions
  WHERE account_id = $1 AND email = ANY (${hideLength(undelimitValues('$2'), 'text')}) AND ${IS_LIVE}`,
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
    CASE line.action
      WHEN 'added' THEN record.created_at
      ELSE coalesce(line.occurred_at, line.created_at, record.created_at)
    END AS since,
    CASE WHEN one.cause < 'unsubscribe' THEN record.expires_at END AS "expiresAt",
    line.note
  FROM suppressions AS record
  JOIN unnest(enum_range(NULL::suppression_cause)) AS one (cause)
    ON ${liveCauses('record.weaker_causes | cause_bit(record.cause)')} & cause_bit(one.cause) <> 0
  LEFT JOIN LATERAL (
    SELECT action, email_id, occurred_at, created_at, note
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
   * @param wanted - by address
   */
  async findWithCauses(
    accountId: number,
    wanted: Map<EmailAddress, Presence>,
    on: DataSource | EntityManager = this.dataSource,
  ): Promise<PresentSuppression[]> {
    const rows = await FIND_CAUSES_OF_EMAILS.run(on, [accountId, delimitValues([...wanted.keys()])]);
    const records = undelimitRows(rows, CAUSES_COLUMNS, (values, first) => ({
      id: values[first]!,
      email: values[first + 1] as EmailAddress,
      causes: Number(values[first + 2]),
      endsAt: Number(values[first + 3]),
      importId: values[first + 4] || null,
    }));
    return records.filter((record) => satisfies(record, wanted.get(record.email)!));
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
   * Removes records, or one cause of each, with a line of the ledger each. A record without another cause is removed. Locks
   * are taken in the order of the addresses.
   *
   * @param liftable - the causes that are lifted even if the account guards removals
   * @throws {RemovalNotAllowedError} if another cause would be lifted; then nothing is
   */
  async lift(
    accountId: number,
    actor: Actor,
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

function toChanged(values: string[], first: number): ChangedSuppression {
  return {
    id: values[first]!,
    email: values[first + 1] as EmailAddress,
    action: values[first + 2] as ChangedSuppression['action'],
    cause: values[first + 3] as Cause,
  };
}

function satisfies(record: { causes: number; endsAt: number }, { causes, lastsUntil }: Presence): boolean {
  const end = lastsUntil === undefined ? -Infinity : (lastsUntil?.getTime() ?? Infinity);
  return (maskOf(causes) & ~record.causes) === 0 && record.endsAt >= end;
}

/** An id is found by the time in it. */
function refParameters(refs: SuppressionRefs): unknown[] {
  return 'ids' in refs ? [refs.ids, refs.ids.map(createdAtOf)] : [refs.emails];
}
