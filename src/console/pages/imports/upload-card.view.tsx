import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import { CAUSES } from '../../../ledger/cause.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { textOf, type Fields } from '../../access/fields.js';
import { Input, Select } from '../../components/form.js';
import { TopicField } from '../../components/topic-field.js';
import { CAUSE_NAMES } from '../../components/words.js';
import { DATE_FORMAT_CHOICES, FORMAT_CHOICES } from './import-words.js';

interface UploadCardProps {
  entered?: Fields | undefined;
  /** The topics to choose from. */
  topics: Page<Topic>;
  title?: string;
  /** Whether to show the options that few need. */
  isOpen?: boolean;
}

/** The file comes last, so that the fields have arrived before it. */
export function UploadCard({
  entered = {},
  topics,
  title = 'Import a file',
  isOpen = false,
}: UploadCardProps): JSX.Element {
  return (
    <section class="card">
      <h2>{title}</h2>
      <form class="form" method="post" action="/console/imports" enctype="multipart/form-data">
        <Select
          name="dry_run"
          label="What to do"
          hint="A check changes nothing, and shows what an import would do."
          value={textOf(entered, 'dry_run') || 'true'}
          choices={[
            { value: 'true', label: 'Check' },
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
              name="date_format"
              label="Date format"
              value={textOf(entered, 'date_format')}
              choices={DATE_FORMAT_CHOICES}
            />
            <Input
              name="time_zone"
              label="Time zone"
              hint="Of dates without an offset, such as Europe/Berlin. Defaults to UTC."
              value={textOf(entered, 'time_zone')}
            />
            <Select
              name="default_cause"
              label="Cause of rows without one"
              value={textOf(entered, 'default_cause') || 'manual'}
              choices={CAUSES.map((cause) => ({ value: cause, label: CAUSE_NAMES[cause] }))}
            />
            <TopicField
              name="topic"
              label="Opt-outs of a topic"
              topics={topics}
              value={textOf(entered, 'topic')}
              none="None: the file has suppressions"
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
            Choose a file or drop it here: CSV, JSON, or text of up to 1 GiB, uncompressed or compressed with
            gzip.
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
