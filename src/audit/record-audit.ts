import type { EntityManager } from 'typeorm';
import { toSnakeCase } from '../database/rows.js';
import { AuditEntry, type AuditAction, type AuditChanges } from './audit-entry.entity.js';
import type { Identity } from './request-context.js';

export interface AuditSubject {
  id: string | null;
  name: string;
}

/**
 * Records a change in the transaction that makes it.
 *
 * @param changes - without secrets and without addresses of recipients
 */
export async function recordAudit(
  transaction: EntityManager,
  identity: Identity,
  action: AuditAction,
  subject: AuditSubject,
  changes: AuditChanges = {},
): Promise<void> {
  await recordAudits(transaction, identity, action, subject, [changes]);
}

/** Records several changes of a subject, each in an entry of its own. */
export async function recordAudits(
  transaction: EntityManager,
  { accountId, actor }: Identity,
  action: AuditAction,
  subject: AuditSubject,
  several: AuditChanges[],
): Promise<void> {
  const entries = several.map((changes) => ({
    accountId,
    actorType: actor.type,
    actorId: actor.id,
    actorName: actor.name,
    action,
    subjectId: subject.id,
    subjectName: subject.name,
    changes: changes as object,
  }));
  await transaction.insert(AuditEntry, entries);
}

/** The parameters of an action that changes nothing, such as an export. */
export function parametersOf(parameters: object): AuditChanges {
  return differencesBetween({}, parameters);
}

/** The fields that differ, by their names in the API. A missing field is null. */
export function differencesBetween(before: object, after: object): AuditChanges {
  const from = before as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(after)
      .filter(([name, to]) => to !== undefined && JSON.stringify(from[name] ?? null) !== JSON.stringify(to))
      .map(([name, to]) => [toSnakeCase(name), { from: from[name] ?? null, to: to as unknown }]),
  );
}
