/** Without control characters, by which a text of others could command the terminal or forge a row. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\u{FFFD}');
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
