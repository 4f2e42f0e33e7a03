import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import { titleOf } from '../../../imports/import-actor.js';
import type { FoundImport } from '../../../imports/imports.repository.js';
import type { Topic } from '../../../topics/topic.entity.js';
import type { Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Pager } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';
import { formatName, toneOf } from './import-words.js';
import { UploadCard } from './upload-card.view.js';

interface ImportsPageProps extends PageProps {
  page: Page<FoundImport>;
  after?: string | undefined;
  /** The topics to choose from. */
  topics: Page<Topic>;
  entered?: Fields;
}

export function ImportsPage({ page, after, topics, entered, ...props }: ImportsPageProps): JSX.Element {
  return (
    <ConsolePage {...props} title="Imports" section="/console/imports">
      <p class="lede">
        Import suppressions from another provider. Each address keeps its cause and its date. An import only
        adds, and can be reverted.
      </p>
      {canEdit(props.visitor) && (
        <UploadCard topics={topics} entered={entered} isOpen={props.problem !== undefined} />
      )}
      <section class="card">
        <h2>Earlier imports</h2>
        <Table
          caption="Imports"
          columns={['Import', 'Status', 'Format', 'Rows', 'Started']}
          numbers={['Rows']}
          rows={page.elements.map((found) => ({
            key: found.id,
            cells: [
              <a key="title" href={`/console/imports/${found.id}`}>
                {titleOf(found)}
              </a>,
              <StatusBadge key="status" found={found} />,
              formatName(found.plan.format),
              found.progress.rows.toLocaleString('en'),
              <Timestamp key="at" at={found.createdAt} />,
            ],
          }))}
          empty="Nothing has been imported yet. Checking a file changes nothing and shows what an import would do."
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
