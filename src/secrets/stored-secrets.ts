import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import {
  DataSource,
  Raw,
  type FindOptionsOrder,
  type FindOptionsWhere,
  type QueryDeepPartialEntity,
  type Repository,
} from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';

interface Kind {
  sample: PreparedStatement<QueryResultRow>;
  decrypt: (row: unknown) => unknown;
}

/** Samples of the data that is encrypted with SECRETS_KEY. */
@Injectable()
export class StoredSecrets {
  private readonly kinds = new Map<string, Kind>();

  constructor(private readonly dataSource: DataSource) {}

  /**
   * Registers a kind of secrets. Called in constructors.
   *
   * @param kind - in the plural, such as `webhooks`
   * @param sample - reads some rows; see {@link firstAndLast}
   * @param decrypt - throws if a row cannot be decrypted
   */
  add<Row extends QueryResultRow>(
    kind: string,
    sample: PreparedStatement<Row>,
    decrypt: (row: Row) => unknown,
  ): void {
    this.kinds.set(kind, { sample, decrypt: decrypt as Kind['decrypt'] });
  }

  /** Whether the samples of each kind can be decrypted. */
  async areReadable(): Promise<Map<string, boolean>> {
    const readable = new Map<string, boolean>();
    for (const [kind, { sample, decrypt }] of this.kinds) {
      const rows = await sample.run(this.dataSource, []);
      readable.set(
        kind,
        rows.every((row) => succeeds(() => decrypt(row))),
      );
    }
    return readable;
  }
}

/**
 * The first and the last row of a table that have secrets. Their keys differ if only a part of the rows was encrypted with
 * another key.
 *
 * @param columns - the columns that `decrypt` needs
 * @param hasSecrets - SQL condition: the row has secrets
 */
export function firstAndLast<Row extends QueryResultRow>(
  table: string,
  columns: string,
  order: readonly string[],
  hasSecrets = 'true',
): PreparedStatement<Row> {
  const end = (direction: 'ASC' | 'DESC') =>
    `(SELECT ${columns} FROM ${table} WHERE ${hasSecrets} ORDER BY ${order.map((column) => `${column} ${direction}`).join()} LIMIT 1)`;
  return new PreparedStatement(`sample-secrets-of-${table}`, `${end('ASC')} UNION ALL ${end('DESC')}`);
}

/**
 * Encrypts with the current key the secrets that only the previous key can decrypt. Secrets that are replaced meanwhile are
 * already encrypted with the current key.
 *
 * @param column - the column with the secrets, as JSON
 * @param reencrypted - returns the changes to a row; null if it needs none
 * @returns the number of rows that were encrypted
 * @throws {SecretsKeyMissingError}
 * @throws {UnreadableSecretError} when neither key can read a secret; the rows before it have been encrypted
 */
export async function reencryptRows<Row extends { accountId: number; id: string }>(
  rows: Repository<Row>,
  column: keyof Row & string,
  reencrypted: (row: Row) => QueryDeepPartialEntity<Row> | null,
): Promise<number> {
  let count = 0;
  for (const row of await rows.find({ order: { id: 'ASC' } as FindOptionsOrder<Row> })) {
    const changes = reencrypted(row);
    if (changes) {
      const { accountId, id, [column]: stored } = row;
      const unchanged = Raw((name) => `${name} = :stored::jsonb`, { stored: JSON.stringify(stored) });
      await rows.update({ accountId, id, [column]: unchanged } as FindOptionsWhere<Row>, changes);
      count++;
    }
  }
  return count;
}

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
