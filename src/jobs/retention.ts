/** Ended imports with their errors, and the counts of scrubs, are deleted after this time. */
export const RETENTION_DAYS = 90;
