import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';

interface Kind {
  sample: PreparedStatement<QueryResultRow>;
  decrypt: (row: unknown) => unknown;
}

/** Samples of what the database stores encrypted with SECRETS_KEY. */
@Injectable()
export class StoredSecrets {
  private readonly kinds = new Map<string, Kind>();

  constructor(private readonly dataSource: DataSource) {}

  /**
   * For constructors.
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
 * The first and the last row of a table that have secrets. They differ in their key if only a part was encrypted with another one.
 *
 * @param columns - what `decrypt` needs
 * @param hasSecrets - SQL
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

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
