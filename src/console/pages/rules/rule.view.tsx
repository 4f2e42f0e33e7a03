import { actorIn, actorText } from '../../../audit/actor.js';
import type { RuleChange } from '../../../rules/rule-change.entity.js';
import type { Rule } from '../../../rules/rule.entity.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { Card } from '../../components/card.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Facts } from '../../components/facts.js';
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
