import type { EntityManager, FindOptionsWhere } from 'typeorm';
import type { Actor } from '../../audit/actor.js';
import { differencesBetween, recordAudit, type AuditSubject } from '../../audit/record-audit.js';
import { ConsoleSession, Person, SignInLink } from './person.entity.js';

export function subjectOf({ id, email }: Person): AuditSubject {
  return { id, name: email };
}

/** Locks a person before links and sessions, which is the order of locks. */
export function lockPerson(
  transaction: EntityManager,
  where: FindOptionsWhere<Person>,
): Promise<Person | null> {
  return transaction.findOne(Person, { where, lock: { mode: 'pessimistic_write' } });
}

/** Ends all sessions of a locked person, and makes the unused links invalid. */
export async function signOutEverywhere(
  transaction: EntityManager,
  actor: Actor,
  person: Person,
): Promise<void> {
  const { accountId, id: personId } = person;
  await transaction.delete(SignInLink, { accountId, personId });
  await transaction.delete(ConsoleSession, { accountId, personId });
  await recordAudit(transaction, { accountId, actor }, 'person.signed_out', subjectOf(person));
}

/** Changes a locked person, and records that if anything differs. */
export async function changePerson(
  transaction: EntityManager,
  actor: Actor,
  person: Person,
  changes: Partial<Person>,
): Promise<void> {
  const { accountId, id } = person;
  const differences = differencesBetween(person, changes);
  if (Object.keys(differences).length > 0) {
    await transaction.update(Person, { accountId, id }, changes);
    await recordAudit(transaction, { accountId, actor }, 'person.updated', subjectOf(person), differences);
  }
}
