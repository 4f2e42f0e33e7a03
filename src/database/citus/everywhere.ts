import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { DatabaseError, QueryResult } from 'pg';
import { codeOf, isMarkedLost, STALE_PLAN_ROUTINE } from '../errors.js';
import type { BucketConnections, Statement } from './bucket-connections.js';
import { baseNameOf, type Route } from './routes.js';
import type { Bucket } from './topology.js';

/** Statements that claim as many rows as a parameter says, or one. */
const CLAIM = /^claim-/;
/** Statements that may skip a slow node for now. Claims may not, because nobody would handle what a late claim has taken. */
const QUESTION = /^(?:count|find|measure)-/;
const PATIENCE_MS = 500;

type Row = Record<string, unknown>;

/** Some buckets of one node, and the statement for them. */
interface Part {
  buckets: readonly Bucket[];
  statement: Statement;
}

const logger = new Logger('Database');

/** Runs statements about the accounts of several buckets. */
export class Everywhere {
  /** The statements that were sent to nodes and whose rows are not part of any result yet. */
  private readonly asked = new Map<string, Promise<Row[] | undefined>>();

  constructor(private readonly connections: BucketConnections) {}

  /**
   * Runs a statement in each bucket that it concerns. A statement of a background task skips buckets where it fails, and
   * buckets of a node that is down. The rows of a slow node are part of a later result.
   *
   * @returns the rows of all buckets
   * @throws the error of a bucket, unless the statement is one of a background task and succeeded in another bucket
   */
  async run(statement: Statement, route: Extract<Route, { to: 'accounts' | 'all' }>): Promise<QueryResult> {
    const name = baseNameOf(statement.name ?? '');
    const parts = route.to === 'all' ? this.everyNode(statement) : this.bucketsOf(statement, route.parameter);
    const failures: unknown[] = [];
    // Callers share a late result, so the statement must be the same for all of them.
    const mayBeLate = route.isBackground && QUESTION.test(name) && !statement.values?.length;
    const found = CLAIM.test(name)
      ? await this.claim(parts, limitOf(statement), failures)
      : await Promise.all(
          parts.map((part) => {
            const ask = () => this.ask(part, Infinity, failures);
            return mayBeLate ? this.soon(`${name} ${part.buckets[0]!.node.groupId}`, ask) : ask();
          }),
        );
    const succeeded = found.filter((rows) => rows !== undefined);
    if (failures.length > 0 && !(route.isBackground && succeeded.length > 0)) {
      throw failures[0];
    }
    const rows = succeeded.flat();
    return { command: 'SELECT', oid: 0, fields: [], rows, rowCount: rows.length };
  }

  private async claim(parts: Part[], limit: number, failures: unknown[]): Promise<(Row[] | undefined)[]> {
    const found: (Row[] | undefined)[] = [];
    let left = limit;
    for (let index = 0; index < parts.length && left > 0; index++) {
      const rows = await this.ask(parts[index]!, left, failures);
      found.push(rows);
      left -= rows?.length ?? 0;
    }
    return found;
  }

  /** @returns undefined if the node has not answered yet */
  private async soon(question: string, ask: () => Promise<Row[] | undefined>): Promise<Row[] | undefined> {
    const answer = this.asked.get(question) ?? ask();
    this.asked.set(question, answer);
    let isLate = true;
    await Promise.race([answer.then(() => (isLate = false)), delay(PATIENCE_MS, undefined, { ref: false })]);
    if (isLate) {
      return undefined;
    }
    if (this.asked.get(question) === answer) {
      this.asked.delete(question);
    }
    return answer;
  }

