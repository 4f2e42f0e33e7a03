import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { afterCommit, type WriteContext } from '../database/transaction.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { LASTING_CAUSES } from '../ledger/cause.js';
import type { ChangeActor } from '../ledger/evidence.js';
import { changeParameters, insertChanges } from '../ledger/ledger-sql.js';
import { Metrics, type CountedChange } from '../metrics/metrics.js';
import { BackgroundTasks, latestDeletion, repeat, Sweep } from '../process/background-tasks.js';
import { RECORD_CAUSES } from './suppression.entity.js';

const SYSTEM: ChangeActor = { type: 'system', id: null, name: 'expiry' };

/** How many records of an account are handled at once, few enough for the statement timeout. */
const BATCH_SIZE = 1_000;

/**
 * A pass visits the accounts of this many records, beginning with those that expired first. The others follow in later passes.
 */
const RECORDS_PER_PASS = 10_000;

const FIND_ACCOUNTS = new PreparedStatement<{ accountId: number }>(
  'find-accounts-with-expired-causes',
  `SELECT DISTINCT account_id AS "accountId"
  FROM (
    SELECT account_id FROM suppressions WHERE expires_at <= now() ORDER BY expires_at LIMIT ${RECORDS_PER_PASS}
  ) AS expired`,
);

/** Skips records that a caller or another instance is changing. */
const END_SOME = createStatement(
  'end-some-expired-causes',
  `AND expires_at <= $6 ORDER BY expires_at LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED`,
);

const END_OF_EMAILS = createStatement(
  'end-expired-causes-of-emails',
  'AND email = ANY ($6) ORDER BY email FOR UPDATE',
);

/** @param selection - SQL that selects and locks the expired records */
function createStatement(name: string, selection: string): PreparedStatement<CountedChange> {
  return new PreparedStatement(
    name,
    `WITH expired AS (
      SELECT id, email, cause AS strongest, email_id, ${RECORD_CAUSES} AS causes
      FROM suppressions
      WHERE account_id = $1 AND expires_at <= now() ${selection}
    ),
    removed AS (
      DELETE FROM suppressions
      USING expired
      WHERE suppressions.account_id = $1
        AND suppressions.email = expired.email
        AND causes & ${LASTING_CAUSES} = 0
    ),
    kept AS (
      UPDATE suppressions
      SET weaker_causes = weaker_causes & ${LASTING_CAUSES}, expires_at = NULL
      FROM expired
      WHERE suppressions.account_id = $1
        AND suppressions.email = expired.email
        AND causes & ${LASTING_CAUSES} <> 0
    ),
    change AS (
      SELECT
        'expired'::suppression_action AS action,
        id AS suppression_id,
        email,
        listed.cause,
        CASE WHEN listed.cause = strongest THEN email_id END AS email_id,
        NULL::timestamptz AS occurred_at,
        NULL::uuid AS event_id,
        NULL AS note
      FROM expired
      JOIN unnest(enum_range(NULL::suppression_cause)) AS listed (cause)
        ON causes & ~${LASTING_CAUSES} & cause_bit(listed.cause) <> 0
    ),
    ${insertChanges()}
    SELECT action, cause FROM logged`,
  );
}

/**
 * Removes expired causes in every instance, and records their end in the ledger, within a minute. Readers ignore them even before
 * that.
 */
@Injectable()
export class ExpirySweep extends Sweep {
  constructor(
    private readonly dataSource: DataSource,
    private readonly metrics: Metrics,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: 15_000, failure: 'expired suppressions were not removed' });
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    const found = await FIND_ACCOUNTS.run(this.dataSource, []);
    await this.forEvery(found, stopping, ({ accountId }) => repeat(() => this.endSome(accountId), stopping));
  }

  /** @returns whether there may be more */
  private async endSome(accountId: number): Promise<boolean> {
    const ended = await END_SOME.run(this.dataSource, [
      ...changeParameters(accountId, SYSTEM),
      latestDeletion(),
    ]);
    this.metrics.countChanges(SYSTEM.type, ended);
    return ended.length >= BATCH_SIZE;
  }

  /** Ends the expired causes of some addresses, which are about to change. */
  async endExpiredCauses(accountId: number, emails: EmailAddress[], context: WriteContext): Promise<void> {
    const ended = await END_OF_EMAILS.write(this.dataSource, context, [
      ...changeParameters(accountId, SYSTEM),
      emails,
    ]);
    afterCommit(context, () => this.metrics.countChanges(SYSTEM.type, ended));
  }
}
