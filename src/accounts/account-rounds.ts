import type { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';

/** The accounts that a pass visits: their ids are greater than `after`, and at most `last`. */
export interface AccountRange {
  after: number;
  last: number;
}

const HIGHEST_ID = 2_147_483_647;
/** A pass over them takes some tens of milliseconds. */
const ACCOUNTS_PER_PASS = 5_000;

const nextOf = (table: string, id: string) =>
  new PreparedStatement<{ last: number | null; accounts: number }>(
    `find-next-${table}`,
    `SELECT max(id) AS last, count(*)::integer AS accounts
    FROM (SELECT ${id} AS id FROM ${table} WHERE ${id} > $1 ORDER BY ${id} LIMIT $2) AS next`,
  );

const NEXT = { accounts: nextOf('accounts', 'id'), webhooks: nextOf('webhooks', 'account_id') };

/** Visits all accounts in rounds, so that a pass costs the same however many accounts there are. */
export class AccountRounds {
  private after = 0;

  /** @param accountsPerPass - if there are fewer, each pass visits all of them */
  constructor(
    private readonly dataSource: DataSource,
    private readonly accountsPerPass = ACCOUNTS_PER_PASS,
    private readonly table: keyof typeof NEXT = 'accounts',
  ) {}

  async next(): Promise<AccountRange> {
    const { after, accountsPerPass } = this;
    const found = await NEXT[this.table].run(this.dataSource, [after, accountsPerPass]);
    const more = found.filter(({ accounts }) => accounts === accountsPerPass);
    const last = Math.min(HIGHEST_ID, ...more.map((part) => part.last!));
    this.after = more.length > 0 ? last : 0;
    return { after, last };
  }
}

export function isWholeRound({ after, last }: AccountRange): boolean {
  return after === 0 && last === HIGHEST_ID;
}
