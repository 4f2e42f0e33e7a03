/** Replaces control characters, with which text from others could control the terminal or forge a row. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\u{FFFD}');
}

/** Like {@link printable}, but keeps line breaks. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
