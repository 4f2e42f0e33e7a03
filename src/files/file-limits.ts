/** The limit for an uploaded file, both compressed and decompressed. */
export const MAX_FILE_BYTES = 1024 ** 3;

/** The most rows of an uploaded file, or items of a JSON document. Consecutive empty lines are one row. */
export const MAX_FILE_ROWS = 50_000_000;
