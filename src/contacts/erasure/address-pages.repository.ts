import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { isId, STORABLE } from '../../validation/parsers.js';
import { firstKeyOf, pagesBy, type KeyType, type Place } from '../data/place.js';
import { PLACES } from '../data/places.js';

/** Hashing this many addresses takes a tenth of a second. */
const PAGE_SIZE = 10_000;
/** The tables to search. The ledger covers the other tables whose rows are found only by address. */
const SEARCHED = PLACES.filter(
  ({ address, find, table }) =>
    /^\w+$/.test(address ?? '') && (table === 'suppressions' || find === 'scan' || find === 'contact'),
).filter(({ erasure }) => erasure !== 'wait' && erasure !== 'keep');

/** Where the next page begins: a table, and the key of a row. */
export interface AddressCursor {
  table: string;
  after: (string | number)[];
}

interface Page {
  emails: EmailAddress[] | null;
  last: (string | number)[] | null;
}

const STATEMENTS = new Map(SEARCHED.map((place) => [place.table, statementFor(place)]));

/** Lines that an erasure wrote do not count. */
const IS_REPORTED_SINCE = new PreparedStatement<{ exists: boolean }>(
  'find-reports-since-erasure',
  `SELECT
    EXISTS (
      SELECT FROM suppression_changes
      WHERE account_id = $1 AND email = $2 AND created_at > $3
        AND action IN ('added', 'cause_added', 'strengthened', 'opted_out')
        AND evidence ->> 'erasure' IS NULL
    )
    OR EXISTS (SELECT FROM rules WHERE account_id = $1 AND pattern = $2 AND effect = 'block' AND created_at > $3) AS exists`,
);

/** Reads all addresses about which an account has any data. */
@Injectable()
export class AddressPagesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns the addresses of a page, and where the next one begins; null after the last one */
  async read(
    accountId: number,
    cursor: AddressCursor | null,
  ): Promise<{ emails: EmailAddress[]; next: AddressCursor | null }> {
    const index = cursor === null ? 0 : SEARCHED.findIndex(({ table }) => table === cursor.table);
    const place = SEARCHED[index]!;
    const statement = STATEMENTS.get(place.table)!;
    const [page] = await statement.run(this.dataSource, [accountId, ...(cursor?.after ?? firstKeyOf(place))]);
    const { emails, last } = page!;
    const following = SEARCHED[index + 1];
    const next = last
      ? { table: place.table, after: last }
      : following
        ? { table: following.table, after: firstKeyOf(following) }
        : null;
    return { emails: emails ?? [], next };
  }

  /** Whether anything that blocks an address was added after a time. */
  async isReportedSince(accountId: number, email: EmailAddress, time: Date): Promise<boolean> {
    const [found] = await IS_REPORTED_SINCE.run(this.dataSource, [accountId, email, time]);
    return found!.exists;
  }
}

/** Whether a cursor is one of {@link AddressPagesRepository.read}. */
export function isAddressCursor({ table, after }: AddressCursor): boolean {
  const place = SEARCHED.find((searched) => searched.table === table);
  const types = Object.values(place?.key ?? {});
  return (
    types.length > 0 &&
    Array.isArray(after) &&
    types.length === after.length &&
    types.every((type, index) => isOf(type, after[index]))
  );
}

function isOf(type: KeyType, part: unknown): boolean {
  return type === 'bigint' || type === 'integer'
    ? Number.isSafeInteger(part) && Math.abs(part as number) < (type === 'integer' ? 2 ** 31 : Infinity)
    : typeof part === 'string' && (type === 'uuid' ? isId(part) : STORABLE.test(part));
}

function statementFor({ table, key, address }: Place): PreparedStatement<Page & Record<string, unknown>> {
  const { isAfter, order, lastOf } = pagesBy(key, 2);
  return new PreparedStatement(
    `page-addresses-of-${table.replaceAll('_', '-')}`,
    `WITH page AS MATERIALIZED (
      SELECT ${Object.keys(key).join(', ')}, ${address} AS searched
      FROM ${table}
      WHERE account_id = $1 AND ${isAfter}
      ORDER BY ${order}
      LIMIT ${PAGE_SIZE}
    )
    SELECT
      (SELECT jsonb_agg(DISTINCT searched) FROM page WHERE searched LIKE '%@%') AS emails,
      ${lastOf('page')} AS last`,
  );
}
