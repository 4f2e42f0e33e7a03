import { hideLength } from '../../database/delimited-rows.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { insertChanges } from '../../ledger/insert-changes.js';

/** A conflict locks the existing record, although nothing is updated. */
export const RESERVE = new PreparedStatement<{ id: string; email: EmailAddress }>(
  'reserve-addresses',
  `INSERT INTO suppressions (account_id, id, email, cause, created_at)
  SELECT $1, requested.id, requested.email, requested.cause, requested.created_at
  FROM unnest($2::uuid[], $3::text[] COLLATE "C", $4::timestamptz[], $5::suppression_cause[])
    AS requested (id, email, created_at, cause)
  ORDER BY requested.email
  ON CONFLICT (account_id, email) DO UPDATE
  SET cause = excluded.cause
  WHERE false
  RETURNING id, email`,
);

/** A record is found by the conflict that it causes, since an UPDATE that joins may have a plan that reads the whole list. */
export const SETTLE = new PreparedStatement<Record<string, never>>(
  'settle-reservations',
  `WITH emptied AS (
    DELETE FROM suppressions
    WHERE account_id = $1
      AND created_at = ANY (${hideLength('$20', 'timestamptz')})
      AND id = ANY (${hideLength('$6', 'uuid')})
  ),
  filled AS (
    INSERT INTO suppressions (account_id, email, id, cause, email_id, created_at, weaker_causes, expires_at)
    SELECT $1, final.*
    FROM unnest(
      $7::text[], $8::uuid[], $9::suppression_cause[], $10::uuid[], $11::timestamptz[], $21::smallint[],
      $22::timestamptz[]
    ) AS final
    ON CONFLICT (account_id, email) DO UPDATE
    SET id = excluded.id,
      cause = excluded.cause,
      weaker_causes = excluded.weaker_causes,
      email_id = excluded.email_id,
      created_at = excluded.created_at,
      import_id = NULL,
      expires_at = excluded.expires_at
  ),
  change AS (
    SELECT *
    FROM unnest(
      $12::suppression_action[], $13::uuid[], $14::text[], $15::suppression_cause[], $16::uuid[], $17::timestamptz[],
      $18::uuid[], $19::text[], $23::timestamptz[]
    ) WITH ORDINALITY AS change (
      action, suppression_id, email, cause, email_id, occurred_at, event_id, note, expires_at, number
    )
    ORDER BY number
  ),
  ${insertChanges('change', { expiresAt: 'expires_at' })}
  SELECT FROM logged WHERE false`,
);
