import type { IncomingMessage } from 'node:http';

export interface TracedRequest extends IncomingMessage {
  traceId?: string;
}

/** Version, trace, parent and flags: W3C Trace Context, section 3.2. */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

/** The trace of a request: our own, or, where none is exported, the caller's. */
export function traceIdOf({ traceId, headers }: TracedRequest): string | undefined {
  return traceId ?? TRACEPARENT.exec(String(headers.traceparent))?.[1];
}
