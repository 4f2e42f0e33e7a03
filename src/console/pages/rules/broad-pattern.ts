import type { Pattern } from '../../../rules/pattern.js';

export const SUBDOMAINS = '*.';

/** Labels below which the registries of countries let others register domains, as in `co.uk` and `com.au`. */
const REGISTRY_LABELS = new Set(
  'ac co com edu go gob gouv gov gv id in info ltd me mil ne net nhs nom or org plc sch school web'.split(
    ' ',
  ),
);

/**
 * Whether a pattern matches all domains of a registry, which is rarely meant, or a top-level domain, which has no mail. The console
 * then asks, so a list of what is usual is enough. Without `*.`, a pattern such as `web.de` matches one domain.
 */
export function coversRegistry(pattern: Pattern): boolean {
  if (/[@\]]/.test(pattern)) {
    return false;
  }
  const [first = '', country, ...others] = pattern.replace(SUBDOMAINS, '').split('.');
  const isRegistry = country?.length === 2 && REGISTRY_LABELS.has(first) && others.length === 0;
  return country === undefined || (isRegistry && pattern.startsWith(SUBDOMAINS));
}
