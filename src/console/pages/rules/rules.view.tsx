import type { Page } from '../../../http/page.js';
import type { Rule, RuleEffect } from '../../../rules/rule.entity.js';
import type { Topic } from '../../../topics/topic.entity.js';
import type { PageProps } from '../../components/console-page.js';
import { CardForm } from '../../components/form.js';
import { Input, Select, TopicField } from '../../components/inputs.js';
import { ListPage, type List } from '../../components/list-page.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';

interface RulesPageProps extends PageProps {
  list: List<Rule>;
  /** The topics of the listed rules, archived or not. */
  topics: Topic[];
  /** The topics that a rule can be for. */
  choices: Page<Topic>;
}

const EFFECTS: Record<RuleEffect, string> = {
  block: 'Block: never email these addresses',
  allow: 'Allow: email them even if they bounced',
};

export function RulesPage({ visitor, list, topics, choices }: RulesPageProps) {
  const isEditor = canEdit(visitor);
  return (
    <ListPage
      visitor={visitor}
      title="Rules"
      path="/console/rules"
      createLabel={isEditor && 'Create a rule'}
      intro="A rule blocks or allows all addresses that it matches. No rule overrides what a recipient decided: an unsubscribe, an opt-out, or a spam complaint."
      list={list}
      columns={{
        Matches: ({ id, pattern }) => (
          <a href={`/console/rules/${id}`}>
            <code>{pattern}</code>
          </a>
        ),
        Effect: ({ effect }) => <EffectBadge effect={effect} />,
        Topic: (rule) => scopeOf(rule, topics),
        Note: ({ note }) => note ?? '–',
        Ends: ({ expiresAt }) => (expiresAt ? <Timestamp at={expiresAt} /> : 'Never'),
      }}
      empty={`No rules yet.${isEditor ? ' Block a domain that must not be mailed, or allow one whose bounces should not count.' : ''}`}
    >
      {isEditor && <CreateCard topics={choices} />}
    </ListPage>
  );
}

export function EffectBadge({ effect }: { effect: RuleEffect }) {
  return (
    <span class={`badge ${effect === 'allow' ? 'good' : 'bad'}`}>
      {effect === 'allow' ? 'Allow' : 'Block'}
    </span>
  );
}

/** The email that a rule is about. */
export function scopeOf({ topicId }: Rule, topics: Topic[]): string {
  const topic = topics.find(({ id }) => id === topicId);
  return topic ? `${topic.name}${topic.archivedAt ? ' (archived)' : ''}` : 'All email';
}

function CreateCard({ topics }: { topics: Page<Topic> }) {
  return (
    <CardForm id="create" title="Create or replace a rule" action="/console/rules" submit="Save">
      <Input
        name="pattern"
        label="Matches"
        hint="An address, a domain (example.com), all its subdomains (*.example.com), or a local part at any domain (abuse@*)."
        required
      />
      <Select name="effect" label="Effect" choices={EFFECTS} />
      <TopicField name="topic" label="Topic" topics={topics} none="All email" />
      <Input name="note" label="Note" hint="The reason for the rule." maxLength={1000} />
      <Input
        name="expires_at"
        label="Ends at the start of (UTC)"
        hint="If empty, the rule does not expire."
        type="date"
      />
    </CardForm>
  );
}
