import type { Page } from '../../../http/page.js';
import { titleOf } from '../../../imports/import.dto.js';
import type { FoundImport } from '../../../imports/imports.repository.js';
import type { Topic } from '../../../topics/topic.entity.js';
import type { PageProps } from '../../components/console-page.js';
import { CardForm, type Fields } from '../../components/form.js';
import { Input, Select, TopicField } from '../../components/inputs.js';
import { ListPage, type List } from '../../components/list.js';
import { Timestamp } from '../../components/content.js';
import { CAUSE_NAMES } from '../../components/words.js';
import { DATE_FORMAT_CHOICES, FORMAT_CHOICES, formatName, TONES } from './import-words.js';

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
      above={visitor.isEditor && <UploadCard topics={topics} isOpen={visitor.problem !== undefined} />}
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

interface UploadCardProps {
  title?: string;
  values?: Fields;
  /** The topics to choose from. */
  topics: Page<Topic>;
  /** Whether to show the options that few need. */
  isOpen?: boolean;
}

/** The file comes last, so that the fields have arrived before it. */
export function UploadCard({
  title = 'Import a file',
  values = { dry_run: 'true', default_cause: 'manual' },
  topics,
  isOpen = false,
}: UploadCardProps) {
  return (
    <CardForm
      title={title}
      action="/console/imports"
      enctype="multipart/form-data"
      submit="Upload"
      values={values}
    >
      <Select
        name="dry_run"
        label="What to do"
        hint="A check changes nothing, and shows what an import would do."
        choices={{ true: 'Check', false: 'Import' }}
      />
      <details open={isOpen}>
        <summary>More options</summary>
        <div class="form">
          <Select name="format" label="Format" none="Detect automatically" choices={FORMAT_CHOICES} />
          <Input
            name="mapping"
            label="Columns"
            hint="Only for a CSV of another system: email=Address,cause=Reason,created_at=Date"
          />
          <Select
            name="date_format"
            label="Date format"
            none="The same everywhere, such as 2021-04-03"
            choices={DATE_FORMAT_CHOICES}
          />
          <Input
            name="time_zone"
            label="Time zone"
            hint="Of dates without an offset, such as Europe/Berlin. Defaults to UTC."
          />
          <Select name="default_cause" label="Cause of rows without one" choices={CAUSE_NAMES} />
          <TopicField
            name="topic"
            label="Opt-outs of a topic"
            topics={topics}
            none="None: the file has suppressions"
          />
          <Input
            name="name"
            label="Name"
            hint="Shown in the history. Defaults to the name of the file."
            maxLength={100}
          />
        </div>
      </details>
      <Input
        name="file"
        label="File"
        hint="Choose a file or drop it here: CSV, JSON, or text of up to 1 GiB, uncompressed or compressed with gzip."
        type="file"
        required
      />
    </CardForm>
  );
}
