import type { EmailAddress } from '../email-address/email-address.js';
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

/** `Map.groupBy`, which Node 20 does not have. Groups and their elements keep their order. */
export function groupBy<Key, Value>(values: Value[], keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) {
      group.push(value);
    } else {
      groups.set(key, [value]);
    }
  }
  return groups;
}

/**
 * Passes many values to and from PostgreSQL as one text. For many rows, this is faster than `pg`, which creates a string for
 * each value and an object for each row, and quotes arrays value by value.
 *
 * Free text may contain the separators, so it is excluded by its type, or escaped.
 */
const BETWEEN = '\t';
const BETWEEN_IN_SQL = `E'\\t'`;
const END = '\n';
const END_IN_SQL = `E'\\t\\n\\t'`;

/** Rejects the type `string`; accepts addresses, UUIDs, words of an enum, and dates. */
type Delimitable<Value> = string extends Value ? never : Value;

/** Creates a parameter for {@link undelimitValues}. */
export function delimitValues<Value extends string | Date>(values: Delimitable<Value>[]): string {
  return values.map((value) => (value instanceof Date ? value.toISOString() : value)).join(BETWEEN);
}

/** SQL for the array of values in a parameter. */
export function undelimitValues(parameter: string): string {
  return `string_to_array(${parameter}, ${BETWEEN_IN_SQL})`;
}

/** The result of a statement that selects {@link delimitRows}. */
export interface DelimitedRows {
  delimited: string | null;
}

/**
 * SQL that joins rows, in their order.
 *
 * @param columns - SQL for addresses, UUIDs, enums or timestamps, never null; or {@link delimitText}
 */
export function delimitRows(columns: string[]): string {
  return `string_agg(concat_ws(${[BETWEEN_IN_SQL, ...columns].join(', ')}), ${END_IN_SQL}) AS delimited`;
}

/**
 * @param columns - as given to {@link delimitRows}
 * @param toRow - creates a row from the values that begin at `first`, in the order of the columns
 * @throws when a row has another number of values, because one was null or contained a separator
 */
export function undelimitRows<Row>(
  [result]: DelimitedRows[],
  columns: string[],
  toRow: (values: string[], first: number) => Row,
): Row[] {
  const values = result?.delimited?.split(BETWEEN) ?? [];
  const rows: Row[] = [];
  for (let first = 0; first < values.length; first += columns.length + 1) {
    const end = first + columns.length;
    if (values[end] !== END && end !== values.length) {
      throw new Error(`The rows of ${columns.join(', ')} cannot be told apart.`);
    }
    rows.push(toRow(values, first));
  }
  return rows;
}

/** SQL for free text in {@link delimitRows}. Backslashes and tabs are escaped, which takes half as long as JSON. */
export function delimitText(column: string): string {
  return String.raw`replace(replace(${column}, '\', '\\'), ${BETWEEN_IN_SQL}, '\t')`;
}

export function undelimitText(value: string): string {
  return value.includes('\\')
    ? value.replaceAll(/\\(.)/g, (_, escaped) => (escaped === 't' ? BETWEEN : escaped))
    : value;
}
