import type { Reason } from '../mta-hooks/refusal-text.js';

/** The answer to a mail server's question whether an address may be mailed. */
export type Answer =
  | { verdict: 'send' }
  | ({ verdict: 'suppressed' } & Reason)
  /** The text cannot be an address, so it is not on the list. */
  | { verdict: 'invalid' }
  /** The verdict is unknown. */
  | { verdict: 'unavailable' };
