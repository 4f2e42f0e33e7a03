import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, Repository, type EntityManager } from 'typeorm';
import type { Actor } from '../../audit/actor.js';
import { differencesBetween, recordAudit } from '../../audit/record-audit.js';
import type { RequestContext } from '../../audit/request-context.js';
import { insertUnlessTaken } from '../../database/insert-unless-taken.js';
import { transactionBefore } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { requireFound } from '../../http/errors/api-error.js';
import { findPage, type Cursor, type Page } from '../../http/page.js';
import { CONSOLE_SETTINGS, type ConsoleSettings } from '../console-settings.js';
import { ConsoleSession, Person, SESSION_IS_OPEN, SignInLink } from './person.entity.js';
import {
  AdminGoneError,
  IdentityProviderRequiredError,
  KnownPersonError,
  PersonNotFoundError,
} from './errors.js';
import { changePerson, lockPerson, signOutEverywhere, subjectOf } from './person-records.js';
import type { Role } from './roles.js';
import { createToken, hashOf } from './sessions.service.js';

const LINK_EXPIRY = "now() + interval '15 minutes'";

/** A person, and when each of their browsers was last used. */
export interface ListedPerson extends Person {
  sessions: Date[];
}

/** A person, and the token of a link that signs them in. */
export interface Invitation {
  person: Person;
  token: string;
}

/** Manages the people who may use the console of an account. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Person) private readonly people: Repository<Person>,
    @InjectRepository(ConsoleSession) private readonly sessions: Repository<ConsoleSession>,
    @Inject(CONSOLE_SETTINGS) private readonly settings: ConsoleSettings,
  ) {}

  /**
   * Makes a link that signs a person in once, within 15 minutes. Adds the person, or changes the role of an existing one.
   *
   * @param role - undefined keeps the role; a new person becomes a viewer
   * @throws {IdentityProviderRequiredError} if people sign in at an identity provider, unless the operator asks
   * @throws {KnownPersonError} if the person has signed in before, unless the operator asks
   * @throws {DeadlineExceededError}
   */
  invite(context: RequestContext, email: EmailAddress, role: Role | undefined): Promise<Invitation> {
    const { accountId, actor } = context;
    return transactionBefore(this.dataSource, context, async (transaction) => {
      if (actor.type === 'person' && this.settings.hasOidc) {
        throw new IdentityProviderRequiredError();
      }
      const { known, isNew } = await lockOrInsert(transaction, accountId, email, role ?? 'viewer');
      if (actor.type === 'person' && known.firstSignedInAt !== null) {
        throw new KnownPersonError(email);
      }
      const person = { ...known, role: role ?? known.role };
      const changes = differencesBetween(isNew ? {} : known, { role: person.role });
      await transaction.update(Person, { accountId, id: known.id }, { role: person.role });
      await recordAudit(transaction, context, 'person.invited', subjectOf(person), changes);
      return { person, token: await createLink(transaction, person, actor) };
    });
  }

  /** Newest first. */
  async page(accountId: number, cursor: Cursor): Promise<Page<ListedPerson>> {
    const { elements: people, hasMore } = await findPage(this.people, [{ accountId }], cursor);
    const sessions = await this.sessions
      .createQueryBuilder('session')
      .where({ accountId, personId: In(people.map(({ id }) => id)) })
      .andWhere(SESSION_IS_OPEN)
      .orderBy('session.lastSeenAt', 'DESC')
      .getMany();
    const elements = people.map((person) => ({
      ...person,
      sessions: sessions.filter(({ personId }) => personId === person.id).map(({ lastSeenAt }) => lastSeenAt),
    }));
    return { elements, hasMore };
  }

  /**
   * @throws {AdminGoneError}
   * @throws {PersonNotFoundError}
   * @throws {DeadlineExceededError}
   */
  async setRole(context: RequestContext, id: string, role: Role): Promise<void> {
    const { actor } = context;
    await transactionBefore(this.dataSource, context, async (transaction) => {
      const person = await lockFor(transaction, context, id);
      await changePerson(transaction, actor, person, { role });
    });
  }

  /**
   * Signs a person out everywhere, and makes the unused links of the person invalid.
   *
   * @throws {AdminGoneError}
   * @throws {PersonNotFoundError}
   * @throws {DeadlineExceededError}
   */
  async endSessions(context: RequestContext, id: string): Promise<void> {
    const { actor } = context;
    await transactionBefore(this.dataSource, context, async (transaction) => {
      const person = await lockFor(transaction, context, id);
      await signOutEverywhere(transaction, actor, person);
    });
  }

  /**
   * Removes a person with all sessions. The ledger keeps what the person did.
   *
   * @throws {AdminGoneError}
   * @throws {PersonNotFoundError}
   * @throws {DeadlineExceededError}
   */
  async remove(context: RequestContext, id: string): Promise<void> {
    const { accountId } = context;
    await transactionBefore(this.dataSource, context, async (transaction) => {
      const person = await lockFor(transaction, context, id);
      await transaction.delete(Person, { accountId, id });
      await recordAudit(transaction, context, 'person.removed', subjectOf(person));
    });
  }
}

/**
 * Locks a person and the admin who changes the person. Otherwise, two admins who remove each other at the same time would leave
 * no admin.
 *
 * @throws {AdminGoneError} if the actor is no longer an admin
 * @throws {PersonNotFoundError}
 */
async function lockFor(
  transaction: EntityManager,
  { accountId, actor }: RequestContext,
  id: string,
): Promise<Person> {
  const people = await transaction.find(Person, {
    where: { accountId, id: In([actor.id!, id]) },
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_write' },
  });
  if (people.find((one) => one.id === actor.id)?.role !== 'admin') {
    throw new AdminGoneError();
  }
  const person = people.find((one) => one.id === id);
  return requireFound(person, PersonNotFoundError);
}

/** Tries again if another transaction removed the person in between. */
async function lockOrInsert(
  transaction: EntityManager,
  accountId: number,
  email: EmailAddress,
  role: Role,
): Promise<{ known: Person; isNew: boolean }> {
  const isNew = await insertUnlessTaken(transaction, Person, { accountId, email, role });
  const known = await lockPerson(transaction, { accountId, email });
  return known ? { known, isNew } : lockOrInsert(transaction, accountId, email, role);
}

/** @returns the token of the link, which works by the clock of the database */
async function createLink(
  transaction: EntityManager,
  { accountId, id: personId }: Person,
  { name: invitedBy }: Actor,
): Promise<string> {
  const token = createToken();
  const expiresAt = () => LINK_EXPIRY;
  await transaction.insert(SignInLink, {
    tokenHash: hashOf(token),
    accountId,
    personId,
    invitedBy,
    expiresAt,
  });
  return token;
}
