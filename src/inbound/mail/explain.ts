import { bestStatus, classify, isExplained } from '../policy/classify.js';
import { REPLY_TO_SENDER } from '../policy/wording.js';
import type { Failure } from './failure.js';

export interface Explanation {
  status: string | null;
  diagnostic: string | null;
}

const MAX_DIAGNOSTIC_LENGTH = 1_000;
/** As Postfix writes it. */
const IN_REPLY = ' (in reply to MAIL FROM command)';

/**
 * Chooses what explains a failure: the diagnostic if it does, else what mail servers wrote for people. Of that, the
 * reply they quote comes first, then their words on the recipient, then all of their words unless the status is enough.
 * What precedes the first recipient comes last: a reply in it, or else words that do not suppress, since they may list
 * what happens in general.
 */
export function explain({ status, diagnostic, words, preamble, allWords }: Failure): Explanation {
  const own = words();
  const isEnough = status !== null && isExplained({ status });
  const other = isEnough ? '' : allWords;
  const all = `${own} ${other}`;
  const choices = diagnostic
    ? [diagnostic, replyIn(own || other), `${diagnostic} ${own || other}`]
    : [replyIn(own), own, replyIn(all), all];
  const general = isEnough ? [] : [replyIn(preamble), isHarmless(status, preamble) ? preamble : null];
  const choice = [...choices, ...general].find((text) => text && isExplained({ status, diagnostic: text }));
  const line = oneLine(choice ?? diagnostic ?? (own || other), MAX_DIAGNOSTIC_LENGTH);
  const command = REPLY_TO_SENDER.test(own.toLowerCase()) && !REPLY_TO_SENDER.test(line.toLowerCase());
  const text = command ? `${oneLine(line, MAX_DIAGNOSTIC_LENGTH - IN_REPLY.length)}${IN_REPLY}` : line;
  return { status: bestStatus(status, text), diagnostic: text || null };
}

function isHarmless(status: string | null, diagnostic: string): boolean {
  return classify({ status, diagnostic }).effect !== 'suppress';
}

function oneLine(text: string, maxLength: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, maxLength).toWellFormed();
}

function replyIn(words: string): string | null {
  const start = words.search(/(?:^|[\s:([])[45][0-5]\d[- ]/);
  return start < 0 ? null : words.slice(start).replace(/^[\s:([]/, '');
}
