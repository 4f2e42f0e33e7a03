import type { SigningSecret } from '../signing-secrets.js';
import type { DisabledReason, Webhook } from '../webhook.entity.js';

/** A webhook with something to send, as it is when an instance claims it. */
export type ClaimedWebhook = Pick<
  Webhook,
  'accountId' | 'id' | 'version' | 'endpoint' | 'events' | 'signingSecrets' | 'position' | 'failingSince'
> & {
  /**
   * The id of the change at the webhook's position, which proves that the feed is still the same one. Null at the beginning.
   */
  changeId: string | null;
  /** Whether stored deliveries are due. */
  isDue: boolean;
  /** Whether a delivery is waiting for its next attempt, and all later changes with it. */
  isBlocked: boolean;
};

/** A webhook that this instance has claimed. */
export interface HeldWebhook extends Omit<ClaimedWebhook, 'events' | 'position'> {
  readonly events: ReadonlySet<string>;
  readonly secrets: SigningSecret[];
  /** The latest time to begin an attempt, on the clock of `performance.now()`. */
  readonly servedUntil: number;
  /** The last change of the feed whose events were delivered or stored as deliveries. */
  position: number;
  disabledReason: DisabledReason | null;
  /** Whether this instance could not connect to the endpoint, so that another one makes the next attempt. */
  isUnreachable: boolean;
  isServed: boolean;
}
