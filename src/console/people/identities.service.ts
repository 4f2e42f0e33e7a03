import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { Account } from '../../accounts/account.entity.js';
import type { Actor } from '../../audit/actor.js';
import { differencesBetween, recordAudit } from '../../audit/record-audit.js';
import { insertUnlessTaken } from '../../database/insert-unless-taken.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { ConsoleSession, Person, SignInLink } from './person.entity.js';
import { IdentityMismatchError } from './errors.js';
import { changePerson, lockPerson, signOutEverywhere, subjectOf } from './person-records.js';
import type { Role } from './roles.js';

const IDENTITY_PROVIDER: Actor = { type: 'system', id: null, name: 'identity provider' };

/** A user of an identity provider, which has verified the address. */
export interface VerifiedIdentity {
  issuer: string;
  subject: string;
  email: EmailAddress;
}

type Identified = Omit<VerifiedIdentity, 'email'>;

/** Maps the users of an identity provider to people. */
@Injectable()
export class IdentitiesService {
  /**
   * Returns the person whom an identity provider vouches for. At the first sign-in, a person who was invited by address is
   * bound to the identity, and an unknown identity becomes a new person. After that, only the same identity signs in as this
   * person. Binding a person ends existing sessions and deletes existing sign-in links.
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
    const people = await transaction.find(Person, {
      where: [
        { accountId, ...identity },
        { accountId, email },
      ],
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    const bound = people.find(
      (person) => person.oidcIssuer === oidcIssuer && person.oidcSubject === oidcSubject,
    );
    const sameEmail = people.find((person) => person.email === email);
    if (sameEmail && (bound ? bound.id !== sameEmail.id : sameEmail.oidcIssuer === oidcIssuer)) {
      throw new IdentityMismatchError(email);
    }
    const known = bound ?? sameEmail;
    if (known) {
      const changes = { email, role, ...identity };
      if (!bound) {
        await transaction.delete(SignInLink, { accountId, personId: known.id });
        await transaction.delete(ConsoleSession, { accountId, personId: known.id });
      }
      await changePerson(transaction, IDENTITY_PROVIDER, known, changes);
      return { ...known, ...changes };
    }
    const isNew = await insertUnlessTaken(transaction, Person, { accountId, email, role, ...identity });
    const person = isNew ? await lockPerson(transaction, { accountId, email }) : null;
    if (!person) {
      return this.identify(transaction, accountId, verified, role);
    }
    const changes = differencesBetween({}, { role, ...identity });
    await recordAudit(
      transaction,
      { accountId, actor: IDENTITY_PROVIDER },
      'person.created',
      subjectOf(person),
      changes,
    );
    return person;
  }

  /** The accounts that have a person who is bound to an identity. */
  async findAccounts(
    manager: EntityManager,
    { issuer: oidcIssuer, subject: oidcSubject }: Identified,
  ): Promise<Account[]> {
    const people = await manager.findBy(Person, { oidcIssuer, oidcSubject });
    const ids = people.map(({ accountId }) => accountId);
    return manager.find(Account, { where: { id: In(ids) }, order: { id: 'ASC' } });
  }

  /**
   * Gives the person of an account who is bound to an identity the role that its groups give now, or signs the person out if they
   * give none.
   */
  async followRole(
    transaction: EntityManager,
    accountId: number,
    { issuer: oidcIssuer, subject: oidcSubject }: Identified,
    role: Role | undefined,
  ): Promise<void> {
    const person = await lockPerson(transaction, { accountId, oidcIssuer, oidcSubject });
    if (!person) {
      return;
    }
    const owned = { accountId, personId: person.id };
    if (role) {
      await changePerson(transaction, IDENTITY_PROVIDER, person, { role });
    } else if (
      (await transaction.existsBy(ConsoleSession, owned)) ||
      (await transaction.existsBy(SignInLink, owned))
    ) {
      await signOutEverywhere(transaction, IDENTITY_PROVIDER, person);
    }
  }
}
