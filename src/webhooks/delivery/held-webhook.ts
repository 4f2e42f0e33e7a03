import type { SigningSecret } from '../signing-secrets.js';
import type { DisabledReason, Webhook } from '../webhook.entity.js';

/** A webhook with something to send, as it is when an instance claims it. */
export type ClaimedWebhook = Pick<
  Webhook,
  'accountId' | 'id' | 'version' | 'endpoint' | 'events' | 'signingSecrets' | 'position' | 'failingSince'
> & {
  /** The id of the change at its position, which proves that the feed is still the same one. Null at the beginning. */
  changeId: string | null;
  /** Whether stored deliveries are due. */
  isDue: boolean;
  /** Whether a delivery waits for its next attempt, and with it all later changes. */
  isBlocked: boolean;
};

/** A webhook that this instance has claimed. */
export interface HeldWebhook extends Omit<ClaimedWebhook, 'events' | 'position'> {
  readonly events: ReadonlySet<string>;
  readonly secrets: SigningSecret[];
  /** When the last attempt begins, by `performance.now()`. */
  readonly servedUntil: number;
  /** The last change of the feed whose events were delivered or stored as deliveries. */
  position: number;
  disabledReason: DisabledReason | null;
  /** This instance could not connect to the endpoint, so another one makes the next attempt. */
  isUnreachable: boolean;
  isServed: boolean;
}
