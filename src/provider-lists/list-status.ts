import type { ProviderList } from './provider-list.entity.js';

export const LIST_STATUS_MEANINGS = {
  active: 'plans are made at the interval, and changes are pushed',
  paused: 'the pushes wait and go on by themselves; `last_error` says why',
  stopped: 'the provider refused the credentials; replace them, and the list goes on',
} as const;

export type ListStatus = keyof typeof LIST_STATUS_MEANINGS;

export function statusOf({ stoppedAt, pushPausedUntil }: ProviderList): ListStatus {
  if (stoppedAt) {
    return 'stopped';
  }
  return pushPausedUntil && pushPausedUntil.getTime() > Date.now() ? 'paused' : 'active';
}

/** Why the last plan failed or stopped, or why the pushes wait. */
export function errorOf({ lastError, pushError }: ProviderList): string | null {
  return lastError ?? pushError;
}
