import type { EntityManager } from 'typeorm';
import { v4 as uuidv4 } from 'uuid';
import { Account } from './account.entity.js';

/** Tells copies of the rules of an account that they have changed. Versions are random. */
export async function renewRulesVersion(transaction: EntityManager, accountId: number): Promise<void> {
  await transaction.update(Account, { id: accountId }, { rulesVersion: uuidv4() });
}
