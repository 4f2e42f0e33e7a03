import type { SigningSecret } from '../signing-secrets.js';
import type { DisabledReason } from '../webhook.entity.js';

/** A webhook with something to send, which this instance has claimed. */
export interface HeldWebhook {
  readonly accountId: number;
  readonly id: string;
  readonly version: number;
  readonly endpoint: string;
  readonly events: ReadonlySet<string>;
  readonly secrets: SigningSecret[];
  /** Whether stored deliveries are due. */
  readonly isDue: boolean;
  /** Whether a delivery waits for its next attempt, and with it all later changes. */
  readonly isBlocked: boolean;
  /** When the last attempt begins, by `performance.now()`. */
  readonly servedUntil: number;
  /** The last change of the feed whose events were delivered or stored as deliveries. */
  position: number;
  /** The id of that change, which proves that the feed is still the same one. Null at the beginning. */
  changeId: string | null;
  failingSince: Date | null;
  disabledReason: DisabledReason | null;
  /** This instance could not connect to the endpoint, so another one makes the next attempt. */
  isUnreachable: boolean;
  isServed: boolean;
}
