import { actorIn, actorText, apiKeyName } from '../../../audit/actor.js';
import {
  AUDIT_ACTION_MEANINGS,
  AUDIT_SUBJECTS,
  type AuditChanges,
  type AuditEntry,
} from '../../../audit/audit-entry.entity.js';
import type { PageProps } from '../../components/console-page.js';
import { FilterForm } from '../../components/form.js';
import { DateInputs, Input, Select } from '../../components/inputs.js';
import { ListPage, type List } from '../../components/list-page.js';
import { urlOf } from '../../components/pager.js';
import { Timestamp } from '../../components/timestamp.js';
import { capitalized } from '../../components/words.js';

/** As the person entered it. */
export type AuditFilter = Record<'actor' | 'action' | 'created_after' | 'created_before', string>;

interface AuditLogPageProps extends PageProps {
  filter: AuditFilter;
  list?: List<AuditEntry>;
}

const SUBJECTS = Object.fromEntries(
  Object.entries(AUDIT_SUBJECTS).map(([value, subject]) => [value, capitalized(subject)]),
);

export function AuditLogPage({ visitor, filter, list }: AuditLogPageProps) {
  return (
    <ListPage
      visitor={visitor}
      title="Audit log"
      path="/console/audit-log"
      intro="Who changed API keys, people, settings, sources, webhooks, and topics, and who exported or scrubbed. Changes of suppressions are in the history of each address."
      above={
        <FilterForm action="/console/audit-log" values={filter}>
          <Input
            name="actor"
            label="Who"
            optional={false}
            placeholder="ada@example.com, or the name of a key"
          />
          <Select name="action" label="What" none="Any" choices={SUBJECTS} />
          <DateInputs />
        </FilterForm>
      }
      list={list}
      query={filter}
      columns={{
        What: (entry) => (
          <>
            <strong>
              <Subject {...entry} />
            </strong>
            <div class="muted">{capitalized(AUDIT_ACTION_MEANINGS[entry.action])}</div>
          </>
        ),
        Changes: ({ changes }) => <Changes changes={changes} />,
        Who: (entry) => (
          <a href={urlOf('/console/audit-log', { actor: entry.actorId ?? entry.actorName })}>
            {actorText(actorIn(entry))}
          </a>
        ),
        Time: ({ createdAt }) => <Timestamp at={createdAt} />,
      }}
      empty="No change matches."
    />
  );
}

function Subject({ action, subjectId, subjectName }: AuditEntry) {
  if (action === 'contact.erased') {
    return <a href={`/console/personal-data/erasures/${subjectId}`}>{subjectName}</a>;
  }
  return <>{action.startsWith('api_key.') ? apiKeyName(subjectName, subjectId) : subjectName}</>;
}

function Changes({ changes }: { changes: AuditChanges }) {
  return (
    <>
      {Object.entries(changes).map(([field, { from, to }]) => (
        <div key={field}>
          {field}: {from === null ? textOf(to) : `${textOf(from)} → ${textOf(to)}`}
        </div>
      ))}
    </>
  );
}

function textOf(value: unknown): string {
  if (value === null) {
    return 'none';
  }
  return Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value);
}
