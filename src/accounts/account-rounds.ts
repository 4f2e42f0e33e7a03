import type { DataSource } from 'typeorm';

/** The accounts that a pass visits: their ids are greater than `after`, and at most `last`. */
export interface AccountRange {
  after: number;
  last: number;
}

const HIGHEST_ID = 2_147_483_647;

/** Visits all accounts in rounds, so that a pass costs no more if there are a million of them. */
export class AccountRounds {
  private after = 0;

  /** @param accountsPerPass - if there are fewer, each pass visits all of them */
  constructor(
    private readonly dataSource: DataSource,
    private readonly accountsPerPass: number,
    private readonly ids: 'accounts.id' | 'webhooks.account_id' = 'accounts.id',
  ) {}

  async next(): Promise<AccountRange> {
    const { after, accountsPerPass } = this;
    const [table, id] = this.ids.split('.');
    const [{ last, accounts }] = (await this.dataSource.query(
      `SELECT max(id) AS last, count(*)::integer AS accounts
      FROM (SELECT ${id} AS id FROM ${table} WHERE ${id} > $1 ORDER BY ${id} LIMIT ${accountsPerPass}) AS next`,
      [after],
    )) as [{ last: number | null; accounts: number }];
    const isEnd = accounts < accountsPerPass;
    this.after = isEnd ? 0 : last!;
    return { after, last: isEnd ? HIGHEST_ID : last! };
  }
}

export function isWholeRound({ after, last }: AccountRange): boolean {
  return after === 0 && last === HIGHEST_ID;
}
