import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Identity } from '../../audit/request-context.js';
import { afterCommit, type WriteContext } from '../../database/transaction.js';
import {
  delimited,
  type DelimitedRows,
  delimitRows,
  delimitValues,
  hideLength,
  RowSet,
  undelimitRows,
  undelimitValues,
} from '../../database/rows.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import { changeParameters, insertChanges, isSameFile } from '../../ledger/ledger-sql.js';
import { Metrics } from '../../metrics/metrics.js';
import { newSuppression } from '../suppression-id.js';
import { IS_LIVE, LIVE_CAUSES, type NamedSuppression } from '../suppression.entity.js';

export interface Addition {
  email: EmailAddress;
  cause: Cause;
  emailId: string | null;
  /** When it happened, if known and not now. A new record gets this time of creation. */
  occurredAt: Date | null;
  eventId: string | null;
  note: string | null;
  /** When the cause expires; null if never. Only bounces and manual entries can expire. */
  expiresAt: Date | null;
}

/** What a record covers, or has to cover. */
export interface Coverage {
  /** The mask of its causes. */
  causes: number;
  /** When its bounces and manual entries expire, in milliseconds since 1970; infinite if never. */
  endsAt: number;
}

/** A record that was added or got another cause, stronger or weaker. */
export interface ChangedSuppression extends NamedSuppression {
  action: 'added' | 'strengthened' | 'cause_added';
  cause: Cause;
}

export interface PresentSuppression extends NamedSuppression {
  importId: string | null;
}

const ADDITIONS = new RowSet(6, {
  id: delimited('uuid'),
  email: delimited('text'),
  createdAt: delimited('timestamptz'),
  cause: delimited('suppression_cause'),
  emailId: 'uuid',
  occurredAt: 'timestamptz',
  eventId: 'uuid',
  note: 'text',
  expiresAt: 'timestamptz',
});

const CHANGED_COLUMNS = ['suppression_id', 'email', 'action', 'cause'];

/**
 * Does not change a record with an expired cause until that cause is ended. The id of a ledger line reuses the random part of
 * the id that was generated for its record, which no other line has; ids are not secret. Returns the changed records with
 * {@link CHANGED_COLUMNS}.
 */
const ADD = new PreparedStatement<DelimitedRows>(
  'add-suppressions',
  `WITH addition AS (
    SELECT *
    FROM ${ADDITIONS.as('addition')}
  ),
  written AS (
    INSERT INTO suppressions AS record (account_id, id, email, cause, email_id, created_at, expires_at, import_id)
    SELECT $1, id, email, cause, email_id, created_at, expires_at, CASE WHEN $2::actor_type = 'import' THEN $3::uuid END
    FROM addition
    ORDER BY email
    ON CONFLICT (account_id, email) DO UPDATE
    SET cause = greatest(record.cause, excluded.cause),
        weaker_causes = (record.weaker_causes | cause_bit(record.cause) | cause_bit(excluded.cause))
          & ~cause_bit(greatest(record.cause, excluded.cause)),
        email_id = CASE WHEN record.cause < excluded.cause THEN excluded.email_id ELSE record.email_id END,
        import_id = excluded.import_id,
        expires_at = CASE
          WHEN excluded.cause >= 'unsubscribe' THEN record.expires_at
          WHEN (record.weaker_causes | cause_bit(record.cause)) & 3 = 0 THEN excluded.expires_at
          WHEN record.expires_at < excluded.expires_at THEN excluded.expires_at
          WHEN excluded.expires_at IS NOT NULL THEN record.expires_at
        END
    WHERE (record.expires_at IS NULL OR record.expires_at > now())
      AND (
        (record.weaker_causes | cause_bit(record.cause)) & cause_bit(excluded.cause) = 0
        OR excluded.cause < 'unsubscribe' AND record.expires_at < coalesce(excluded.expires_at, 'infinity')
      )
    RETURNING id AS suppression_id, email, cause AS strongest, expires_at AS record_expires_at
  ),
  change AS (
    SELECT
      addition.*,
      suppression_id,
      CASE WHEN addition.cause < 'unsubscribe' THEN record_expires_at END AS line_expires_at,
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
  ${insertChanges({ id: 'uuid_v7_from(id)', expiresAt: 'line_expires_at' })}
  SELECT ${delimitRows(CHANGED_COLUMNS)} FROM change`,
);

/** `Coverage.endsAt` as text; empty if never. */
const ENDS_AT = `coalesce((extract(epoch FROM expires_at) * 1000)::text, '')`;
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
    WHERE account_id = $1 AND email = ANY ($2) AND import_id IS NOT NULL
    ORDER BY email
    FOR UPDATE
  )
  UPDATE suppressions AS record
  SET import_id = CASE WHEN ${isSameFile('record.import_id', '$3::uuid')} THEN record.import_id END
  FROM locked
  WHERE record.account_id = $1 AND record.email = locked.email
  RETURNING record.id, record.email`,
);

@Injectable()
export class AdditionsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly metrics: Metrics,
  ) {}

  /** Finds the records that cover what is required of each address. */
  async findPresent(
    accountId: number,
    required: Map<EmailAddress, Coverage>,
    on: DataSource | EntityManager = this.dataSource,
  ): Promise<PresentSuppression[]> {
    const rows = await FIND_CAUSES_OF_EMAILS.run(on, [accountId, delimitValues([...required.keys()])]);
    const records = undelimitRows(rows, CAUSES_COLUMNS, (values, first) => ({
      id: values[first]!,
      email: values[first + 1] as EmailAddress,
      causes: Number(values[first + 2]),
      endsAt: Number(values[first + 3] || Infinity),
      importId: values[first + 4] || null,
    }));
    return records.filter((record) => {
      const { causes, endsAt } = required.get(record.email)!;
      return (causes & ~record.causes) === 0 && record.endsAt >= endsAt;
    });
  }

  /**
   * Makes imported records survive a revert of their import, unless the actor is an import of the same file.
   *
   * @returns the confirmed records; a record that a revert, or anything else but an import, has changed meanwhile is missing
   */
  confirm(
    { accountId, actor }: Identity,
    emails: EmailAddress[],
    context: WriteContext,
  ): Promise<NamedSuppression[]> {
    return CONFIRM.write(this.dataSource, context, [accountId, emails, actor.id]);
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
    const rows = await ADD.write(this.dataSource, context, [
      ...changeParameters(accountId, actor),
      ...ADDITIONS.values(additions.map(toRow)),
    ]);
    const changed = undelimitRows(rows, CHANGED_COLUMNS, toChanged);
    afterCommit(context, () => this.metrics.countChanges(actor.type, changed));
    return changed;
  }
}

/** An object literal, because copying properties by spreading takes four times as long. */
function toRow({ email, cause, emailId, occurredAt, eventId, note, expiresAt }: Addition) {
  const { id, createdAt } = newSuppression(email, occurredAt);
  return { id, email, createdAt, cause, emailId, occurredAt, eventId, note, expiresAt };
}

function toChanged(values: string[], first: number): ChangedSuppression {
  return {
    id: values[first]!,
    email: values[first + 1] as EmailAddress,
    action: values[first + 2] as ChangedSuppression['action'],
    cause: values[first + 3] as Cause,
  };
}
