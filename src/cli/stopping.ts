/** Aborted, with the name of the signal as the reason, when the command is told to stop. */
export const stopping = new AbortController();
