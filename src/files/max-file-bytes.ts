/** The limit for an uploaded file, both compressed and decompressed. */
export const MAX_FILE_BYTES = 1024 ** 3;
