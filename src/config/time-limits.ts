/** A JSON request gets a response within this time: below the promised five seconds, to leave room on a busy machine. */
export const REQUEST_TIME_LIMIT_MS = 4_500;

/** How far the clock of a mail provider may be off, and how long the provider may take to show a change of its list. */
export const PROVIDER_SETTLING_MS = 5 * 60_000;

/** If an instance dies while it sends the deliveries of a webhook, others can claim the webhook after this time. */
export const WEBHOOK_LEASE_SECONDS = 45;
