import type { Page } from '../../../http/page.js';
import { DATE_FORMATS } from '../../../imports/dates.js';
import { FORMAT_NAMES } from '../../../imports/formats/formats.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { CardForm, type Fields } from '../../components/form.js';
import { Input, Select, TopicField } from '../../components/inputs.js';
import { CAUSE_NAMES, PROVIDER_LABELS } from '../../components/words.js';

const GENERIC: Record<string, string> = {
  csv: 'CSV or JSON with a column of addresses',
  plain: 'One address on each line',
  export: 'Export of this service',
  'topic-export': "Export of a topic's opt-outs",
};

/** `SendGrid: bounces` */
export function formatName(format: string): string {
  const [provider = '', ...rest] = format.split('-');
  const name = PROVIDER_LABELS[provider as keyof typeof PROVIDER_LABELS] as string | undefined;
  return GENERIC[format] ?? (name ? [name, rest.join(' ')].filter(Boolean).join(': ') : format);
}

const FORMAT_CHOICES = Object.fromEntries(FORMAT_NAMES.map((name) => [name, formatName(name)]));

const DATE_FORMAT_CHOICES = Object.fromEntries(DATE_FORMATS.map((format) => [format, format]));

interface UploadCardProps {
  title?: string;
  values?: Fields;
  /** The topics to choose from. */
  topics: Page<Topic>;
  /** Whether to show the options that few people need. */
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
          <Select name="format" label="Format" emptyLabel="Detect automatically" choices={FORMAT_CHOICES} />
          <Input
            name="mapping"
            label="Columns"
            hint="Only for a file of another system: email=Address,cause=Reason,created_at=Date"
          />
          <Select
            name="date_format"
            label="Date format"
            emptyLabel="Unambiguous, such as 2021-04-03"
            choices={DATE_FORMAT_CHOICES}
          />
          <Input
            name="time_zone"
            label="Time zone"
            hint="For dates without an offset, such as Europe/Berlin. Defaults to UTC."
          />
          <Select name="default_cause" label="Cause for rows without one" choices={CAUSE_NAMES} />
          <TopicField
            name="topic"
            label="Opt-outs of a topic"
            topics={topics}
            emptyLabel="None: the file has suppressions"
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
