/** Its path has no dots or escapes, so a browser cannot normalize it to a page outside the console. */
const OWN_PAGE = /^\/console(?:\/[\w-]+)*(?:\?[\w\-.~%!$&'()*+,;=:@/?]*)?$/;

/** A page of the console, or its first one for any other text. */
export function pageOr(text: string): string {
  return OWN_PAGE.test(text) ? text : '/console';
}
