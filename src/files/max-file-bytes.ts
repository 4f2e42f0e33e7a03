/** Of an uploaded file, with and without compression. */
export const MAX_FILE_BYTES = 1024 ** 3;
