import { bestStatus, isExplained } from '../policy/classify.js';
import type { Failure } from './failures.js';

/** What is known to be said of a failure, on one line each. */
export interface Explanation {
  status: string | null;
  diagnostic: string | null;
}

const MAX_DIAGNOSTIC_LENGTH = 1_000;

/**
 * Chooses what explains a failure. The diagnostic if it does; else what mail servers wrote for people: first the reply
 * that they quote, then their own words on the recipient, then all of their words, unless the status says enough.
 */
export function explain({ status, diagnostic, words, allWords }: Failure): Explanation {
  const own = words();
  const others = status && isExplained({ status }) ? '' : allWords;
  const all = `${own} ${others}`;
  const choices = diagnostic
    ? [diagnostic, replyIn(own || others), `${diagnostic} ${own || others}`]
    : [replyIn(own), own, replyIn(all), all];
  const said = choices.find((choice) => choice && isExplained({ status, diagnostic: choice }));
  const line = (said ?? diagnostic ?? (own || others)).replace(/\s+/g, ' ').trim();
  const kept = line.slice(0, MAX_DIAGNOSTIC_LENGTH).toWellFormed();
  return { status: bestStatus(status, kept), diagnostic: kept || null };
}

/** The reply of another server: from its code to the end. */
function replyIn(words: string): string | null {
  const start = words.search(/(?:^|[\s:([])[245][0-5]\d[- ]/);
  return start < 0 ? null : words.slice(start).replace(/^[\s:([]/, '');
}
