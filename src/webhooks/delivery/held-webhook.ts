import type { SigningSecret } from '../signing/signing-secrets.js';
import type { DisabledReason } from '../webhook.entity.js';

export interface HeldWebhook {
  readonly accountId: number;
  readonly id: string;
  readonly version: number;
  readonly endpoint: string;
  readonly events: ReadonlySet<string>;
  readonly secrets: SigningSecret[];
  /** The last change of the feed whose events were delivered or stored as deliveries. */
  position: number;
  /** The id of that change, which proves that the feed is still the same one. Null at the beginning. */
  changeId: string | null;
  failingSince: Date | null;
  disabledReason: DisabledReason | null;
  /**
   * Set if the webhook was changed, taken over, or requested by another instance, or if its feed lost changes. It is then
   * released, and may be claimed again.
   */
  isStale: boolean;
  /** This instance could not connect to the endpoint, so another one makes the next attempt. */
  isUnreachable: boolean;
  isServed: boolean;
  /** When it may be served again after a failure of this instance, by `performance.now()`. */
  pausedUntil: number;
}
