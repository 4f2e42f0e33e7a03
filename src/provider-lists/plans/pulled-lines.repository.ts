import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import { lastRevision } from '../../ledger/ledger-sql.js';

/** The size of a batch, which also includes all other lines of its last address. */
const BATCH_LINES = 500;

export interface PulledLine {
  email: EmailAddress;
  cause: Cause;
  listedAt: Date | null;
  latestAt: Date | null;
  note: string | null;
  /** Whether the address has changed since it was compared. */
  hasChanged: boolean;
}

const PAGE = new PreparedStatement<PulledLine>(
  'page-pulled-lines',
  `WITH next AS MATERIALIZED (
    SELECT email
    FROM provider_list_lines
    WHERE account_id = $1 AND plan_id = $2 AND adds AND email > $3
    ORDER BY email
    LIMIT ${BATCH_LINES}
  ),
  line AS MATERIALIZED (
    SELECT email, list, address, cause, listed_at, revision
    FROM provider_list_lines
    WHERE account_id = $1 AND plan_id = $2 AND adds AND email > $3 AND email <= (SELECT max(email) FROM next)
  )
  SELECT
    line.email,
    line.cause,
    line.listed_at AS "listedAt",
    entry.latest_at AS "latestAt",
    entry.note,
    line.revision <> ${lastRevision('line.email')} AS "hasChanged"
  FROM line
  CROSS JOIN LATERAL (
    SELECT latest_at, note
    FROM provider_list_entries
    WHERE account_id = $1
      AND plan_id = $2
      AND email = line.email
      AND list = line.list
      AND address = line.address
    LIMIT 1
  ) AS entry
  ORDER BY line.email, line.cause DESC, line.listed_at NULLS LAST`,
);

@Injectable()
export class PulledLinesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The lines of the next addresses that a plan adds or strengthens. The lines of an address are sorted by cause, the strongest
   * first, then by date.
   */
  page(
    accountId: number,
    planId: string,
    after: string,
    on: DataSource | EntityManager = this.dataSource,
  ): Promise<PulledLine[]> {
    return PAGE.run(on, [accountId, planId, after]);
  }
}
