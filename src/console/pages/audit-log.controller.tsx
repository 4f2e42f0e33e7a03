import { Get } from '@nestjs/common';
import { ListAuditLogDto } from '../../audit-log/audit-log.dto.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import { actorIn } from '../../audit/actor-columns.js';
import { actorText, apiKeyName } from '../../audit/actor.js';
import {
  AUDIT_ACTION_MEANINGS,
  AUDIT_SUBJECTS,
  type AuditChanges,
  type AuditEntry,
} from '../../audit/audit-entry.entity.js';
import type { HtmlResponse } from '../../http/responses/html-response.js';
import { ConsoleController } from '../access/console-controller.decorator.js';
import { CurrentVisit, readFiltered, submit, type Visit } from '../access/visit.js';
import { FilterForm, justBefore, pick } from '../components/form.js';
import { DateInputs, Input, Select } from '../components/inputs.js';
import { type List, ListPage, urlOf } from '../components/list.js';
import { Timestamp } from '../components/content.js';
import { capitalized } from '../components/words.js';

const ROWS = '50';

@ConsoleController('audit-log', 'admin')
export class AuditLogPageController {
  constructor(private readonly auditLog: AuditLogService) {}

  @Get()
  show(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const filter = pick(visit.query, ['actor', 'action', 'created_after', 'created_before']);
    return submit(
      visit,
      async () => this.page(visit, filter, await this.read(visit, filter)),
      (refused) => this.page(refused, filter),
    );
  }

  private page(visit: Visit, filter: AuditFilter, list?: List<AuditEntry>): HtmlResponse {
    return (
      <ListPage
        visitor={visit}
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
            <Select name="action" label="What" emptyLabel="Any" choices={SUBJECTS} />
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
        empty="No matching changes."
      />
    );
  }

  private read(visit: Visit, filter: AuditFilter): Promise<List<AuditEntry>> {
    const fields = { ...filter, created_after: justBefore(filter.created_after), limit: ROWS };
    return readFiltered(ListAuditLogDto, visit, fields, (asked) =>
      this.auditLog.page(visit.accountId, asked),
    );
  }
}

/** As the person entered it. */
type AuditFilter = Record<'actor' | 'action' | 'created_after' | 'created_before', string>;

const SUBJECTS = Object.fromEntries(
  Object.entries(AUDIT_SUBJECTS).map(([value, subject]) => [value, capitalized(subject)]),
);

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
