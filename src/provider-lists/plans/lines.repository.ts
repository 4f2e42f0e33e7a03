import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { toPage, type Page } from '../../http/page.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import { lastRevision } from '../../ledger/ledger-sql.js';
import { StoredNames } from '../../pseudonyms/stored-names.js';
import { Invalid } from '../../validation/parsers.js';
import { parseKeyCursor, requireCursorOf, UNKNOWN_CURSOR, writeKeyCursor } from '../key-cursor.js';
import { LINE_KINDS, type LineKind } from './line-kinds.js';
import type { ProviderListLine } from './provider-list-line.entity.js';

export type FoundLine = Pick<
  ProviderListLine,
  'kind' | 'email' | 'list' | 'address' | 'cause' | 'listedAt' | 'reason'
>;

/** The key of the last line of a page. */
export type LineCursor = [kind: string, email: string, list: string, address: string];

const COLUMNS = 'kind, email, list, address, cause, listed_at, reason';

/** Parameters 3 to 6: the position. Parameter 7: the last kind in the order. */
const page = (name: string, table: string) =>
  new PreparedStatement<FoundLine>(
    name,
    `SELECT kind, email, list, address, cause, listed_at AS "listedAt", reason
    FROM ${table}
    WHERE account_id = $1 AND plan_id = $2 AND (kind, email, list, address) > ($3, $4, $5, $6) AND kind <= $7
    ORDER BY kind, email, list, address
    LIMIT $8`,
  );

const PAGE = page('page-provider-list-lines', 'provider_list_lines');

/**
 * Finds all lines of an address by their key, and then sorts them, because they are few. Parameter 9: the stored names of the
 * address.
 */
const PAGE_OF_ADDRESS = page(
  'page-provider-list-lines-of-address',
  `(
      SELECT account_id, plan_id, ${COLUMNS}
      FROM provider_list_lines
      WHERE account_id = $1
        AND plan_id = $2
        AND kind IN (${LINE_KINDS.map((kind) => `'${kind}'`).join()})
        AND email = ANY ($9::text[])
      OFFSET 0
    ) AS line`,
);
const LAST_KIND = LINE_KINDS.toSorted().at(-1);

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

export interface LinesQuery {
  kind?: LineKind | undefined;
  email?: EmailAddress | undefined;
  after?: LineCursor | undefined;
  limit: number;
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
  async page(
    accountId: number,
    planId: string,
    { kind, email, after, limit }: LinesQuery,
  ): Promise<Page<FoundLine>> {
    requireCursorOf(kind, after);
    const [afterKind, ...key] = after ?? [kind ?? '', '', '', ''];
    const values = [accountId, planId, afterKind, ...key, kind ?? LAST_KIND, limit + 1];
    const rows = email
      ? await PAGE_OF_ADDRESS.run(this.dataSource, [
          ...values,
          await this.storedNames.namesOf(accountId, email),
        ])
      : await PAGE.run(this.dataSource, values);
    return toPage(rows, limit);
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

export function writeLineCursor({ kind, email, list, address }: FoundLine): string {
  return writeKeyCursor([kind, email, list, address]);
}

export function parseLineCursor(input: unknown): LineCursor | Invalid {
  const key = parseKeyCursor(input, 4);
  const isKnown = key instanceof Invalid || (LINE_KINDS as string[]).includes(key[0]!);
  return isKnown ? (key as LineCursor | Invalid) : new Invalid(UNKNOWN_CURSOR);
}