  /**
   * Runs a statement in the buckets of a node: in several at once, if it can be and each may find a row, or else in one after
   * another. Others come first each time, so that no accounts always wait for others.
   *
   * @returns undefined if it succeeded in none
   */
  private async ask(
    { buckets, statement }: Part,
    left: number,
    failures: unknown[],
  ): Promise<Row[] | undefined> {
    const queue = rotated(groupsOf(buckets, isOneQuery(statement) ? left : 1));
    const rows: Row[] = [];
    let hasSucceeded = false;
    while (queue.length > 0 && rows.length < left) {
      const group = queue.shift()!;
      const oneByOne = rotated(group).map((bucket) => [bucket]);
      const share = Math.floor((left - rows.length) / group.length);
      if (share === 0) {
        queue.unshift(...oneByOne);
        continue;
      }
      try {
        if (group.length === 1) {
          rows.push(...(await this.runInOne(group[0]!, limitedTo(share, statement))));
        } else {
          const found = await this.connections.runInAll(group, limitedTo(share, statement));
          const countIn = (index: number) => found.filter(({ bucket }) => bucket === index).length;
          queue.push(...oneByOne.filter(([bucket]) => countIn(bucket!.index) >= share));
          rows.push(...found.map(({ row }) => row));
        }
        hasSucceeded = true;
      } catch (error) {
        if (isMarkedLost(error)) {
          failures.push(error);
          break;
        }
        if (group.length > 1) {
          queue.unshift(...oneByOne);
        } else {
          failures.push(error);
          logFailure(statement, group[0]!, error);
        }
      }
    }
    return hasSucceeded ? rows : undefined;
  }

  /** After DDL, repeats the statement in this bucket only, since it may already have run in other buckets. */
  private async runInOne({ index }: Bucket, statement: Statement): Promise<Row[]> {
    const { text, values = [] } = statement;
    const current = () => this.connections.topology.buckets[index]!;
    const { rows } = await this.connections.run(current, statement, true).catch((error: DatabaseError) => {
      if (error.routine !== STALE_PLAN_ROUTINE) {
        throw error;
      }
      return this.connections.run(current, { text, values }, true);
    });
    return rows;
  }

  /** Starts with a random node. */
  private everyNode(statement: Statement): Part[] {
    const { buckets } = this.connections.topology;
    const groups = [...new Set(buckets.map(({ node }) => node.groupId))];
    return rotated(groups).map((group) => ({
      buckets: buckets.filter(({ node }) => node.groupId === group),
      statement,
    }));
  }

  /** Splits the rows of a statement by bucket. An empty set of rows arrives as null. */
  private bucketsOf(statement: Statement, parameter: number): Part[] {
    const { topology } = this.connections;
    const lists = (statement.values ?? []).map((list) => (list ?? []) as unknown[]);
    const accountIds = (lists[parameter - 1] ?? []) as number[];
    const buckets = new Set(accountIds.map((accountId) => topology.bucketOf(accountId)));
    return Array.from(buckets, (bucket) => {
      const isHere = (_: unknown, index: number) => topology.bucketOf(accountIds[index]!) === bucket;
      return {
        buckets: [bucket],
        statement: { ...statement, values: lists.map((list) => list.filter(isHere)) },
      };
    });
  }
}

const LIMIT = /\bLIMIT \$(\d+)/;

function limitOf({ text, values = [] }: Statement): number {
  const [, parameter] = LIMIT.exec(text) ?? [];
  return parameter === undefined ? 1 : Number(values[Number(parameter) - 1]);
}

function limitedTo(rows: number, statement: Statement): Statement {
  const [, parameter] = LIMIT.exec(statement.text) ?? [];
  return parameter === undefined || rows === Infinity
    ? statement
    : { ...statement, values: statement.values!.with(Number(parameter) - 1, rows) };
}

/** Whether PostgreSQL permits a statement within another one. */
const isOneQuery = ({ name = '', text }: Statement): boolean =>
  CLAIM.test(name) || /^\s*SELECT\b/i.test(text);

/** Groups of at most `most` buckets. Their sizes are powers of two, because each group has statements of its own. */
function groupsOf(buckets: readonly Bucket[], most: number): Bucket[][] {
  const size = Math.min(buckets.length, 2 ** Math.floor(Math.log2(most)));
  return Array.from({ length: Math.ceil(buckets.length / size) }, (_, number) =>
    buckets.slice(number * size, (number + 1) * size),
  );
}

function rotated<Item>(items: readonly Item[]): Item[] {
  const first = Math.floor(Math.random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}

function logFailure({ name = '' }: Statement, { index, node }: Bucket, error: unknown): void {
  const where = `the accounts of part ${index} on ${node.host}:${node.port}`;
  logger.error(`${baseNameOf(name)} failed for ${where}: ${codeOf(error) || 'no reply'}`);
}
