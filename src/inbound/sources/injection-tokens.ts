/** The injection token of the number of days that the inbox keeps events which changed nothing. */
export const INBOX_RETENTION_DAYS = Symbol('INBOX_RETENTION_DAYS');

/** The injection token of the URL at which callers of the API reach this service, without a slash at its end. */
export const BASE_URL = Symbol('BASE_URL');

/** The injection token of the URL at which mail providers reach this service, without a slash at its end. */
export const PROVIDER_URL = Symbol('PROVIDER_URL');
