import type { JSX } from 'preact';
import {
  AUDIT_ACTION_MEANINGS,
  type AuditChanges,
  type AuditEntry,
} from '../../../audit/audit-entry.entity.js';
import type { Cursor, Page } from '../../../http/page.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Pager } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { ACTOR_NAMES } from '../../components/words.js';

interface AuditLogPageProps extends PageProps {
  page: Page<AuditEntry>;
  cursor: Cursor;
}

export function AuditLogPage({ page, cursor, ...props }: AuditLogPageProps): JSX.Element {
  return (
    <ConsolePage {...props} title="Audit log" section="/console/audit-log">
      <p class="lede">
        Who changed API keys, people, settings, sources, webhooks and topics. Changes of suppressions are in
        the history of each address.
      </p>
      <section class="card">
        <Table
          caption="Audit log"
          columns={['What', 'Changes', 'Who', 'Time']}
          rows={page.elements.map((entry) => ({
            key: entry.id,
            cells: [
              <>
                <strong>{entry.subjectName}</strong>
                <div class="muted">{AUDIT_ACTION_MEANINGS[entry.action]}</div>
              </>,
              <Changes key="changes" changes={entry.changes} />,
              actorText(entry),
              <Timestamp key="at" at={entry.createdAt} />,
            ],
          }))}
          empty="Nothing has been changed yet."
        />
        <Pager path="/console/audit-log" cursor={cursor} page={page} />
      </section>
    </ConsolePage>
  );
}

function actorText({ actorType, actorName }: AuditEntry): string {
  return `${ACTOR_NAMES[actorType]}${actorType === 'system' ? ':' : ''} ${actorName}`.trim();
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
