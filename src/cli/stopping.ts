/** Aborted when a signal stops the command, with the name of the signal as the reason. */
export const stopping = new AbortController();
