import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import type { Rule } from '../../../rules/rule.entity.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { textOf, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Input, Select } from '../../components/form.js';
import { Pager } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';

interface RulesPageProps extends PageProps {
  page: Page<Rule>;
  cursor: { after?: string | undefined; before?: string | undefined };
  topics: Topic[];
  entered?: Fields;
}

const EFFECTS = [
  { value: 'block', label: 'Block: never mail these addresses' },
  { value: 'allow', label: 'Allow: mail them although they bounced' },
];

export function RulesPage({ page, cursor, topics, entered, ...props }: RulesPageProps): JSX.Element {
  const topicNames = new Map(topics.map(({ id, name }) => [id, name]));
  const isEditor = canEdit(props.visitor);
  return (
    <ConsolePage {...props} title="Rules" section="/console/rules">
      <p class="lede">
        A rule blocks or allows all addresses that it matches. No rule overrides what a recipient decided: an
        unsubscribe, an opt-out, or a spam complaint.
      </p>
      <section class="card">
        <Table
          caption="Rules"
          columns={['Matches', 'Effect', 'For', 'Note', 'Ends', ...(isEditor ? ['Delete'] : [])]}
          rows={page.elements.map((rule) => ({
            key: rule.id,
            cells: [
              <code key="pattern">{rule.pattern}</code>,
              <span key="effect" class={`badge ${rule.effect === 'allow' ? 'good' : 'bad'}`}>
                {rule.effect === 'allow' ? 'Allow' : 'Block'}
              </span>,
              rule.topicId ? (topicNames.get(rule.topicId) ?? 'An archived topic') : 'All mail',
              rule.note ?? '–',
              rule.expiresAt ? <Timestamp key="ends" at={rule.expiresAt} /> : 'Never',
              ...(isEditor ? [<DeleteForm key="delete" rule={rule} />] : []),
            ],
          }))}
          empty="There are no rules yet."
        />
        <Pager
          path="/console/rules"
          cursor={cursor}
          ids={page.elements.map(({ id }) => id)}
          hasMore={page.hasMore}
        />
      </section>
      {isEditor && <CreateCard topics={topics} entered={entered} />}
    </ConsolePage>
  );
}

function DeleteForm({ rule }: { rule: Rule }): JSX.Element {
  return (
    <form method="post" action={`/console/rules/${rule.id}/delete`}>
      <button class="link" type="submit" aria-label={`Delete the rule for ${rule.pattern}`}>
        Delete
      </button>
    </form>
  );
}

function CreateCard({ topics, entered }: { topics: Topic[]; entered: Fields | undefined }): JSX.Element {
  return (
    <section class="card">
      <h2>Create or replace a rule</h2>
      <form class="form" method="post" action="/console/rules">
        <Input
          name="pattern"
          label="Matches"
          hint="An address, a domain (example.com), all its subdomains (*.example.com), or a name at any domain (abuse@*)."
          value={textOf(entered, 'pattern')}
          required
        />
        <Select name="effect" label="Effect" value={textOf(entered, 'effect')} choices={EFFECTS} />
        <Select
          name="topic"
          label="For"
          value={textOf(entered, 'topic')}
          choices={[
            { value: '', label: 'All mail' },
            ...topics.map(({ id, name }) => ({ value: id, label: `Only ${name}` })),
          ]}
        />
        <Input
          name="note"
          label="Note"
          hint="Why, for those who read the rule."
          maxLength={1000}
          value={textOf(entered, 'note')}
        />
        <Input
          name="expires_at"
          label="Ends on"
          hint="Leave it empty for a rule that stays."
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
