import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Cause } from './cause.js';
import type { SuppressionRef } from './suppression-ref.js';
import { Suppression } from './suppression.entity.js';

/** A record to add, if its address is not suppressed yet. */
export interface NewSuppression {
  id: string;
  email: EmailAddress;
  createdAt: Date;
}

@Injectable()
export class SuppressionsRepository {
  constructor(@InjectRepository(Suppression) private readonly suppressions: Repository<Suppression>) {}

  find(accountId: number, ref: SuppressionRef): Promise<Suppression | null> {
    return this.suppressions.findOneBy({ accountId, ...ref });
  }

  /**
   * Adds what is not there yet and leaves alone what is. The inserts run in the order of the addresses, so that two
   * batches never wait for each other. What another transaction added meanwhile is in neither half of the answer.
   *
   * @returns the id of each address that this statement added or saw
   */
  addOrFind(
    accountId: number,
    cause: Cause,
    added: NewSuppression[],
  ): Promise<{ id: string; email: EmailAddress }[]> {
    return this.suppressions.query(
      `WITH asked AS (
         SELECT * FROM unnest($3::uuid[], $4::text[] COLLATE "C", $5::timestamptz[]) AS asked (id, email, created_at)
       ),
       present AS (
         SELECT id, email
         FROM suppressions
         WHERE account_id = $1 AND email = ANY ($4::text[])
       ),
       added AS (
         INSERT INTO suppressions (account_id, id, email, cause, created_at)
         SELECT $1, id, email, $2, created_at
         FROM asked
         WHERE email NOT IN (SELECT email FROM present)
         ORDER BY email
         ON CONFLICT (account_id, email) DO NOTHING
         RETURNING id, email
       )
       SELECT id, email FROM present
       UNION ALL
       SELECT id, email FROM added`,
      [
        accountId,
        cause,
        added.map(({ id }) => id),
        added.map(({ email }) => email),
        added.map(({ createdAt }) => createdAt),
      ],
    );
  }
}
