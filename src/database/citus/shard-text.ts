import { TABLES } from './tables.js';

const NAME = `("?)(${Object.keys(TABLES).join('|')})\\3(?![\\w".])`;
/** The words that may follow the name of a table without an alias. */
const NO_ALIAS =
  'WHERE|SET|USING|JOIN|LEFT|RIGHT|INNER|FULL|CROSS|ON|ORDER|GROUP|HAVING|LIMIT|OFFSET|FOR|FROM|RETURNING|VALUES|SELECT|DEFAULT|UNION|EXCEPT|INTERSECT|WITH|INTO';
const TABLE = new RegExp(
  `\\b(FROM|JOIN|INTO|UPDATE|USING)(\\s+)${NAME}(?=(\\s+(?:AS\\b|"|(?!(?:${NO_ALIAS})\\b)[a-z_]+\\b))?)`,
  'gi',
);
const WRITTEN = /\b(?:INTO|UPDATE|DELETE\s+FROM)\s+"?(\w+)/gi;

/** The tables that a statement names. */
export function tablesIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(TABLE), ([, , , , table]) => table!))];
}

/** The tables that a statement may change. */
export function tablesChangedBy(text: string): string[] {
  return Array.from(text.matchAll(WRITTEN), ([, table]) => table!).filter((table) => table in TABLES);
}

/** The names of the shards of one bucket. */
export class ShardNames {
  private readonly texts = new Map<string, string>();

  constructor(private readonly byTable: ReadonlyMap<string, string>) {}

  /** Names shards instead of tables. Citus does not plan a statement that names only shards, since they are ordinary tables. */
  insertInto(text: string): string {
    let named = this.texts.get(text);
    if (named === undefined) {
      named = text.replaceAll(TABLE, (match, keyword, space, quote, table, alias?: string) => {
        const shard = this.byTable.get(table);
        const as = alias === undefined ? ` AS ${quote}${table}${quote}` : '';
        return shard === undefined ? match : `${keyword}${space}${quote}${shard}${quote}${as}`;
      });
      this.texts.set(text, named);
    }
    return named;
  }
}
