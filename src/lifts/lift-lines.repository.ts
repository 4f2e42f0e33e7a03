import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hasId } from '../database/has-id.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { RowSet } from '../database/rows.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { toPage, type Page } from '../http/page.js';
import type { LiftedCause, LineReason, LineStatus } from './lift.js';
import type { LargestGroups } from './lift.entity.js';

const EXAMPLES = 20;
const GOLDEN_RATIO = 1.618;
/** A list may have as many domains as addresses. */
export const MAX_GROUPS = 100;

/** A line to store when a lift is counted. */
export interface NewLine {
  number: number;
  email: EmailAddress;
  changeId: string;
  revision: string;
}

export interface FoundLine {
  number: number;
  email: EmailAddress;
  cause: LiftedCause;
  createdAt: Date;
  diagnostic: string | null;
  status: LineStatus;
  reason: LineReason | null;
}

/** The status that a line gets. */
export interface LineResult {
  number: number;
  status: LineStatus;
  reason: LineReason | null;
}

export interface PageOfLines {
  limit: number;
  /** The number of a line. */
  after?: number | undefined;
  status?: LineStatus | undefined;
}

export interface Group {
  grouping: 'domain' | 'diagnostic';
  key: string;
  count: number;
}

const NEW_LINES = new RowSet(3, { number: 'integer', email: 'text', changeId: 'uuid', revision: 'bigint' });

/** An address that is found twice, because a clock was set back, is counted once. */
const INSERT = new PreparedStatement<{ email: EmailAddress }>(
  'add-lift-lines',
  `INSERT INTO lift_lines (account_id, lift_id, ${NEW_LINES.names})
  SELECT $1, $2, line.*
  FROM ${NEW_LINES.as('line')}
  ON CONFLICT (account_id, email, lift_id) DO NOTHING
  RETURNING email`,
);

const GROUPS = new RowSet(3, { grouping: 'text', key: 'text', count: 'integer' });

const COUNT = new PreparedStatement<Record<string, never>>(
  'count-lift-lines',
  `INSERT INTO lift_totals AS total (account_id, lift_id, ${GROUPS.names})
  SELECT $1, $2, counted.*
  FROM ${GROUPS.as('counted')}
  ON CONFLICT (account_id, lift_id, grouping, key) DO UPDATE
  SET count = total.count + excluded.count`,
);

const LARGEST = new PreparedStatement<{ key: string; count: number }>(
  'find-largest-groups-of-lift',
  `SELECT key, count
  FROM lift_totals
  WHERE account_id = $1 AND lift_id = $2 AND grouping = $3
  ORDER BY count DESC, key
  LIMIT ${MAX_GROUPS}`,
);

/** SQL of lines with the details of their causes from the ledger and the inbox, in the order of their numbers. */
const linesWith = (condition: string) => `
  SELECT
    line.number,
    line.email,
    change.cause,
    change.created_at AS "createdAt",
    coalesce(event.diagnostic, change.note) AS diagnostic,
    line.status,
    line.reason
  FROM (
    SELECT * FROM lift_lines WHERE account_id = $1 AND lift_id = $2 AND ${condition}
  ) AS line
  CROSS JOIN LATERAL (
    SELECT * FROM suppression_changes WHERE account_id = $1 AND ${hasId('line.change_id')}
  ) AS change
  LEFT JOIN LATERAL (
    SELECT diagnostic FROM delivery_events WHERE account_id = $1 AND ${hasId('change.event_id')}
  ) AS event ON true
  ORDER BY line.number`;

const PAGE = new PreparedStatement<FoundLine>(
  'list-lift-lines',
  linesWith(`number > $3 AND ($4::lift_line_status IS NULL OR status = $4) ORDER BY number LIMIT $5`),
);

const BY_NUMBERS = new PreparedStatement<FoundLine>(
  'find-lift-lines',
  linesWith('number = ANY ($3::integer[])'),
);

const RESULTS = new RowSet(3, { number: 'integer', status: 'lift_line_status', reason: 'text' });

/** Because of the range, a plan with a join does not read all lines of the lift. */
const UPDATE = new PreparedStatement<Record<string, never>>(
  'update-lift-lines',
  `UPDATE lift_lines AS line
  SET status = result.status, reason = result.reason
  FROM ${RESULTS.as('result')}
  WHERE line.account_id = $1
    AND line.lift_id = $2
    AND line.number = result.number
    AND line.number >= $${RESULTS.next}
    AND line.number <= $${RESULTS.next + 1}`,
);

/** The lines of a lift. Only its job writes them. */
@Injectable()
export class LiftLinesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns the addresses that the lift did not have yet */
  async add(
    accountId: number,
    liftId: string,
    lines: NewLine[],
    transaction: EntityManager,
  ): Promise<Set<EmailAddress>> {
    const added = await INSERT.run(transaction, [accountId, liftId, ...NEW_LINES.values(lines)]);
    return new Set(added.map(({ email }) => email));
  }

  async addToGroups(
    accountId: number,
    liftId: string,
    groups: Group[],
    transaction: EntityManager,
  ): Promise<void> {
    await COUNT.run(transaction, [accountId, liftId, ...GROUPS.values(groups)]);
  }

  /** The groups with the most lines, up to {@link MAX_GROUPS}. */
  async findLargest(accountId: number, liftId: string, transaction: EntityManager): Promise<LargestGroups> {
    const domains = await LARGEST.run(transaction, [accountId, liftId, 'domain']);
    const diagnostics = await LARGEST.run(transaction, [accountId, liftId, 'diagnostic']);
    return {
      domains: domains.map(({ key, count }) => ({ domain: key, count })),
      diagnostics: diagnostics.map(({ key, count }) => ({ diagnostic: key || null, count })),
    };
  }

  async page(
    accountId: number,
    liftId: string,
    { limit, after = 0, status }: PageOfLines,
  ): Promise<Page<FoundLine>> {
    const rows = await PAGE.run(this.dataSource, [accountId, liftId, after, status ?? null, limit + 1]);
    return toPage(rows, limit);
  }

  /** Some of the lines, spread over the whole plan without regularity. */
  examples(accountId: number, liftId: string, count: number): Promise<FoundLine[]> {
    const length = Math.min(EXAMPLES, count);
    const numbers = Array.from({ length }, (_, index) => {
      const place = index + ((index * GOLDEN_RATIO) % 1);
      return 1 + Math.floor((place * count) / length);
    });
    return BY_NUMBERS.run(this.dataSource, [accountId, liftId, numbers]);
  }

  /** @param results - in the order of the numbers */
  async update(
    accountId: number,
    liftId: string,
    results: LineResult[],
    transaction: EntityManager,
  ): Promise<void> {
    const [first, last] = [results[0]!.number, results.at(-1)!.number];
    await UPDATE.run(transaction, [accountId, liftId, ...RESULTS.values(results), first, last]);
  }
}
