import { Injectable } from '@nestjs/common';
import type { FindOptionsOrder, ObjectLiteral, Repository } from 'typeorm';

interface Kind {
  find: () => Promise<unknown[]>;
  decrypt: (row: unknown) => unknown;
}

/** Samples of what the database stores encrypted with SECRETS_KEY. */
@Injectable()
export class StoredSecrets {
  private readonly kinds = new Map<string, Kind>();

  /**
   * For constructors.
   *
   * @param kind - in the plural, such as `webhooks`
   * @param find - reads some rows; see {@link firstAndLast}
   * @param decrypt - throws if a row cannot be decrypted
   */
  add<Row>(kind: string, find: () => Promise<Row[]>, decrypt: (row: Row) => unknown): void {
    this.kinds.set(kind, { find, decrypt: decrypt as Kind['decrypt'] });
  }

  /** Whether the samples of each kind can be decrypted. */
  async areReadable(): Promise<Map<string, boolean>> {
    const readable = new Map<string, boolean>();
    for (const [kind, { find, decrypt }] of this.kinds) {
      const rows = await find();
      readable.set(
        kind,
        rows.every((row) => succeeds(() => decrypt(row))),
      );
    }
    return readable;
  }
}

/** The first and the last row, which differ in their key if only a part was encrypted with another one. */
export async function firstAndLast<Row extends ObjectLiteral>(
  rows: Repository<Row>,
  ...columns: (keyof Row)[]
): Promise<Row[]> {
  const ends = (['ASC', 'DESC'] as const).map((direction) => {
    const order = Object.fromEntries(columns.map((column) => [column, direction]));
    return rows.find({ order: order as FindOptionsOrder<Row>, take: 1 });
  });
  return (await Promise.all(ends)).flat();
}

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
