import { actorIn, actorText } from '../../../audit/actor.js';
import type { Pattern } from '../../../rules/pattern.js';
import type { Rule, RuleChange } from '../../../rules/rule.entity.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { Card, Facts } from '../../components/card.js';
import { ConfirmationPage, ConfirmButton } from '../../components/confirmation.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { textOf, type Fields } from '../../components/form.js';
import type { List } from '../../components/list-page.js';
import { Pager } from '../../components/pager.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';
import { EffectBadge, scopeOf } from './rules.view.js';

interface RulePageProps extends PageProps {
  rule: Rule;
  /** The topic of the rule, archived or not. */
  topics: Topic[];
  /** Newest first. */
  history: List<RuleChange>;
}

const ACTIONS = { created: 'Created', replaced: 'Replaced', deleted: 'Deleted' };

export function RulePage({ visitor, rule, topics, history }: RulePageProps) {
  const path = `/console/rules/${rule.id}`;
  return (
    <ConsolePage visitor={visitor} title={rule.pattern} section="/console/rules">
      <Card>
        <Facts
          facts={{
            Effect: <EffectBadge effect={rule.effect} />,
            Topic: scopeOf(rule, topics),
            Note: rule.note ?? '–',
            Ends: rule.expiresAt ? <Timestamp at={rule.expiresAt} /> : 'Never',
            Created: <Timestamp at={rule.createdAt} />,
          }}
        />
        {canEdit(visitor) && (
          <ConfirmButton action={`${path}/delete`} label="Delete" confirm="Delete this rule">
            {rule.effect === 'block'
              ? 'From then on, the addresses that it matches get email, unless something else suppresses them.'
              : 'From then on, bounces suppress the addresses that it matches.'}
          </ConfirmButton>
        )}
      </Card>
      <Card title="History">
        <ol class="timeline">
          {history.elements.map((change) => (
            <li key={change.id}>
              <p class="row">
                <strong>{ACTIONS[change.action]}</strong>
                <EffectBadge effect={change.effect} />
                <span class="muted">
                  by {actorText(actorIn(change))}, <Timestamp at={change.createdAt} />
                </span>
              </p>
              {change.note && <p>{change.note}</p>}
            </li>
          ))}
        </ol>
        <Pager path={path} list={history} />
      </Card>
    </ConsolePage>
  );
}

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
