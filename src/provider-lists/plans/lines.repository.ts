import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { toPage, type Page } from '../../http/page.js';
import type { EmailAddress } from '../../email-address/email-address.js';
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
}

export function writeLineCursor({ kind, email, list, address }: FoundLine): string {
  return writeKeyCursor([kind, email, list, address]);
}

export function parseLineCursor(input: unknown): LineCursor | Invalid {
  const key = parseKeyCursor(input, 4);
  const isKnown = key instanceof Invalid || (LINE_KINDS as string[]).includes(key[0]!);
  return isKnown ? (key as LineCursor | Invalid) : new Invalid(UNKNOWN_CURSOR);
}
