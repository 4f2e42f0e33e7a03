import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { WriteContext } from '../database/transaction.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { RECORD_CAUSES } from '../suppressions/suppression.entity.js';
import { contactIdOf } from '../topics/contact.js';

export interface FoundContact {
  createdAt: Date;
  /** Whether the contact can be found by its id. */
  isRegistered: boolean;
  isUnsubscribed: boolean;
}

/** SQL for the time of the first change of the address `$3`. */
const FIRST_CHANGE = `
  SELECT created_at
  FROM suppression_changes
  WHERE account_id = $1 AND email = $3
  ORDER BY revision
  LIMIT 1`;

/**
 * Every suppression and every choice has a line in the ledger, so an address without a line is known only if it is a contact.
 */
const FIND = new PreparedStatement<FoundContact>(
  'find-contact',
  `SELECT
    coalesce(contact.created_at, line.created_at) AS "createdAt",
    contact.id IS NOT NULL AS "isRegistered",
    EXISTS (
      SELECT FROM suppressions
      WHERE account_id = $1 AND email = $3 AND ${RECORD_CAUSES} & cause_bit('unsubscribe') <> 0
    ) AS "isUnsubscribed"
  FROM (SELECT) AS requested
  LEFT JOIN contacts AS contact ON contact.account_id = $1 AND contact.id = $2
  LEFT JOIN LATERAL (${FIRST_CHANGE}) AS line ON contact.id IS NULL
  WHERE contact.id IS NOT NULL OR line.created_at IS NOT NULL`,
);

const REGISTER = new PreparedStatement<Record<string, never>>(
  'register-contact',
  `INSERT INTO contacts (account_id, id, email, created_at)
  SELECT $1, $2, $3, coalesce((${FIRST_CHANGE}), clock_timestamp())
  ON CONFLICT DO NOTHING`,
);

@Injectable()
export class ContactsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Undefined if nothing is known about the address. */
  async find(accountId: number, email: EmailAddress): Promise<FoundContact | undefined> {
    const [found] = await FIND.run(this.dataSource, [accountId, contactIdOf(accountId, email), email]);
    return found;
  }

  /** Lets callers find the address by its contact id. */
  async register(accountId: number, email: EmailAddress, context: WriteContext): Promise<string> {
    const id = contactIdOf(accountId, email);
    await REGISTER.write(this.dataSource, context, [accountId, id, email]);
    return id;
  }
}
