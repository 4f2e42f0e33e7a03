import type { JSX } from 'preact';
import { actorIn, actorText } from '../../../audit/actor.js';
import type { Page } from '../../../http/page.js';
import type { RuleChange } from '../../../rules/rule-change.entity.js';
import type { Rule } from '../../../rules/rule.entity.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';
import { EffectBadge, scopeOf } from './rules.view.js';

interface RulePageProps extends PageProps {
  rule: Rule;
  /** The topic of the rule, archived or not. */
  topics: Topic[];
  /** Newest first. */
  history: Page<RuleChange>;
  cursor: PageCursor;
}

const ACTIONS = { created: 'Created', replaced: 'Replaced', deleted: 'Deleted' };

export function RulePage({ rule, topics, history, cursor, ...props }: RulePageProps): JSX.Element {
  const path = `/console/rules/${rule.id}`;
  return (
    <ConsolePage {...props} title={rule.pattern} section="/console/rules">
      <section class="card">
        <dl class="facts">
          <dt>Effect</dt>
          <dd>
            <EffectBadge effect={rule.effect} />
          </dd>
          <dt>Topic</dt>
          <dd>{scopeOf(rule, topics)}</dd>
          <dt>Note</dt>
          <dd>{rule.note ?? '–'}</dd>
          <dt>Ends</dt>
          <dd>{rule.expiresAt ? <Timestamp at={rule.expiresAt} /> : 'Never'}</dd>
          <dt>Created</dt>
          <dd>
            <Timestamp at={rule.createdAt} />
          </dd>
        </dl>
        {canEdit(props.visitor) && (
          <ConfirmButton action={`${path}/delete`} label="Delete" confirm="Delete this rule">
            {rule.effect === 'block'
              ? 'From then on, the addresses that it matches get email, unless something else suppresses them.'
              : 'From then on, bounces suppress the addresses that it matches.'}
          </ConfirmButton>
        )}
      </section>
      <section class="card">
        <h2>History</h2>
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
        <Pager path={path} cursor={cursor} page={history} />
      </section>
    </ConsolePage>
  );
}
