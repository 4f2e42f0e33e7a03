import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, LessThan, Repository, type EntityManager } from 'typeorm';
import type { Actor } from '../../audit/actor.js';
import { differencesBetween, recordAudit, type AuditSubject } from '../../audit/record-audit.js';
import { transactionBefore } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { findPage } from '../../http/find-page.js';
import type { Cursor, Page } from '../../http/page.js';
import { ConsoleSession } from './console-session.entity.js';
import { IdentityMismatchError, PersonNotFoundError } from './errors.js';
import { Person } from './person.entity.js';
import type { Role } from './roles.js';
import { SignInLink } from './sign-in-link.entity.js';
import { createToken, hashOf } from './token.js';

const LINK_MS = 15 * 60_000;
const IDENTITY_PROVIDER: Actor = { type: 'system', id: null, name: 'identity provider' };

/** A person, and when each of their browsers was last used. */
export interface ListedPerson {
  person: Person;
  sessions: Date[];
}

/** A person, and the token of a link that signs them in. */
export interface Invitation {
  person: Person;
  token: string;
}

/** Somebody whom an identity provider knows, and whose address it has verified. */
export interface VerifiedIdentity {
  issuer: string;
  subject: string;
  email: EmailAddress;
}

/** The people who may use the console of an account. */
@Injectable()
export class PeopleService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(Person) private readonly people: Repository<Person>,
    @InjectRepository(ConsoleSession) private readonly sessions: Repository<ConsoleSession>,
  ) {}

  /**
   * Makes a link that signs a person in once, within 15 minutes. Adds the person, or changes the role of one who is there.
   *
   * @param role - undefined keeps the role; a new person becomes a viewer
   * @throws {DeadlineExceededError}
   */
  invite(
    accountId: number,
    actor: Actor,
    email: EmailAddress,
    role: Role | undefined,
    deadline: number,
  ): Promise<Invitation> {
    return transactionBefore(this.dataSource, deadline, async (transaction) => {
      const isNew = await insertUnlessKnown(transaction, { accountId, email, role: role ?? 'viewer' });
      const person = await transaction.findOneByOrFail(Person, { accountId, email });
      const changes = differencesBetween(isNew ? {} : person, { role: role ?? person.role });
      if (role) {
        await transaction.update(Person, { accountId, email }, { role });
      }
      await recordAudit(transaction, accountId, actor, 'person.invited', subjectOf(person), changes);
      const token = await createLink(transaction, person);
      return { person: { ...person, role: role ?? person.role }, token };
    });
  }

  /**
   * The person whom an identity provider vouches for. At the first sign-in, a person who was invited by address is bound to
   * the identity, and somebody unknown becomes a person; later, only the same identity is this person.
   *
   * @throws {IdentityMismatchError} if the address belongs to a person with another identity at the same provider
   */
  async identify(
    transaction: EntityManager,
    accountId: number,
    verified: VerifiedIdentity,
    role: Role,
  ): Promise<Person> {
    const { email, issuer: oidcIssuer, subject: oidcSubject } = verified;
    const identity = { oidcIssuer, oidcSubject };
    const bound = await transaction.findOneBy(Person, { accountId, ...identity });
    const sameEmail = await transaction.findOneBy(Person, { accountId, email });
    if (sameEmail && (bound ? bound.id !== sameEmail.id : sameEmail.oidcIssuer === oidcIssuer)) {
      throw new IdentityMismatchError(email);
    }
    const known = bound ?? sameEmail;
    if (!known) {
      if (!(await insertUnlessKnown(transaction, { accountId, email, role, ...identity }))) {
        return this.identify(transaction, accountId, verified, role);
      }
      const person = await transaction.findOneByOrFail(Person, { accountId, email });
      const changes = differencesBetween({}, { role, ...identity });
      await recordAudit(
        transaction,
        accountId,
        IDENTITY_PROVIDER,
        'person.created',
        subjectOf(person),
        changes,
      );
      return person;
    }
    const changes = { email, role, ...identity };
    await this.change(transaction, IDENTITY_PROVIDER, known, changes);
    return { ...known, ...changes };
  }

  /** Newest first. */
  async page(accountId: number, cursor: Cursor): Promise<Page<ListedPerson>> {
    const { elements: people, hasMore } = await findPage(this.people, [{ accountId }], cursor);
    const personId = In(people.map(({ id }) => id));
    const sessions = await this.sessions.find({
      where: { accountId, personId },
      order: { lastSeenAt: 'DESC' },
    });
    const elements = people.map((person) => ({
      person,
      sessions: sessions.filter((one) => one.personId === person.id).map(({ lastSeenAt }) => lastSeenAt),
    }));
    return { elements, hasMore };
  }

  /**
   * @throws {PersonNotFoundError}
   * @throws {DeadlineExceededError}
   */
  async setRole(accountId: number, actor: Actor, id: string, role: Role, deadline: number): Promise<void> {
    await transactionBefore(this.dataSource, deadline, async (transaction) => {
      const person = await lockPerson(transaction, accountId, id);
      await this.change(transaction, actor, person, { role });
    });
  }

  /**
   * Signs a person out everywhere, and makes the unused links of the person invalid.
   *
   * @throws {PersonNotFoundError}
   * @throws {DeadlineExceededError}
   */
  async endSessions(accountId: number, actor: Actor, id: string, deadline: number): Promise<void> {
    await transactionBefore(this.dataSource, deadline, async (transaction) => {
      const person = await lockPerson(transaction, accountId, id);
      await transaction.delete(SignInLink, { accountId, personId: id });
      await transaction.delete(ConsoleSession, { accountId, personId: id });
      await recordAudit(transaction, accountId, actor, 'person.signed_out', subjectOf(person));
    });
  }

  /**
   * Removes a person with all sessions. The ledger keeps what the person did.
   *
   * @throws {PersonNotFoundError}
   * @throws {DeadlineExceededError}
   */
  async remove(accountId: number, actor: Actor, id: string, deadline: number): Promise<void> {
    await transactionBefore(this.dataSource, deadline, async (transaction) => {
      const person = await lockPerson(transaction, accountId, id);
      await transaction.delete(Person, { accountId, id });
      await recordAudit(transaction, accountId, actor, 'person.removed', subjectOf(person));
    });
  }

  private async change(
    transaction: EntityManager,
    actor: Actor,
    person: Person,
    changes: Partial<Person>,
  ): Promise<void> {
    const { accountId, id } = person;
    const differences = differencesBetween(person, changes);
    if (Object.keys(differences).length > 0) {
      await transaction.update(Person, { accountId, id }, changes);
      await recordAudit(transaction, accountId, actor, 'person.updated', subjectOf(person), differences);
    }
  }
}

function subjectOf({ id, email }: Person): AuditSubject {
  return { id, name: email };
}

/** @throws {PersonNotFoundError} */
async function lockPerson(transaction: EntityManager, accountId: number, id: string): Promise<Person> {
  const lock = { mode: 'pessimistic_write' } as const;
  const person = await transaction.findOne(Person, { where: { accountId, id }, lock });
  if (!person) {
    throw new PersonNotFoundError();
  }
  return person;
}

/** @returns whether the person was inserted */
async function insertUnlessKnown(transaction: EntityManager, person: Partial<Person>): Promise<boolean> {
  const { raw } = await transaction
    .createQueryBuilder()
    .insert()
    .into(Person)
    .values(person)
    .orIgnore()
    .returning('id')
    .execute();
  return raw.length > 0;
}

/** @returns the token of the link */
async function createLink(transaction: EntityManager, { accountId, id: personId }: Person): Promise<string> {
  const token = createToken();
  const expiresAt = new Date(Date.now() + LINK_MS);
  await transaction.delete(SignInLink, { accountId, personId, expiresAt: LessThan(new Date()) });
  await transaction.insert(SignInLink, { tokenHash: hashOf(token), accountId, personId, expiresAt });
  return token;
}
