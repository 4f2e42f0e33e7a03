import type { JSX } from 'preact';
import { actorIn, actorText, apiKeyName } from '../../../audit/actor.js';
import {
  AUDIT_ACTION_MEANINGS,
  AUDIT_SUBJECTS,
  type AuditChanges,
  type AuditEntry,
} from '../../../audit/audit-entry.entity.js';
import type { Page } from '../../../http/page.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { DateInputs, type EnteredDates } from '../../components/date-inputs.js';
import { Input, Select } from '../../components/form.js';
import { Pager, urlOf, type PageCursor } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { capitalized } from '../../components/words.js';

/** The filter as the person entered it. */
export type EnteredAuditFilter = Record<'actor' | 'action', string> & EnteredDates;

interface AuditLogPageProps extends PageProps {
  entered: EnteredAuditFilter;
  cursor?: PageCursor;
  page?: Page<AuditEntry>;
}

const KIND_CHOICES = [
  { value: '', label: 'Any' },
  ...Object.entries(AUDIT_SUBJECTS).map(([value, subject]) => ({ value, label: capitalized(subject) })),
];

export function AuditLogPage({ entered, page, cursor = {}, ...props }: AuditLogPageProps): JSX.Element {
  return (
    <ConsolePage {...props} title="Audit log" section="/console/audit-log">
      <p class="lede">
        Who changed API keys, people, settings, sources, webhooks, and topics, and who exported or scrubbed.
        Changes of suppressions are in the history of each address.
      </p>
      <form class="card" method="get" action="/console/audit-log">
        <div class="row">
          <Input
            name="actor"
            label="Who"
            value={entered.actor}
            optional={false}
            placeholder="ada@example.com, or the name of a key"
          />
          <Select name="action" label="What" value={entered.action} choices={KIND_CHOICES} />
          <DateInputs entered={entered} />
          <button class="primary" type="submit">
            Filter
          </button>
        </div>
      </form>
      {page && (
        <section class="card">
          <Table
            caption="Audit log"
            columns={['What', 'Changes', 'Who', 'Time']}
            rows={page.elements.map((entry) => ({
              key: entry.id,
              cells: [
                <>
                  <strong>{subjectOf(entry)}</strong>
                  <div class="muted">{capitalized(AUDIT_ACTION_MEANINGS[entry.action])}</div>
                </>,
                <Changes key="changes" changes={entry.changes} />,
                <a key="who" href={urlOf('/console/audit-log', { actor: entry.actorId ?? entry.actorName })}>
                  {actorText(actorIn(entry))}
                </a>,
                <Timestamp key="at" at={entry.createdAt} />,
              ],
            }))}
            empty="No change matches."
          />
          <Pager path="/console/audit-log" query={entered} cursor={cursor} page={page} />
        </section>
      )}
    </ConsolePage>
  );
}

function subjectOf({ action, subjectId, subjectName }: AuditEntry): string {
  return action.startsWith('api_key.') ? apiKeyName(subjectName, subjectId) : subjectName;
}

function Changes({ changes }: { changes: AuditChanges }): JSX.Element {
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
