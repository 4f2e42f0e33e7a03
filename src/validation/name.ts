/**
 * Text that a table and a log can show in one line: no control characters, line breaks or unpaired
 * surrogates, and nothing invisible but joiners (U+200C, U+200D), which some scripts and emoji need.
 */
const NAME = /^(?:[\u200c\u200d]|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]){1,100}$/u;

/** Whether a text may be a name: 1 to 100 characters. */
export function isName(text: string): boolean {
  return NAME.test(text);
}
