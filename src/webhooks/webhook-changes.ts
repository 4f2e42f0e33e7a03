import type { AuditChanges } from '../audit/audit-entry.entity.js';
import { differencesBetween, type AuditSubject } from '../audit/record-audit.js';
import type { Webhook } from './webhook.entity.js';

/**
 * The state after a change. A webhook that is already disabled keeps the reason and the time. Failures of the previous endpoint
 * no longer count.
 */
export function stateAfter(
  webhook: Webhook,
  { endpoint, status }: Partial<Pick<Webhook, 'endpoint' | 'status'>>,
): Partial<Webhook> {
  if (status === 'enabled') {
    return { disabledReason: null, disabledAt: null, failingSince: null };
  }
  const isMoved = endpoint !== undefined && endpoint !== webhook.endpoint;
  const isDisabled = status === 'disabled' && webhook.status === 'enabled';
  return {
    ...(isMoved && { failingSince: null }),
    ...(isDisabled && { disabledReason: 'requested' as const, disabledAt: new Date() }),
  };
}

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
