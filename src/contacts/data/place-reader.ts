import { StringDecoder } from 'node:string_decoder';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { quotes, type QuotedAddress } from '../../email-address/quoted-address.js';
import { contactIdOf } from '../../topics/contact.js';
import { LOWEST_ID } from '../../validation/parsers.js';
import { firstKeyOf, pagesBy, type Place } from './place.js';
import { PLACES } from './places.js';

const decompress = promisify(gunzip);

/** Reading and searching this many rows takes a fraction of the statement timeout, even if each has long texts. */
const CHUNK_SIZE = 500;
/** Longer than any quotation that is split between two pieces of a file. */
const OVERLAP_LENGTH = 8 * 1024;

export type Row = Record<string, unknown>;

interface Chunk extends Row {
  rows: { row: Row; is_own: boolean | null }[];
  last: (string | number)[] | null;
}

export interface FoundRow {
  /** All columns except the account. */
  row: Row;
  /** Whether the row is about the address. Otherwise, it may only quote the address. */
  isOwn: boolean;
}

const STATEMENTS = new Map(
  PLACES.filter(({ find }) => find !== 'file').map((place) => [place, statementFor(place)]),
);

/** Reads the rows of an address on the primary, in chunks. */
@Injectable()
export class PlaceReader {
  constructor(private readonly dataSource: DataSource) {}

  /** @param names - the names of the address: while it is being erased, some rows have its pseudonym */
  async *read(
    accountId: number,
    names: EmailAddress[],
    quoted: QuotedAddress,
    place: Place,
  ): AsyncGenerator<FoundRow[]> {
    if (place.find === 'file') {
      yield* this.readFiles(accountId, quoted);
      return;
    }
    const wanted = place.find === 'contact' ? names.map((name) => contactIdOf(accountId, name)) : names;
    const statement = STATEMENTS.get(place)!;
    let after: unknown[] | null = firstKeyOf(place);
    while (after) {
      const values = [accountId, wanted, ...quoted.parameters, ...after];
      const [chunk] = await statement.run(this.dataSource, values);
      after = chunk!.last;
      yield chunk!.rows
        .map(({ row, is_own }) => ({ row, isOwn: is_own === true }))
        .filter(({ row, isOwn }) => isOwn || place.texts!.some((column) => quoted.isIn(textOf(row[column]))));
    }
  }

  /**
   * The pieces of uploaded files that contain the address; an empty list for each other one.
   *
   * @param until - only files of jobs that were created by then
   */
  async *readFiles(
    accountId: number,
    quoted: QuotedAddress,
    until: Date | 'infinity' = 'infinity',
  ): AsyncGenerator<FoundRow[]> {
    let after: [string, number] = [LOWEST_ID, -1];
    let rest = '';
    let decoder = new StringDecoder();
    for (;;) {
      const [piece] = await READ_PIECE.run(this.dataSource, [accountId, ...after, until]);
      if (!piece) {
        return;
      }
      const { job_id, number } = piece;
      if (job_id !== after[0]) {
        rest = '';
        decoder = new StringDecoder();
      }
      const text = rest + decoder.write(await decompress(piece.data));
      yield quoted.isIn(text) ? [{ row: { job_id, number }, isOwn: false }] : [];
      rest = text.slice(-OVERLAP_LENGTH);
      after = [job_id, number];
    }
  }
}

/** A column as text: JSON as it is written. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

const READ_PIECE = new PreparedStatement<{ job_id: string; number: number; data: Buffer }>(
  'read-next-job-piece',
  `SELECT job_id, number, data
  FROM job_pieces
  WHERE account_id = $1
    AND (job_id, number) > ($2, $3)
    AND (SELECT created_at FROM jobs WHERE account_id = $1 AND id = job_id) <= $4
  ORDER BY job_id, number
  LIMIT 1`,
);

function statementFor({ table, key, address, texts = [], find }: Place): PreparedStatement<Chunk> {
  const { isAfter, order, lastOf } = pagesBy(key, 6);
  const type = find === 'contact' ? 'uuid' : 'text';
  const ofAccount = `SELECT * FROM ${table} WHERE account_id = $1`;
  const rows =
    find === 'scan'
      ? `(${ofAccount}) AS row`
      : `unnest($2::${type}[]) AS wanted (value)
      CROSS JOIN LATERAL (${ofAccount} AND ${find === 'contact' ? 'id' : address} = wanted.value OFFSET 0) AS row`;
  const isOwn = find === 'scan' ? (address ? `${address} = ANY ($2::text[])` : 'false') : 'true';
  const mayQuote = texts.length > 0 ? quotes('searched', 3) : 'false';
  return new PreparedStatement(
    `read-${table.replaceAll('_', '-')}-of-address`,
    `WITH chunk AS MATERIALIZED (
      SELECT row.*
      FROM ${rows}
      WHERE ${isAfter}
      ORDER BY ${order}
      LIMIT ${CHUNK_SIZE}
    )
    SELECT
      (
        SELECT coalesce(jsonb_agg(jsonb_build_object('row', to_jsonb(chunk) - 'account_id', 'is_own', ${isOwn})), '[]')
        FROM chunk
        CROSS JOIN LATERAL (SELECT concat_ws(${["E'\\n', NULL", ...texts].join(', ')}) AS searched) AS texts
        WHERE ${isOwn} OR ${mayQuote}
      ) AS rows,
      ${lastOf('chunk')} AS last
    WHERE num_nulls($2::${type}[], $3::text, $4::text, $5::text) = 0`,
  );
}
