import type { AuditChanges } from '../audit/audit-entry.entity.js';
import { differencesBetween, type AuditSubject } from '../audit/record-audit.js';
import type { Webhook } from './webhook.entity.js';

/** A webhook in the audit log. The path of its endpoint may be a secret, so only the host is recorded. */
export function subjectOf({ id, endpoint }: Pick<Webhook, 'id' | 'endpoint'>): AuditSubject {
  return { id, name: hostOf(endpoint) };
}

export function toAuditChanges(
  webhook: Webhook,
  { endpoint = webhook.endpoint, events, status, position }: Partial<Webhook>,
): AuditChanges {
  const others = differencesBetween(webhook, { events, status, position });
  return endpoint === webhook.endpoint
    ? others
    : { endpoint: { from: hostOf(webhook.endpoint), to: hostOf(endpoint) }, ...others };
}

function hostOf(endpoint: string): string {
  return new URL(endpoint).host;
}
