import type { Page } from '../../../http/page.js';
import { titleOf } from '../../../imports/import-actor.js';
import type { FoundImport } from '../../../imports/imports.repository.js';
import type { Topic } from '../../../topics/topic.entity.js';
import type { PageProps } from '../../components/console-page.js';
import { ListPage, type List } from '../../components/list-page.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';
import { formatName, TONES } from './import-words.js';
import { UploadCard } from './upload-card.view.js';

interface ImportsPageProps extends PageProps {
  list: List<FoundImport>;
  /** The topics to choose from. */
  topics: Page<Topic>;
}

export function ImportsPage({ visitor, list, topics }: ImportsPageProps) {
  return (
    <ListPage
      visitor={visitor}
      title="Imports"
      path="/console/imports"
      intro="Import suppressions from another provider. Each address keeps its cause and its date. An import only adds, and can be reverted."
      above={canEdit(visitor) && <UploadCard topics={topics} isOpen={visitor.problem !== undefined} />}
      listTitle="Earlier imports"
      list={list}
      isForwardOnly
      columns={{
        Import: (job) => <a href={`/console/imports/${job.id}`}>{titleOf(job)}</a>,
        Status: (job) => <StatusBadge job={job} />,
        Format: ({ plan }) => formatName(plan.format),
        Rows: ({ progress }) => progress.rows.toLocaleString('en'),
        Started: ({ createdAt }) => <Timestamp at={createdAt} />,
      }}
      numbers={['Rows']}
      empty="Nothing has been imported yet. Checking a file changes nothing and shows what an import would do."
    />
  );
}

export function StatusBadge({ job: { status, dryRun } }: { job: FoundImport }) {
  return (
    <span class={`badge ${TONES[status]}`}>{dryRun && status === 'completed' ? 'checked' : status}</span>
  );
}
