import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Raw, Repository, type EntityManager } from 'typeorm';
import { differencesBetween, recordAudit } from '../../audit/record-audit.js';
import { transactionBefore } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { SignInLinkError } from './errors.js';
import { lockPerson } from './person-records.js';
import { ConsoleSession, Person, SESSION_IS_OPEN, SignInLink } from './person.entity.js';
import { includesRole, type Role } from './roles.js';

export type SignInMethod = { method: 'link'; invitedBy: string } | { method: 'identity_provider' };

/** A person who is signed in, and the account whose console it is. */
export interface Visitor {
  accountId: number;
  accountName: string;
  isAdmitted: boolean;
  personId: string;
  email: EmailAddress;
  role: Role;
  /** Whether a page shows controls that change something. The guard of the route decides what is allowed. */
  isEditor: boolean;
  isAdmin: boolean;
  /** Whether the person signed in within the last 10 minutes: only then keys, secrets, people and settings can be changed. */
  isRecent: boolean;
  /** The number of open incidents that nobody has decided. */
  openIncidents: number;
}

interface FoundSession extends Omit<Visitor, 'isEditor' | 'isAdmin' | 'openIncidents'> {
  isLastSeenStale: boolean;
}

const IS_AHEAD = Raw((column) => `${column} > now()`);
const IS_WITHIN_A_MINUTE = Raw((column) => `${column} > now() - interval '1 minute'`);

const FIND = `
  SELECT accounts.id                           AS "accountId",
         accounts.name                         AS "accountName",
         accounts.beta_admitted_at IS NOT NULL AS "isAdmitted",
         people.id                             AS "personId",
         people.email                          AS "email",
         people.role                           AS "role",
         signed_in_at > now() - interval '10 minutes' AS "isRecent",
         last_seen_at < now() - interval '1 minute'   AS "isLastSeenStale"
  FROM console_sessions
  JOIN people ON people.account_id = console_sessions.account_id AND people.id = console_sessions.person_id
  JOIN accounts ON accounts.id = console_sessions.account_id
  WHERE token_hash = $1 AND ${SESSION_IS_OPEN}`;

const COUNT_OPEN_INCIDENTS = `
  SELECT count(*)::integer AS "openIncidents"
  FROM incidents
  WHERE account_id = $1 AND closed_at IS NULL AND decision IS NULL`;

/** Signs people in and out. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(ConsoleSession) private readonly sessions: Repository<ConsoleSession>,
  ) {}

  /**
   * Signs in with the token of a link, which works once. A link that starts no session keeps working. For a minute, the browser
   * that used the link gets the same session again: it ignores the first response if somebody clicks twice.
   *
   * @param browser - a secret of the browser; without one, the request cannot be repeated
   * @returns the token of the session
   * @throws {SignInLinkError}
   * @throws {DeadlineExceededError}
   */
  useLink(token: string, browser: string | undefined, deadline: number): Promise<string> {
    return transactionBefore(this.dataSource, { deadline }, async (transaction) => {
      const tokenHash = hashOf(isToken(token) ? token : '');
      const session = browser === undefined ? createToken() : sessionOf(token, browser);
      const link = await transaction.findOneBy(SignInLink, { tokenHash, expiresAt: IS_AHEAD });
      const person =
        link && (await lockPerson(transaction, { accountId: link.accountId, id: link.personId }));
      const isUsed = person && (await transaction.delete(SignInLink, { tokenHash })).affected;
      if (isUsed) {
        const { invitedBy } = link;
        return this.start(transaction, person, { method: 'link', invitedBy }, session);
      }
      const started = { tokenHash: hashOf(session), signedInAt: IS_WITHIN_A_MINUTE };
      if (!(await transaction.existsBy(ConsoleSession, started))) {
        throw new SignInLinkError();
      }
      return session;
    });
  }

  /**
   * Starts a session of a person whose row is locked. The first session invalidates the other links of the person, because their
   * creators could later use them to sign in as the person.
   *
   * @param token - of the session, by default a new one
   * @returns the token of the session
   */
  async start(
    transaction: EntityManager,
    { accountId, id, email, firstSignedInAt }: Person,
    method: SignInMethod,
    token = createToken(),
  ): Promise<string> {
    if (firstSignedInAt === null) {
      await transaction.update(Person, { accountId, id }, { firstSignedInAt: () => 'clock_timestamp()' });
      await transaction.delete(SignInLink, { accountId, personId: id });
    }
    const actor = { type: 'person', id, name: email } as const;
    await transaction.insert(ConsoleSession, { tokenHash: hashOf(token), accountId, personId: id });
    const changes = differencesBetween({}, method);
    await recordAudit(transaction, { accountId, actor }, 'person.signed_in', actor, changes);
    return token;
  }

  async find(token: string): Promise<Visitor | null> {
    const [found] = isToken(token) ? await this.dataSource.query<FoundSession[]>(FIND, [hashOf(token)]) : [];
    if (!found) {
      return null;
    }
    const { isLastSeenStale, ...visitor } = found;
    if (isLastSeenStale) {
      await this.sessions.update({ tokenHash: hashOf(token) }, { lastSeenAt: () => 'now()' });
    }
    const [open] = await this.dataSource.query<Pick<Visitor, 'openIncidents'>[]>(COUNT_OPEN_INCIDENTS, [
      visitor.accountId,
    ]);
    const isEditor = includesRole(visitor.role, 'editor');
    return { ...visitor, ...open!, isEditor, isAdmin: visitor.role === 'admin' };
  }

  /** Signs out the browser that has the token, if it has one. */
  async end(token: string | undefined, deadline: number): Promise<void> {
    if (token !== undefined) {
      await transactionBefore(this.dataSource, { deadline }, (transaction) =>
        transaction.delete(ConsoleSession, { tokenHash: hashOf(token) }),
      );
    }
  }
}

const BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** A secret of 256 bits, for a link or a cookie. */
export function createToken(): string {
  return randomBytes(BYTES).toString('base64url');
}

/** The token of the session that a link starts in a browser. The link alone does not reveal it. */
function sessionOf(link: string, browser: string): string {
  return createHmac('sha256', browser).update(link).digest('base64url');
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The stored hash of a token. A slow hash is unnecessary for 256 random bits. */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
