/** Injection token: for how many days the inbox keeps events that changed nothing. */
export const INBOX_RETENTION_DAYS = Symbol('INBOX_RETENTION_DAYS');

/** Injection token: the URL at which callers of the API reach this service, without a trailing slash. */
export const BASE_URL = Symbol('BASE_URL');

/** Injection token: the URL at which mail providers reach this service, without a trailing slash. */
export const PROVIDER_URL = Symbol('PROVIDER_URL');
