import type { EmailAddress } from '../email-address/email-address.js';
import { delimitValues, undelimitValues } from './delimited-rows.js';
import type { SqlTimestamp } from './iso-timestamp.js';

type Type = 'bigint' | 'boolean' | 'integer' | 'smallint' | 'text' | 'timestamptz' | 'uuid' | (string & {});

interface Delimited<Of extends Type> {
  delimited: Of;
}

/** A column without nulls and free text that is sent as one text, which is faster for many rows: see `delimitValues`. */
export function delimited<Of extends Type>(type: Of): Delimited<Of> {
  return { delimited: type };
}

type Columns = Readonly<Record<string, Type | Delimited<Type>>>;

type ValueOf<Column> =
  Column extends Delimited<infer Of>
    ? Of extends 'text'
      ? EmailAddress
      : Of extends 'timestamptz'
        ? Date | SqlTimestamp
        : string
    : Column extends 'timestamptz'
      ? Date | SqlTimestamp | null
      : Column extends 'boolean'
        ? boolean | null
        : Column extends 'bigint' | 'integer' | 'smallint'
          ? number | string | null
          : string | null;

interface TableOptions {
  /** Adds the column `number`, which counts the rows from 1. */
  isNumbered?: boolean;
  /** See {@link hideLength}. */
  hidesLength?: boolean;
}

/**
 * Rows as parameters of a prepared statement, an array for each column. The statement refers to the columns by name, in snake
 * case, so their order does not matter.
 */
export class RowSet<const Names extends Columns> {
  private readonly columns: [name: keyof Names & string, column: Type | Delimited<Type>][];

  /**
   * @param first - the number of its first parameter; it has as many as there are columns
   * @param columns - their types in PostgreSQL, by the names of the properties of a row
   */
  constructor(
    private readonly first: number,
    columns: Names,
  ) {
    this.columns = Object.entries(columns);
  }

  /** The number of the first parameter after those of the rows. */
  get next(): number {
    return this.first + this.columns.length;
  }

  /** The names of the columns in SQL. */
  get names(): string {
    return this.columns.map(([name]) => toSnakeCase(name)).join(', ');
  }

  /** SQL for the rows as a table, for a FROM clause. Texts are compared by their bytes, like the addresses in all tables. */
  as(table: string, { isNumbered = false, hidesLength = false }: TableOptions = {}): string {
    const arrays = this.columns.map(([, column], index) =>
      toArray(column, `$${this.first + index}`, hidesLength),
    );
    return isNumbered
      ? `unnest(${arrays.join(', ')}) WITH ORDINALITY AS ${table} (${this.names}, number)`
      : `unnest(${arrays.join(', ')}) AS ${table} (${this.names})`;
  }

  /** The parameters: null for a column that has only nulls, which `unnest` fills in. */
  values(rows: readonly { [Name in keyof Names]: ValueOf<Names[Name]> }[]): unknown[] {
    return this.columns.map(([name, column]) => {
      const values = rows.map((row) => row[name] as Date | string | null);
      if (typeof column === 'object') {
        return delimitValues(values as (Date | SqlTimestamp)[]);
      }
      if (!values.some((value) => value !== null)) {
        return null;
      }
      return column === 'timestamptz' ? values.map(toIso) : values;
    });
  }
}

function toArray(column: Type | Delimited<Type>, parameter: string, hidesLength: boolean): string {
  const type = typeof column === 'object' ? column.delimited : column;
  const array = typeof column === 'object' ? undelimitValues(parameter) : parameter;
  const typed = hidesLength ? hideLength(`${array}::${type}[]`, type) : `${array}::${type}[]`;
  return type === 'text' ? `${typed} COLLATE "C"` : typed;
}

/** `pg` writes the date in the local time zone, which takes longer. */
function toIso(value: Date | string | null): string | null {
  return value instanceof Date ? value.toISOString() : value;
}

export function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * SQL for an array whose length is hidden from the planner. Otherwise, to find hundreds of values in a table without
 * statistics, PostgreSQL 15 would read all rows of the account.
 */
export function hideLength(array: string, type: string): string {
  return `(SELECT ${array})::${type}[]`;
}

/** Building the parameters of one statement for more rows would block the event loop for too long. */
const ROWS_PER_STATEMENT = 2_000;

export function* chunksOf<Row>(rows: Row[]): Iterable<Row[]> {
  for (let first = 0; first < rows.length; first += ROWS_PER_STATEMENT) {
    yield rows.slice(first, first + ROWS_PER_STATEMENT);
  }
}
