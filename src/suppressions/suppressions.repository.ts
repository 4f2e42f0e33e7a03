import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  delimitRows,
  delimitValues,
  undelimitRows,
  undelimitValues,
  type DelimitedRows,
} from '../database/delimited-rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Actor } from '../ledger/actor.js';
import { newSuppression } from './suppression-id.js';
import type { Suppression } from './suppression.entity.js';

/** Who changes something, and what they say about it. */
export interface Occasion {
  actor: Actor;
  note: string | null;
}

/** What names a record. */
export type NamedSuppression = Pick<Suppression, 'id' | 'email'>;

/** What was added, or took a stronger cause. */
export interface ChangedSuppression {
  id: string;
  email: EmailAddress;
  action: 'added' | 'strengthened';
}

const NAME_COLUMNS = ['id', 'email'];

const FIND_AS_STRONG = new PreparedStatement<DelimitedRows>(
  'find-suppressions-as-strong',
  `SELECT ${delimitRows(NAME_COLUMNS)}
  FROM suppressions
  WHERE account_id = $1 AND email = ANY (${undelimitValues('$2')}) AND cause >= 'manual'`,
);

const ADD_OR_STRENGTHEN = new PreparedStatement<ChangedSuppression>(
  'add-or-strengthen-suppressions',
  `WITH changed AS (
    INSERT INTO suppressions (account_id, id, email, cause, created_at)
    SELECT $1, id, email, 'manual', created_at
    FROM unnest($2::uuid[], $3::text[] COLLATE "C", $4::timestamptz[]) AS asked (id, email, created_at)
    ORDER BY email
    ON CONFLICT (account_id, email) DO UPDATE
    SET cause = excluded.cause, email_id = excluded.email_id
    WHERE suppressions.cause < excluded.cause
    RETURNING id, email, CASE WHEN id = ANY ($2) THEN 'added' ELSE 'strengthened' END AS action
  ),
  logged AS (
    INSERT INTO suppression_changes
      (account_id, action, suppression_id, email, cause, actor_type, actor_id, actor_name, note)
    SELECT $1, action::suppression_action, id, email, 'manual', $5, $6, $7, $8
    FROM changed
  )
  SELECT id, email, action FROM changed`,
);

const REMOVE_BY_EMAILS = createRemoval('remove-suppressions-by-emails', 'email = ANY ($2)');
const REMOVE_BY_IDS = createRemoval('remove-suppressions-by-ids', 'id = ANY ($2)');

@Injectable()
export class SuppressionsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The records that adding by hand would leave as they are. */
  async findAsStrong(accountId: number, emails: EmailAddress[]): Promise<NamedSuppression[]> {
    const answer = await FIND_AS_STRONG.run(this.dataSource, [accountId, delimitValues(emails)]);
    return undelimitRows(answer, NAME_COLUMNS, (values, first) => ({
      id: values[first]!,
      email: values[first + 1] as EmailAddress,
    }));
  }

  /**
   * Adds by hand what is not there yet; a record with a weaker cause becomes a manual one and keeps its id. All else is
   * left as it is, and not in the answer. The locks are taken in the order of the addresses.
   *
   * @param emails - each once
   */
  addOrStrengthen(
    accountId: number,
    { actor, note }: Occasion,
    emails: EmailAddress[],
    deadline: number,
  ): Promise<ChangedSuppression[]> {
    const records = emails.map((email) => newSuppression(email));
    return ADD_OR_STRENGTHEN.write(this.dataSource, deadline, [
      accountId,
      records.map(({ id }) => id),
      emails,
      records.map(({ createdAt }) => createdAt),
      actor.type,
      actor.id,
      actor.name,
      note,
    ]);
  }

  /** Removes what is there, with a line in the ledger for each. The locks are taken in the order of the addresses. */
  removeByEmails(
    accountId: number,
    { actor, note }: Occasion,
    emails: EmailAddress[],
    deadline: number,
  ): Promise<NamedSuppression[]> {
    return REMOVE_BY_EMAILS.write(this.dataSource, deadline, [
      accountId,
      emails,
      actor.type,
      actor.id,
      actor.name,
      note,
    ]);
  }

  /** Like {@link removeByEmails}, by the ids. */
  removeByIds(
    accountId: number,
    { actor, note }: Occasion,
    ids: string[],
    deadline: number,
  ): Promise<NamedSuppression[]> {
    return REMOVE_BY_IDS.write(this.dataSource, deadline, [
      accountId,
      ids,
      actor.type,
      actor.id,
      actor.name,
      note,
    ]);
  }
}

function createRemoval(name: string, condition: string): PreparedStatement<NamedSuppression> {
  return new PreparedStatement(
    name,
    `WITH doomed AS (
    SELECT id
    FROM suppressions
    WHERE account_id = $1 AND ${condition}
    ORDER BY email
    FOR UPDATE
  ),
  removed AS (
    DELETE FROM suppressions
    USING doomed
    WHERE suppressions.account_id = $1 AND suppressions.id = doomed.id
    RETURNING suppressions.id, suppressions.email, suppressions.cause, suppressions.email_id
  ),
  logged AS (
    INSERT INTO suppression_changes
      (account_id, action, suppression_id, email, cause, email_id, actor_type, actor_id, actor_name, note)
    SELECT $1, 'removed', id, email, cause, email_id, $3, $4, $5, $6
    FROM removed
  )
  SELECT id, email FROM removed`,
  );
}
