interface UniqueText {
  column: string;
  /** The other columns of the unique key, within an account. */
  within: readonly string[];
  maxLength?: number;
}

/** Unique texts that may quote an address, by table. */
export const UNIQUE_TEXTS: Readonly<Record<string, UniqueText>> = {
  delivery_events: { column: 'key', within: ['source_id'], maxLength: 200 },
  imports: { column: 'idempotency_key', within: [] },
};

/** SQL: whether a row with a lower id gets the same text, as two spellings of an address can. */
export function isTwin({ column, within, maxLength }: UniqueText, quoted: string, name: string): string {
  const same = [...within, renamed(column, quoted, name, maxLength)].join(', ');
  return `row_number() OVER (PARTITION BY ${same} ORDER BY id) > 1`;
}

/**
 * SQL for a text with a name in place of the address. A repetition, whose address is replaced on arrival, gets the same text.
 * If another row already has this text, it is made unique.
 *
 * @param twins - a relation joined with the row, in which `is_twin` is {@link isTwin}
 */
export function uniqueText(table: string, twins: string, quoted: string, name: string): string {
  const { column, within, maxLength } = UNIQUE_TEXTS[table]!;
  const value = `${table}.${column}`;
  const text = renamed(value, quoted, name, maxLength);
  const isSame = within.map((other) => `other.${other} = ${table}.${other} AND `).join('');
  const different = `'erased ' || ${table}.id || ' ' || ${text}`;
  return `CASE
    WHEN NOT ${value} ~ ${quoted} THEN ${value}
    WHEN ${twins}.is_twin
      OR EXISTS (SELECT FROM ${table} AS other WHERE other.account_id = $1 AND ${isSame}other.${column} = ${text})
      THEN ${maxLength ? `left(${different}, ${maxLength})` : different}
    ELSE ${text}
  END`;
}

function renamed(value: string, quoted: string, name: string, maxLength: number | undefined): string {
  const text = `regexp_replace(${value}, ${quoted}, ${name}, 'g')`;
  return maxLength ? `left(${text}, ${maxLength})` : text;
}
