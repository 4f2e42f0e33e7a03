/** Whether the tests run on a database that is spread over the nodes of Citus. */
export const isOnCitus = process.env.TEST_CITUS === 'true';

/** What each process needs then. */
export const CITUS_SETTINGS: Record<string, string> = isOnCitus ? { CITUS_EXPERIMENTAL: 'true' } : {};
