import type { Pattern } from '../../../rules/pattern.js';
import { ConfirmationPage } from '../../components/confirmation-page.js';
import type { PageProps } from '../../components/console-page.js';
import { textOf, type Fields } from '../../components/fields.js';
import { SUBDOMAINS } from './broad-pattern.js';

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
