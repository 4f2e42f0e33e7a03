import type { Logger } from 'pino';
import { throttle } from '../process/throttle.js';
import { UnknownVerdictError, type FailureReason } from './verdict-source.js';

const INTERVAL_MS = 60_000;
/** How many purposes are remembered, since callers may invent them. */
const MAX_NAMES = 1_000;
/** Failures that resolve on their own. All others last until somebody acts, so they are logged once for each purpose. */
const TEMPORARY: readonly FailureReason[] = [
  'unreachable',
  'timeout',
  'unavailable',
  'rate_limited',
  'wrong_response',
  'stale',
];

const MESSAGES: Readonly<Partial<Record<FailureReason, string>>> = {
  unknown_topic: 'the topic is unknown',
  unauthorized: 'the service refuses the API key',
  forbidden: 'the API key lacks a scope',
  stale: 'the local copy is too old to answer',
};

/** Logs why verdicts are unknown, at most once a minute, and when that ends. No line has an address. */
export class FailureLog {
  private readonly logged = new Set<string>();
  private isFailing = false;
  private readonly warn = throttle((fields: object, msg: string) => {
    this.isFailing = true;
    this.logger.warn(fields, msg);
  }, INTERVAL_MS);

  constructor(private readonly logger: Logger) {}

  /** @param purpose - the name of the purpose; undefined if the given text was not one, since it may be anything */
  failed({ reason, details }: UnknownVerdictError, purpose: string | undefined): void {
    const msg = MESSAGES[reason] ?? 'the service does not answer';
    if (!TEMPORARY.includes(reason)) {
      const key = `${reason} ${purpose}`;
      if (!this.logged.has(key) && this.logged.size < MAX_NAMES) {
        this.logged.add(key);
        this.logger.error({ reason, purpose, ...details }, msg);
      }
    } else {
      this.warn({ reason, ...details }, msg);
    }
  }

  succeeded(): void {
    if (this.isFailing) {
      this.isFailing = false;
      this.logger.info('verdicts are available again');
    }
  }
}
