const MAX_LENGTH = 300;

/** The beginning of a text of others, so that many of them fit on a page. */
export function excerptOf(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
