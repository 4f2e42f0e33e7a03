const MAX_LENGTH = 200;
const SEPARATORS = /[\s<>()[\]{}"“”|]+/;
/** What a scheme and a host begin, such as `https://support.google.com/mail/?p=NoSuchUser`. */
const URL_WITH_HOST = /^[a-z][a-z+.-]*:\/\/[^/?#]*/i;
/** Without the punctuation around it. */
const WORD = /\p{L}(?:.*[\p{L}\p{M}])?/u;
/** `mx.example.com`, `john.doe`; but not `e.g.` */
const HOST = /^[\p{L}\p{M}_-]+(?:\.[\p{L}\p{M}_-]+)*\.[\p{L}\p{M}_-]{2,}$/u;
const HAS_ID = /[\d@=\\]/;

/**
 * The words of a diagnostic that are the same for all recipients of a mail server: without addresses, hosts, and words with
 * digits, such as codes and ids. It keeps words like `NoSuchUser` and `gsmtp`, which tell servers apart.
 *
 * @param recipient - its local part is left out even where it stands alone
 * @returns at most 200 characters; empty if no word is left
 */
export function fingerprintOf(diagnostic: string, recipient?: string): string {
  const localPart = recipient?.slice(0, recipient.lastIndexOf('@')).toLowerCase();
  const words = diagnostic
    .split(SEPARATORS)
    .flatMap((token) =>
      URL_WITH_HOST.test(token) ? token.replace(URL_WITH_HOST, '').split(/[/?&=#]+/) : token,
    )
    .filter((token) => token.toLowerCase() !== localPart && !HAS_ID.test(token))
    .flatMap((token) => WORD.exec(token) ?? [])
    .filter((word) => word.toLowerCase() !== localPart && !HOST.test(word));
  return words.join(' ').slice(0, MAX_LENGTH).trimEnd();
}
