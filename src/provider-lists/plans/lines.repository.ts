import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { toPage, type Page } from '../../http/page.js';
import { Invalid } from '../../validation/parsers.js';
import { LINE_KINDS, type LineKind } from './line-kinds.js';
import type { ProviderListLine } from './provider-list-line.entity.js';

export type FoundLine = Pick<
  ProviderListLine,
  'kind' | 'email' | 'list' | 'address' | 'cause' | 'listedAt' | 'reason'
>;

/** The last line of a page: the parts of its key. */
export type LineCursor = [kind: string, email: string, list: string, address: string];

const page = (name: string, condition: string) =>
  new PreparedStatement<FoundLine>(
    name,
    `SELECT kind, email, list, address, cause, listed_at AS "listedAt", reason
    FROM provider_list_lines
    WHERE account_id = $1 AND plan_id = $2 AND ${condition}
    ORDER BY kind, email, list, address
    LIMIT $7`,
  );

const PAGE = page('page-provider-list-lines', '(kind, email, list, address) > ($3, $4, $5, $6)');

const PAGE_OF_KIND = page(
  'page-provider-list-lines-of-kind',
  'kind = $3 AND (email, list, address) > ($4, $5, $6)',
);

@Injectable()
export class LinesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The lines after a cursor, by kind and address. */
  async page(
    accountId: number,
    planId: string,
    kind: LineKind | undefined,
    after: LineCursor | undefined,
    limit: number,
  ): Promise<Page<FoundLine>> {
    const [afterKind, ...key] = after ?? ['', '', '', ''];
    const statement = kind ? PAGE_OF_KIND : PAGE;
    const values = [accountId, planId, kind ?? afterKind, ...key, limit + 1];
    return toPage(await statement.run(this.dataSource, values), limit);
  }
}

export function writeLineCursor({ kind, email, list, address }: FoundLine): string {
  return writeKeyCursor([kind, email, list, address]);
}

export function parseLineCursor(input: unknown): LineCursor | Invalid {
  const key = parseKeyCursor(input, 4);
  const isKnown = key instanceof Invalid || (LINE_KINDS as string[]).includes(key[0]!);
  return isKnown ? (key as LineCursor | Invalid) : new Invalid('must be the cursor of the previous page');
}

/** The texts of a key as a cursor, opaque to callers. */
export function writeKeyCursor(key: readonly string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

export function parseKeyCursor(input: unknown, length: number): string[] | Invalid {
  const invalid = new Invalid('must be the cursor of the previous page');
  try {
    const parts: unknown = JSON.parse(Buffer.from(String(input), 'base64url').toString());
    const isKey =
      Array.isArray(parts) &&
      parts.length === length &&
      parts.every((part) => typeof part === 'string' && part.isWellFormed() && !part.includes('\0'));
    return isKey ? (parts as string[]) : invalid;
  } catch {
    return invalid;
  }
}
