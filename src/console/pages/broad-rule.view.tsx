import type { Pattern } from '../../rules/pattern.js';
import { ConfirmationPage } from '../components/confirmation.js';
import type { PageProps } from '../components/console-page.js';
import { textOf, type Fields } from '../components/form.js';

interface BroadRulePageProps extends PageProps {
  pattern: Pattern;
  entered: Fields;
}

/** Asks before a rule is saved that matches all domains of a registry. */
export function BroadRulePage({ visitor, pattern, entered }: BroadRulePageProps) {
  const isBlock = textOf(entered, 'effect') === 'block';
  const topic = textOf(entered, 'topic');
  const email = topic ? `email about ${topic}` : 'email, password resets included';
  return (
    <ConfirmationPage
      visitor={visitor}
      title={`${isBlock ? 'Block' : 'Allow'} ${pattern}?`}
      section="/console/rules"
      action="/console/rules"
      submit="Save this rule"
      hidden={{ ...entered, confirmed: 'true' }}
      back="/console/rules"
    >
      <p>{matchesOf(pattern)}</p>
      <p>
        {isBlock
          ? `None of these addresses would get any ${email}.`
          : topic
            ? `A bounce would no longer stop any ${email} to these addresses.`
            : 'A bounce would no longer suppress any of these addresses.'}
      </p>
    </ConfirmationPage>
  );
}

function matchesOf(pattern: Pattern): string {
  return pattern.startsWith(SUBDOMAINS)
    ? `${pattern} matches every address at every domain that ends in .${pattern.slice(SUBDOMAINS.length)}.`
    : `Only addresses such as ada@${pattern} match, and none at the domains below ${pattern}: for those, the pattern is ` +
        `${SUBDOMAINS}${pattern}.`;
}

const SUBDOMAINS = '*.';

/** Labels below which the registries of countries let others register domains, as in `co.uk` and `com.au`. */
const REGISTRY_LABELS = new Set(
  'ac co com edu go gob gouv gov gv id in info ltd me mil ne net nhs nom or org plc sch school web'.split(
    ' ',
  ),
);

/**
 * Whether a pattern matches all domains of a registry, which is rarely meant, or a top-level domain, which has no mail. The
 * console then asks, so a list of what is usual is enough. Without `*.`, a pattern such as `web.de` matches one domain.
 */
export function coversRegistry(pattern: Pattern): boolean {
  if (/[@\]]/.test(pattern)) {
    return false;
  }
  const [first = '', country, ...others] = pattern.replace(SUBDOMAINS, '').split('.');
  const isRegistry = country?.length === 2 && REGISTRY_LABELS.has(first) && others.length === 0;
  return country === undefined || (isRegistry && pattern.startsWith(SUBDOMAINS));
}
