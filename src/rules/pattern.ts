import {
  domainOf,
  localPartOf,
  parseDomain,
  parseEmailAddress,
  type EmailAddress,
} from '../email-address/email-address.js';
import { Invalid } from '../validation/parsers.js';

/**
 * The pattern of a rule, in its normal form: an address, a domain, all subdomains of a domain (`*.example.com`), or a local
 * part at any domain (`abuse@*`).
 */
export type Pattern = string & { readonly patternBrand: unique symbol };

export const PATTERN_FORMS: string =
  'must be an address (ada@example.com), a domain (example.com), the subdomains of a domain (*.example.com), ' +
  'or a name at any domain (abuse@*)';

const SUBDOMAINS = '*.';
const ANY_DOMAIN = '@*';

export function parsePattern(input: unknown): Pattern | Invalid {
  const text = typeof input === 'string' ? input.trim() : '';
  const coversSubdomains = text.startsWith(SUBDOMAINS);
  const isLocalPart = text.endsWith(ANY_DOMAIN);
  const fixed = text.slice(
    coversSubdomains ? SUBDOMAINS.length : 0,
    isLocalPart ? -ANY_DOMAIN.length : undefined,
  );
  if (fixed.includes('*') || (coversSubdomains && text.includes('@'))) {
    return new Invalid(`${PATTERN_FORMS}; elsewhere it must not contain an asterisk`);
  }
  if (coversSubdomains && fixed.startsWith('[')) {
    return new Invalid('must not have an asterisk before an address literal, which has no subdomains');
  }
  const parsed = isLocalPart
    ? parseEmailAddress(`${fixed}@example.com`)
    : fixed.includes('@')
      ? parseEmailAddress(fixed)
      : parseDomain(fixed);
  if (parsed instanceof Invalid) {
    return new Invalid(problemWith(text));
  }
  return isLocalPart
    ? (`${localPartOf(parsed as EmailAddress)}${ANY_DOMAIN}` as Pattern)
    : (`${coversSubdomains ? SUBDOMAINS : ''}${parsed}` as Pattern);
}

function problemWith(text: string): string {
  if (text.startsWith('@') && text !== ANY_DOMAIN) {
    return 'must not begin with an @: write a domain as example.com';
  }
  return /[\s<>]/.test(text) ? 'must not contain spaces or angle brackets' : PATTERN_FORMS;
}

/**
 * The patterns that match an address, the most specific first: the address itself, its domain, the domains above, from the
 * longest to the shortest, and its local part.
 */
export function patternsMatching(email: EmailAddress): Pattern[] {
  const domain = domainOf(email);
  const patterns: string[] = [email, domain];
  for (
    let dot = domain.indexOf('.');
    dot >= 0 && !domain.startsWith('[');
    dot = domain.indexOf('.', dot + 1)
  ) {
    patterns.push(`*${domain.slice(dot)}`);
  }
  patterns.push(`${localPartOf(email)}${ANY_DOMAIN}`);
  return patterns as Pattern[];
}

/** How a caller names a rule: by its id, or a rule for all mail by its pattern. */
export type RuleRef = { id: string } | { pattern: Pattern };
