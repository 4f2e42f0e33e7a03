import { EventEmitter } from 'node:events';
import type { PoolClient, QueryResult } from 'pg';
import type { WithSocketTimeout } from '../connections.js';
import { withMark } from '../errors.js';
import { inBucket, type BucketConnections, type Entered, type Statement } from './bucket-connections.js';
import { routeOf } from './routes.js';
import type { Node } from './topology.js';

/** A statement that was sent, and may not have been answered yet. */
interface Sent {
  result: Promise<QueryResult>;
}

const NOTHING = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] } as unknown as QueryResult;

/**
 * Acts as a connection for TypeORM. It runs a transaction on the coordinator, on the node of one account, or on both, each
 * begun by the first statement that needs it. The node of the account commits first. If the coordinator then fails, the records
 * of the account exist, but the job or token that would prevent a repetition does not.
 */
export class SpreadClient extends EventEmitter implements WithSocketTimeout {
  /** The statements that began the transaction, and the settings that were changed in it. */
  private begun?: string[] | undefined;
  private onCoordinator?: Promise<PoolClient> | undefined;
  private onNode?: { entered: Promise<Entered>; index: number } | undefined;
  private hasFailed = false;
  private sending: Promise<unknown> = Promise.resolve();
  private socketTimeoutMs?: number;

  /**
   * @param runAlone - runs a statement outside of the transaction
   * @param connect - takes a connection to the coordinator, for a transaction that then waits for a node
   */
  constructor(
    private readonly buckets: BucketConnections,
    private readonly runAlone: (statement: Statement) => Promise<QueryResult>,
    private readonly connect: (node: Node | undefined) => Promise<PoolClient>,
  ) {
    super();
  }

  /** Statements are sent in the order of the calls, without waiting for earlier results. */
  query(text: string | Statement, values?: unknown[]): Promise<QueryResult> {
    const statement = toStatement(text, values);
    const sent = this.sending.then(() => this.send(statement));
    this.sending = sent.catch(() => undefined);
    return sent.then(({ result }) => result);
  }

  private async send(statement: Statement): Promise<Sent> {
    const route = routeOf(statement.text, statement.name);
    if (route.to === 'session') {
      return this.control(statement.text);
    }
    if (this.hasFailed) {
      throw new Error('The transaction has failed, so nothing more can be done in it.');
    }
    if (!this.begun || route.to === 'all' || route.to === 'accounts') {
      return { result: this.watch(this.runAlone(statement)) };
    }
    try {
      const accountId = route.parameter && Number(statement.values![route.parameter - 1]);
      if (route.to === 'coordinator') {
        const connection = await this.coordinator(accountId);
        return { result: this.watch(connection.query(statement)) };
      }
      const { result } = await this.sendToNode(accountId!, statement);
      return { result: this.watch(result) };
    } catch (error) {
      this.hasFailed = true;
      throw withMark(error);
    }
  }

  private watch(result: Promise<QueryResult>): Promise<QueryResult> {
    return result.catch((error: unknown) => {
      this.hasFailed = this.begun !== undefined;
      throw withMark(error);
    });
  }

  release(): void {
    if (this.begun) {
      void this.finish('ROLLBACK').catch(() => undefined);
    }
  }

  setSocketTimeout(milliseconds: number): void {
    this.socketTimeoutMs = milliseconds;
    this.opened().forEach(
      (opening) => void opening.then((connection) => this.limit(connection)).catch(() => undefined),
    );
  }

  private limit<Connection>(connection: Connection): Connection {
    if (this.socketTimeoutMs !== undefined) {
      (connection as WithSocketTimeout).setSocketTimeout(this.socketTimeoutMs);
    }
    return connection;
  }

  private async control(text: string): Promise<Sent> {
    if (/^\s*(?:START|BEGIN)\b/i.test(text)) {
      this.begun = [text];
      return { result: Promise.resolve(NOTHING) };
    }
    if (/^\s*(?:COMMIT|ROLLBACK\s*$)/i.test(text)) {
      return { result: this.finish(text) };
    }
    if (!this.begun) {
      throw new Error(`A statement needs a transaction: ${text}`);
    }
    this.begun.push(text);
    if (/^\s*ROLLBACK TO\b/i.test(text)) {
      this.hasFailed = false;
    }
    const opened = await Promise.all(this.opened());
    const results = Promise.all(opened.map((connection) => connection.query(text)));
    return { result: results.then(([result = NOTHING]) => result) };
  }

  /**
   * Connects before the transaction enters the node, so that no transaction waits for the coordinator while others wait for its
   * connection.
   */
  private coordinator(accountId: number | undefined): Promise<PoolClient> {
    const begin = [...this.begun!];
    const waitsFor =
      accountId === undefined || this.onNode ? undefined : this.buckets.topology.bucketOf(accountId).node;
    this.onCoordinator ??= this.connect(waitsFor).then((connection) => {
      begin.forEach((text) => void connection.query(text).catch(() => undefined));
      return this.limit(connection);
    });
    return this.onCoordinator;
  }

  private async sendToNode(accountId: number, statement: Statement): Promise<Sent> {
    const bucketOf = () => this.buckets.topology.bucketOf(accountId);
    const { index } = bucketOf();
    if (!this.onNode) {
      const begin = [...this.begun!];
      const writes = !begin.some((text) => /\bREAD ONLY\b/.test(text));
      const entered = this.buckets.enter(bucketOf, writes, () => begin, [statement]);
      this.onNode = { index, entered };
      const { connection, results } = await entered;
      this.limit(connection);
      return { result: results[0]! };
    }
    if (this.onNode.index !== index) {
      throw new Error('A transaction concerns accounts of several buckets.');
    }
    const { connection, bucket } = await this.onNode.entered;
    return { result: connection.query(inBucket(statement, bucket)) };
  }

  private opened(): Promise<PoolClient>[] {
    const node = this.onNode?.entered.then(({ connection }) => connection);
    return [node, this.onCoordinator].filter((connection) => connection !== undefined);
  }

  /** @throws what the first connection that could not end throws; the other one is rolled back, unless it has committed */
  private async finish(text: string): Promise<QueryResult> {
    const opened = this.opened();
    let end = this.hasFailed ? 'ROLLBACK' : text;
    this.begun = this.onCoordinator = this.onNode = undefined;
    this.hasFailed = false;
    let failure: unknown;
    for (const opening of opened) {
      const connection = await opening.catch(() => undefined);
      try {
        const ended = await connection?.query(end);
        end = ended?.command === 'ROLLBACK' ? 'ROLLBACK' : end;
      } catch (error) {
        end = 'ROLLBACK';
        failure ??= withMark(error);
      } finally {
        connection?.release();
      }
    }
    if (failure !== undefined) {
      throw failure;
    }
    return NOTHING;
  }
}

export function toStatement(statement: string | Statement, values?: unknown[]): Statement {
  return typeof statement === 'string' ? { text: statement, ...(values && { values }) } : statement;
}
