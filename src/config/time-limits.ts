/** A JSON request gets a response within this time: below the promised five seconds, to leave room on a busy machine. */
export const REQUEST_TIME_LIMIT_MS = 4_500;

/** If an instance dies while it sends the deliveries of a webhook, others can claim the webhook after this time. */
export const WEBHOOK_LEASE_SECONDS = 45;
