import { PreparedStatement } from '../../database/prepared-statement.js';
import { quotes } from '../../email-address/quoted-address.js';
import { MAX_NOTE_LENGTH } from '../../ledger/evidence.js';
import { pagesBy, type Place } from '../data/place.js';
import { PLACES } from '../data/places.js';
import { isTwin, UNIQUE_TEXTS, uniqueText } from './unique-texts.js';

/** Reading and rewriting this many rows takes a fraction of the statement timeout. */
const CHUNK_SIZE = 500;
const JSON_COLUMNS = [
  'applied_by',
  'attempts',
  'checkpoint',
  'consent',
  'error',
  'evidence',
  'largest',
  'plan',
  'query',
];

export interface Rewritten {
  /** How many rows were changed. */
  count: number;
  /** The key of the last row that was read; null after the last one. */
  last: (string | number)[] | null;
}

export interface Rewrite {
  place: Place;
  /**
   * Its parameters: the account, the address, the parameters of {@link quotes}, the replacement, `Progress.before`, and the key
   * after which it begins.
   */
  statement: PreparedStatement<Rewritten & Record<string, unknown>>;
}

/**
 * Rows that are newer than the first step are not rewritten: with the replacement in them, their ids would link it to the
 * address. A line or an event that was being written during the first step stays if its record is new.
 */
const IS_OF_THE_PAST: Readonly<Record<string, string>> = {
  suppression_changes: `
    AND NOT EXISTS (
      SELECT FROM suppressions AS present
      WHERE present.account_id = $1 AND present.email = $2 AND present.id = chunk.suppression_id
    )`,
  delivery_events: `
    AND NOT EXISTS (
      SELECT FROM suppression_changes AS present
      WHERE present.account_id = $1 AND present.email = $2
        AND (present.event_id = chunk.id OR present.suppression_id = chunk.suppression_id)
    )
    OR EXISTS (
      SELECT FROM suppression_changes AS erased
      WHERE erased.account_id = $1 AND erased.email = $6
        AND (erased.event_id = chunk.id OR erased.suppression_id = chunk.suppression_id)
    )`,
};

/** The rewrites that follow the first step, in order. */
export const REWRITES: readonly Rewrite[] = PLACES.filter(({ erasure }) =>
  ['rewrite', 'quotations', 'ledger', 'delete'].includes(erasure),
).map((place) => ({ place, statement: statementFor(place, 'erase-from') }));

/** The rewrites of an erasure that keeps the block. */
export const REWRITES_WITH_BLOCK: readonly Rewrite[] = REWRITES.map(({ place, statement }) => {
  const kept: Place = place.isKeptWithBlock ? { ...place, erasure: 'rewrite' } : place;
  return { place, statement: kept === place ? statement : statementFor(kept, 'pseudonymize-in') };
});

function statementFor(place: Place, verb: string): Rewrite['statement'] {
  return new PreparedStatement(`${verb}-${place.table.replaceAll('_', '-')}`, rewriteSql(place));
}

function rewriteSql(place: Place): string {
  const { table, key, address, texts = [] } = place;
  const names = Object.keys(key);
  const { isAfter, order, lastOf } = pagesBy(key, 8);
  const isOwn =
    place.erasure !== 'quotations' && address !== undefined && isColumn(address)
      ? `${address} = $2::text`
      : '$2::text IS NULL';
  const age = 'id' in key ? 'id' : names[0]!;
  const isPast = place.erasure === 'delete' ? 'true' : `${age} < $7::uuid${IS_OF_THE_PAST[table] ?? ''}`;
  const mayQuote = texts.length > 0 ? quotes('searched', 3) : 'false';
  const quoting = texts.filter((column) => names.includes(column));
  const keyQuotes = quoting.length > 0 ? quoting.map((column) => `${column} ~ $3`).join(' OR ') : 'false';
  const unique = UNIQUE_TEXTS[table];
  const twin = unique ? `, ${isTwin(unique, '$3', '$6')} AS is_twin` : '';
  return `
    WITH chunk AS MATERIALIZED (
      SELECT *
      FROM ${table}
      WHERE account_id = $1 AND ${isAfter}
      ORDER BY ${order}
      LIMIT ${CHUNK_SIZE}
    ),
    found AS MATERIALIZED (
      SELECT ${names.join(', ')}, ${isOwn} OR ${keyQuotes} AS is_deleted${twin}
      FROM chunk
      CROSS JOIN LATERAL (SELECT concat_ws(${["E'\\n', NULL", ...texts].join(', ')}) AS searched) AS texts
      WHERE (${isOwn} OR ${mayQuote}) AND (${isPast})
    ),
    ${changeSql(place)}
    SELECT
      (SELECT count FROM changed) AS count,
      ${lastOf('chunk')} AS last
    WHERE num_nulls($2::text, $3::text, $4::text, $5::text, $6::text, $7::uuid) = 0`;
}

/** SQL that changes the rows in `found`. Its last table, `changed`, has their number. */
function changeSql({ table, key, address, texts = [], erasure }: Place): string {
  if (erasure === 'ledger') {
    return 'changed AS (SELECT erase_from_ledger($1, ARRAY(SELECT id FROM found), $2, $3, $6) AS count)';
  }
  const isFound = Object.keys(key)
    .map((column) => `${table}.${column} = found.${column}`)
    .join(' AND ');
  const where = `${table}.account_id = $1 AND ${isFound}`;
  const own = erasure === 'rewrite' ? address : undefined;
  if (erasure !== 'delete') {
    const set = assignments(table, own, texts).join(', ');
    return `
      rewritten AS (UPDATE ${table} SET ${set} FROM found WHERE ${where} RETURNING 1),
      changed AS (SELECT count(*)::integer AS count FROM rewritten)`;
  }
  const rest = assignments(
    table,
    undefined,
    texts.filter((column) => !(column in key)),
  ).join(', ');
  return `
    deleted AS (DELETE FROM ${table} USING found WHERE ${where} AND is_deleted RETURNING 1),
    rewritten AS (
      ${rest === '' ? 'SELECT WHERE false' : `UPDATE ${table} SET ${rest} FROM found WHERE ${where} AND NOT is_deleted RETURNING 1`}
    ),
    changed AS (
      SELECT ((SELECT count(*) FROM deleted) + (SELECT count(*) FROM rewritten))::integer AS count
    )`;
}

function assignments(table: string, address: string | undefined, texts: readonly string[]): string[] {
  const ofTexts = texts.map((column) => `${column} = ${replaced(table, column)}`);
  return address !== undefined && isColumn(address)
    ? [`${address} = CASE WHEN ${table}.${address} = $2 THEN $6 ELSE ${table}.${address} END`, ...ofTexts]
    : ofTexts;
}

function replaced(table: string, column: string): string {
  const value = `${table}.${column}`;
  if (column === 'applied_by') {
    const evidence = `(${value} -> 'evidence')::text`;
    return `coalesce(jsonb_set(${value}, '{evidence}', regexp_replace(${evidence}, $3, $6, 'g')::jsonb), ${value})`;
  }
  if (JSON_COLUMNS.includes(column)) {
    return `regexp_replace(${value}::text, $3, $6, 'g')::jsonb`;
  }
  if (UNIQUE_TEXTS[table]?.column === column) {
    return uniqueText(table, 'found', '$3', '$6');
  }
  const text = `regexp_replace(${value}, $3, $6, 'g')`;
  return column === 'note' ? `left(${text}, ${MAX_NOTE_LENGTH})` : text;
}

function isColumn(address: string): boolean {
  return /^\w+$/.test(address);
}
