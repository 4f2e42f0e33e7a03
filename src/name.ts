/** What a table and a log can show in one line: no control characters, line breaks or halves of characters. */
const NAME = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}]{1,100}$/u;

/** Whether a person may name a thing so: 1 to 100 characters. */
export function isName(text: string): boolean {
  return NAME.test(text);
}
