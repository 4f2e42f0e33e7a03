export type KeyType = 'bigint' | 'integer' | 'text' | 'uuid';

/** A table that can hold an address of a recipient. */
export interface Place {
  table: string;
  /** The columns after the account that order its rows; the last ones of an index that begins with the account. */
  key: Readonly<Record<string, KeyType>>;
  /** SQL for the address of the person whom a row is about: a column, unless it is in a text. */
  address?: string;
  /** Columns whose texts may quote addresses, also those of others. */
  texts?: readonly string[];
  /** How the rows of an address are found: by an index, by the id of the contact, or by reading all rows of the account. */
  find: 'address' | 'contact' | 'scan' | 'file';
  /** Other columns of texts, which hold no address of a recipient. */
  others?: readonly string[];
  /** Where the rows come from, for the recipient. */
  origin: string;
  /** How long they are kept, for the recipient. */
  kept: string;
}
