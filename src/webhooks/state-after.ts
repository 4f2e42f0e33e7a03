import type { Webhook } from './webhook.entity.js';

/** A webhook that is disabled already keeps the reason and the time. The failures of another endpoint do not count. */
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
