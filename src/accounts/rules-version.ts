import type { DataSource, EntityManager } from 'typeorm';
import { NIL, v4 as uuidv4, v5 as uuidv5 } from 'uuid';
import { SpreadPool } from '../database/citus/spread-pool.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { poolOf } from '../database/pool.js';
import { Account } from './account.entity.js';

const FIND_LAST_CHANGE = new PreparedStatement<{ id: string }>(
  'find-last-rule-change',
  'SELECT id FROM rule_changes WHERE account_id = $1 ORDER BY id DESC LIMIT 1',
);

/** Tells copies of the rules of an account that they have changed. Versions are random. */
export async function renewRulesVersion(transaction: EntityManager, accountId: number): Promise<void> {
  await transaction.update(Account, { id: accountId }, { rulesVersion: uuidv4() });
}

/**
 * The version of the rules that copies see. On several servers, it also depends on the last change: the account is on another
 * server, so its new version may be lost although the change was committed.
 */
export async function readRulesVersion(
  dataSource: DataSource,
  { id, rulesVersion }: Account,
): Promise<string | null> {
  if (!(poolOf(dataSource) instanceof SpreadPool)) {
    return rulesVersion;
  }
  const [last] = await FIND_LAST_CHANGE.run(dataSource, [id]);
  return last ? uuidv5(last.id, rulesVersion ?? NIL) : rulesVersion;
}
