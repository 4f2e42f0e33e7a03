/** A slow database cannot serve more waiting requests in time. */
export const MAX_WAITING = 1_000;

/** Above this number of open requests, responses that nobody reads included, connections are closed. */
const MAX_OPEN = 2_000;
/** A caller that reads its responses has one open request, and briefly a second one. */
const MAX_OPEN_ON_CONNECTION = 2;

/** Always served: an orchestrator would restart an instance that is only busy, and a balancer would take out all of them. */
const PROBES = /^\/(?:healthz|readyz)\/?(?:\?|$)/i;

export function isProbe(url: string): boolean {
  return PROBES.test(url);
}

/** Whether to close a connection, because it sends requests without reading the responses. */
export function hasTooManyOpen(open: number, openOnConnection: number): boolean {
  return open > MAX_OPEN && openOnConnection > MAX_OPEN_ON_CONNECTION;
}

/** Whether to refuse a new request immediately. */
export function isOverloaded(waiting: number, url: string): boolean {
  return waiting > MAX_WAITING && !isProbe(url);
}
