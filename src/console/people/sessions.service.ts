import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository, type EntityManager } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import { transactionBefore } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { ConsoleSession } from './console-session.entity.js';
import { SignInLinkError } from './errors.js';
import { Person } from './person.entity.js';
import type { Role } from './roles.js';
import { createToken, hashOf, isToken } from './token.js';

const MINUTE_MS = 60_000;

/** How long after a sign-in keys, secrets and people can be changed. */
export const FRESH_MS = 10 * MINUTE_MS;

/** A person who is signed in, and the account whose console it is. */
export interface Visitor {
  accountId: number;
  accountName: string;
  isAdmitted: boolean;
  personId: string;
  email: EmailAddress;
  role: Role;
  signedInAt: Date;
}

/** A session ends 12 hours after its last use, and 7 days after the sign-in. */
const FIND = `
  SELECT accounts.id                           AS "accountId",
         accounts.name                         AS "accountName",
         accounts.beta_admitted_at IS NOT NULL AS "isAdmitted",
         people.id                             AS "personId",
         people.email                          AS "email",
         people.role                           AS "role",
         console_sessions.signed_in_at         AS "signedInAt",
         console_sessions.last_seen_at         AS "lastSeenAt"
  FROM console_sessions
  JOIN people ON people.account_id = console_sessions.account_id AND people.id = console_sessions.person_id
  JOIN accounts ON accounts.id = console_sessions.account_id
  WHERE token_hash = $1
    AND last_seen_at > now() - interval '12 hours'
    AND signed_in_at > now() - interval '7 days'`;

const DELETE_ENDED = `
  DELETE FROM console_sessions
  WHERE account_id = $1
    AND person_id = $2
    AND (last_seen_at <= now() - interval '12 hours' OR signed_in_at <= now() - interval '7 days')`;

/** Signs people in and out. */
@Injectable()
export class SessionsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(ConsoleSession) private readonly sessions: Repository<ConsoleSession>,
  ) {}

  /**
   * Signs in with the token of a link, which works once. A link that starts no session keeps working.
   *
   * @returns the token of the session
   * @throws {SignInLinkError}
   * @throws {DeadlineExceededError}
   */
  useLink(token: string, deadline: number): Promise<string> {
    return transactionBefore(this.dataSource, deadline, async (transaction) => {
      const [[link]] = isToken(token)
        ? await transaction.query<[{ accountId: number; id: string }[], number]>(
            `DELETE FROM sign_in_links WHERE token_hash = $1 AND expires_at > now()
            RETURNING account_id AS "accountId", person_id AS "id"`,
            [hashOf(token)],
          )
        : [[]];
      if (!link) {
        throw new SignInLinkError();
      }
      return this.start(await transaction.findOneByOrFail(Person, link), transaction);
    });
  }

  /** @returns the token of a new session */
  async start({ accountId, id, email }: Person, transaction: EntityManager): Promise<string> {
    const token = createToken();
    const actor = { type: 'person', id, name: email } as const;
    await transaction.query(DELETE_ENDED, [accountId, id]);
    await transaction.insert(ConsoleSession, { tokenHash: hashOf(token), accountId, personId: id });
    await recordAudit(transaction, accountId, actor, 'person.signed_in', actor);
    return token;
  }

  async find(token: string): Promise<Visitor | null> {
    const [found] = isToken(token)
      ? await this.dataSource.query<(Visitor & { lastSeenAt: Date })[]>(FIND, [hashOf(token)])
      : [];
    if (!found) {
      return null;
    }
    const { lastSeenAt, ...visitor } = found;
    if (lastSeenAt.getTime() < Date.now() - MINUTE_MS) {
      await this.sessions.update({ tokenHash: hashOf(token) }, { lastSeenAt: new Date() });
    }
    return visitor;
  }

  /** Signs out the browser that has the token, if it has one. */
  async end(token: string | undefined, deadline: number): Promise<void> {
    if (token !== undefined) {
      await transactionBefore(this.dataSource, deadline, (transaction) =>
        transaction.delete(ConsoleSession, { tokenHash: hashOf(token) }),
      );
    }
  }
}
