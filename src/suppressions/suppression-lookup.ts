import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import DataLoader from 'dataloader';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { SuppressionRef } from './suppression-ref.js';
import type { Suppression } from './suppression.entity.js';

const MAX_BATCH_SIZE = 100;

const COLUMNS = `account_id AS "accountId", id, email, cause, source_id AS "sourceId", created_at AS "createdAt"`;

const FIND_BY_EMAILS = new PreparedStatement<Suppression>(
  'find-suppressions-by-emails',
  `SELECT ${COLUMNS} FROM suppressions WHERE account_id = $1 AND email = ANY ($2)`,
);

const FIND_BY_IDS = new PreparedStatement<Suppression>(
  'find-suppressions-by-ids',
  `SELECT ${COLUMNS} FROM suppressions WHERE account_id = $1 AND id = ANY ($2)`,
);

/** The lookups of an account that wait to be gathered. */
interface Loaders {
  byEmail: DataLoader<EmailAddress, Suppression | null>;
  byId: DataLoader<string, Suppression | null>;
}

/**
 * Finds records. Lookups of the same moment are gathered into one statement, account by account: none waits for another
 * account's, and none is answered from memory.
 */
@Injectable()
export class SuppressionLookup {
  private readonly loaders = new Map<number, Loaders>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  find(accountId: number, ref: SuppressionRef): Promise<Suppression | null> {
    const { byEmail, byId } = this.loadersOf(accountId);
    return 'email' in ref ? byEmail.load(ref.email) : byId.load(ref.id);
  }

  findAll(accountId: number, emails: EmailAddress[]): Promise<Suppression[]> {
    return FIND_BY_EMAILS.run(this.dataSource, [accountId, emails]);
  }

  private loadersOf(accountId: number): Loaders {
    let loaders = this.loaders.get(accountId);
    if (!loaders) {
      loaders = {
        byEmail: gather((emails) => FIND_BY_EMAILS.run(this.dataSource, [accountId, emails]), 'email'),
        byId: gather((ids) => FIND_BY_IDS.run(this.dataSource, [accountId, ids]), 'id'),
      };
      this.loaders.set(accountId, loaders);
    }
    return loaders;
  }
}

/** Gathers what arrives in one turn of the event loop: requests of the same moment come in several callbacks of it. */
function gather<Key extends string>(
  find: (keys: readonly Key[]) => Promise<Suppression[]>,
  field: 'id' | 'email',
): DataLoader<Key, Suppression | null> {
  const findInOrder = async (keys: readonly Key[]) => {
    const found = new Map(
      (await find(keys)).map((suppression) => [suppression[field] as string, suppression]),
    );
    return keys.map((key) => found.get(key) ?? null);
  };
  return new DataLoader(findInOrder, {
    cache: false,
    maxBatchSize: MAX_BATCH_SIZE,
    batchScheduleFn: (dispatch) => setImmediate(dispatch),
  });
}
