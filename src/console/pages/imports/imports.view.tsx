import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import { titleOf } from '../../../imports/import-actor.js';
import type { FoundImport } from '../../../imports/imports.repository.js';
import { textOf, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Input, Select } from '../../components/form.js';
import { Pager } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { CAUSE_NAMES } from '../../components/words.js';
import { canEdit } from '../../people/roles.js';
import { CAUSES } from '../../../ledger/cause.js';
import { FORMAT_CHOICES, formatName, toneOf } from './import-words.js';

interface ImportsPageProps extends PageProps {
  page: Page<FoundImport>;
  after?: string | undefined;
  entered?: Fields;
}

export function ImportsPage({ page, after, entered, ...props }: ImportsPageProps): JSX.Element {
  return (
    <ConsolePage {...props} title="Imports" section="/console/imports">
      <p class="lede">
        Bring suppressions from another provider. Each address keeps its cause and its date. An import only
        adds, and can be reverted.
      </p>
      {canEdit(props.visitor) && <UploadCard entered={entered} isOpen={props.problem !== undefined} />}
      <section class="card">
        <h2>Earlier imports</h2>
        <Table
          caption="Imports"
          columns={['Import', 'Status', 'Format', 'Rows', 'Started']}
          rows={page.elements.map((found) => ({
            key: found.id,
            cells: [
              <a key="title" href={`/console/imports/${found.id}`}>
                {titleOf(found)}
              </a>,
              <StatusBadge key="status" found={found} />,
              formatName(found.plan.format),
              <span key="rows" class="number">
                {found.progress.rows.toLocaleString('en')}
              </span>,
              <Timestamp key="at" at={found.createdAt} />,
            ],
          }))}
          empty="There are no imports yet."
        />
        <Pager path="/console/imports" cursor={{ after }} page={page} isForwardOnly />
      </section>
    </ConsolePage>
  );
}

export function StatusBadge({ found: { status, dryRun } }: { found: FoundImport }): JSX.Element {
  const words = dryRun && status === 'completed' ? 'checked' : status;
  return <span class={`badge ${toneOf(status)}`}>{words}</span>;
}

/** The file comes last, so that the fields have arrived before it. */
export function UploadCard({
  entered = {},
  title = 'Import a file',
  isOpen = false,
}: {
  entered?: Fields | undefined;
  title?: string;
  /** Whether to show the options that few need. */
  isOpen?: boolean;
}): JSX.Element {
  return (
    <section class="card">
      <h2>{title}</h2>
      <form class="form" method="post" action="/console/imports" enctype="multipart/form-data">
        <Select
          name="dry_run"
          label="What to do"
          value={textOf(entered, 'dry_run') || 'true'}
          choices={[
            { value: 'true', label: 'Only check: show what would change' },
            { value: 'false', label: 'Import' },
          ]}
        />
        <details open={isOpen}>
          <summary>More options</summary>
          <div class="form">
            <Select name="format" label="Format" value={textOf(entered, 'format')} choices={FORMAT_CHOICES} />
            <Input
              name="mapping"
              label="Columns"
              hint="Only for a CSV of another system: email=Address,cause=Reason,created_at=Date"
              value={textOf(entered, 'mapping')}
            />
            <Select
              name="default_cause"
              label="Cause of rows without one"
              value={textOf(entered, 'default_cause') || 'manual'}
              choices={CAUSES.map((cause) => ({ value: cause, label: CAUSE_NAMES[cause] }))}
            />
            <Input
              name="name"
              label="Name"
              hint="Shown in the history. Defaults to the name of the file."
              maxLength={100}
              value={textOf(entered, 'name')}
            />
          </div>
        </details>
        <div class="field">
          <label for="field-file">File</label>
          <p class="hint" id="field-file-hint">
            Choose it, or drop it here: CSV, JSON or text, up to 1 GiB, compressed with gzip or not.
          </p>
          <input id="field-file" name="file" type="file" aria-describedby="field-file-hint" required />
        </div>
        <button class="primary" type="submit">
          Upload
        </button>
      </form>
    </section>
  );
}
