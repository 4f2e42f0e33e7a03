import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { Page } from '../../http/page.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import { lastRevision } from '../../ledger/ledger-sql.js';
import { StoredNames } from '../../pseudonyms/stored-names.js';
import { KeyedPages, type KeyedQuery } from '../keyed-pages.js';
import { LINE_KINDS, type LineKind } from './line-kinds.js';
import type { ProviderListLine } from './provider-list-line.entity.js';

export type FoundLine = Pick<
  ProviderListLine,
  'kind' | 'email' | 'list' | 'address' | 'cause' | 'listedAt' | 'reason'
>;

const LINES = new KeyedPages<FoundLine>({
  name: 'provider_list_lines',
  owner: 'plan_id',
  group: 'kind',
  groups: LINE_KINDS,
  columns: 'kind, cause, listed_at AS "listedAt", reason',
});

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

const PAGE_TO_PULL = new PreparedStatement<PulledLine>(
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

export interface LinesQuery extends KeyedQuery {
  kind?: LineKind | undefined;
}

@Injectable()
export class LinesRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storedNames: StoredNames,
  ) {}

  /**
   * The lines after a cursor, sorted by kind and address.
   *
   * @throws {KeptBlocksUnreadableError | ValidationError}
   */
  page(accountId: number, planId: string, { kind, ...query }: LinesQuery): Promise<Page<FoundLine>> {
    return LINES.read(this.dataSource, this.storedNames, accountId, { owner: planId, group: kind }, query);
  }

  /**
   * The lines of the next addresses that a plan adds or strengthens. The lines of an address are sorted by cause, the strongest
   * first, then by date.
   */
  pageToPull(
    accountId: number,
    planId: string,
    after: string,
    transaction: EntityManager,
  ): Promise<PulledLine[]> {
    return PAGE_TO_PULL.run(transaction, [accountId, planId, after]);
  }
}
