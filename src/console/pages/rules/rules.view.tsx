import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import type { Rule, RuleEffect } from '../../../rules/rule.entity.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { textOf, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Input, Select } from '../../components/form.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { TopicField } from '../../components/topic-field.js';
import { canEdit } from '../../people/roles.js';

interface RulesPageProps extends PageProps {
  page: Page<Rule>;
  cursor: PageCursor;
  /** The topics of the rules on this page, archived or not. */
  topics: Topic[];
  /** The topics that a rule can be for. */
  choices: Page<Topic>;
  entered?: Fields;
}

const EFFECTS = [
  { value: 'block', label: 'Block: never email these addresses' },
  { value: 'allow', label: 'Allow: email them even if they bounced' },
];

export function RulesPage(props: RulesPageProps): JSX.Element {
  const { page, cursor, topics, choices, entered, ...shared } = props;
  const isEditor = canEdit(shared.visitor);
  return (
    <ConsolePage
      {...shared}
      title="Rules"
      section="/console/rules"
      actions={
        isEditor && (
          <a class="button" href="#create">
            Create a rule
          </a>
        )
      }
    >
      <p class="lede">
        A rule blocks or allows all addresses that it matches. No rule overrides what a recipient decided: an
        unsubscribe, an opt-out, or a spam complaint.
      </p>
      <section class="card">
        <Table
          caption="Rules"
          columns={['Matches', 'Effect', 'Topic', 'Note', 'Ends']}
          rows={page.elements.map((rule) => ({
            key: rule.id,
            cells: [
              <a key="pattern" href={`/console/rules/${rule.id}`}>
                <code>{rule.pattern}</code>
              </a>,
              <EffectBadge key="effect" effect={rule.effect} />,
              scopeOf(rule, topics),
              rule.note ?? '–',
              rule.expiresAt ? <Timestamp key="ends" at={rule.expiresAt} /> : 'Never',
            ],
          }))}
          empty={`No rules yet.${isEditor ? ' Block a domain that must not be mailed, or allow one whose bounces should not count.' : ''}`}
        />
        <Pager path="/console/rules" cursor={cursor} page={page} />
      </section>
      {isEditor && <CreateCard topics={choices} entered={entered} />}
    </ConsolePage>
  );
}

export function EffectBadge({ effect }: { effect: RuleEffect }): JSX.Element {
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

function CreateCard({ topics, entered }: { topics: Page<Topic>; entered: Fields | undefined }): JSX.Element {
  return (
    <section class="card" id="create">
      <h2>Create or replace a rule</h2>
      <form class="form" method="post" action="/console/rules">
        <Input
          name="pattern"
          label="Matches"
          hint="An address, a domain (example.com), all its subdomains (*.example.com), or a local part at any domain (abuse@*)."
          value={textOf(entered, 'pattern')}
          required
        />
        <Select name="effect" label="Effect" value={textOf(entered, 'effect')} choices={EFFECTS} />
        <TopicField
          name="topic"
          label="Topic"
          topics={topics}
          value={textOf(entered, 'topic')}
          none="All email"
        />
        <Input
          name="note"
          label="Note"
          hint="The reason for the rule."
          maxLength={1000}
          value={textOf(entered, 'note')}
        />
        <Input
          name="expires_at"
          label="Ends at the start of (UTC)"
          hint="If empty, the rule does not expire."
          type="date"
          value={textOf(entered, 'expires_at')}
        />
        <button class="primary" type="submit">
          Save
        </button>
      </form>
    </section>
  );
}
