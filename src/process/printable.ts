/** Replaces characters with which untrusted text could control the terminal, forge a row, or reverse the order of a line. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\u{FFFD}');
}

/** Like {@link printable}, but keeps line breaks and tabs. */
export function printableLines(text: string): string {
  return text.replace(/[^\n\t]+/g, (part) => printable(part));
}
