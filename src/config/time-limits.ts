/** A JSON request gets a response within this time: below the promised five seconds, to leave room on a busy machine. */
export const REQUEST_TIME_LIMIT_MS = 4_500;
