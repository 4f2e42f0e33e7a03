import { LOWEST_ID } from '../../validation/parsers.js';

export type KeyType = 'bigint' | 'integer' | 'text' | 'uuid';

/** A table that can hold an address of a recipient. */
export interface Place {
  table: string;
  /** The columns that order its rows. They are the last columns of an index that begins with the account. */
  key: Readonly<Record<string, KeyType>>;
  /** SQL for the address of the person whom a row is about: a column, unless it is in a text. */
  address?: string;
  /** Columns whose texts may quote addresses, including those of others. */
  texts?: readonly string[];
  /** How the rows of an address are found: by an index, by the id of the contact, or by reading all rows of the account. */
  find: 'address' | 'contact' | 'scan' | 'file';
  /** Other columns of texts, which hold no address of a recipient. */
  others?: readonly string[];
  /** Where the rows come from, for the recipient. */
  origin: string;
  /** How long they are kept, for the recipient. */
  kept: string;
  /**
   * What an erasure does with the rows. `state`: the first step deletes them. `rewrite`: replaces the address, also in texts.
   * `quotations`: the first step deletes the rows about the address; rows that quote it are rewritten. `ledger`: like
   * `rewrite`, but by the ledger's function. `delete`: deletes the rows about the address and those whose key quotes it, and
   * rewrites other rows that quote it. `wait`: waits until the rows are gone. `keep`: nothing.
   */
  erasure: 'state' | 'rewrite' | 'quotations' | 'ledger' | 'delete' | 'wait' | 'keep';
  /** Whether an erasure that keeps the block rewrites the rows that a complete erasure deletes. */
  isKeptWithBlock?: true;
}

/** Values below those of any row. */
const FIRST_KEYS: Readonly<Record<KeyType, string | number>> = {
  bigint: -1,
  integer: -1,
  text: '',
  uuid: LOWEST_ID,
};

/** A key before that of the first row. */
export function firstKeyOf({ key }: Place): (string | number)[] {
  return Object.values(key).map((type) => FIRST_KEYS[type]);
}

/**
 * SQL that reads rows page by page in the order of their key.
 *
 * @param parameter - the number of the first parameter for the key of the last row of the previous page
 */
export function pagesBy(key: Place['key'], parameter: number) {
  const columns = Object.entries(key).map(([column, type]) => (type === 'text' ? `${column}::text` : column));
  const after = Object.values(key).map((type, index) => `$${index + parameter}::${type}`);
  const order = columns.join(', ');
  return {
    isAfter: `(${order}) > (${after.join(', ')})`,
    order,
    /** The key of the last row as JSON; null if there are no rows. */
    lastOf: (rows: string) => `(
        SELECT jsonb_build_array(${order})
        FROM ${rows}
        ORDER BY ${columns.map((name) => `${name} DESC`).join(', ')}
        LIMIT 1
      )`,
  };
}
