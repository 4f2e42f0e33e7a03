import type { JSX } from 'preact';
import { titleOf } from '../../../imports/import-actor.js';
import type { Page } from '../../../http/page.js';
import { MAX_STORED_ERRORS, type FoundImport } from '../../../imports/imports.repository.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { PostButton } from '../../components/post-button.js';
import { SCRIPT_URL } from '../../components/script.js';
import { Table } from '../../components/table.js';
import { canEdit } from '../../people/roles.js';
import { canBeReverted, isUnderWay, ROW_ERROR_NAMES } from './import-words.js';
import type { RefusedRows } from './refused-rows.js';
import { UploadCard } from './upload-card.view.js';
import { Progress } from './import-progress.view.js';

interface ImportPageProps extends PageProps {
  found: FoundImport;
  /** Rows that could not be read. */
  refused: RefusedRows;
  /** The topic whose opt-outs the file has, archived or not; undefined if it has suppressions. */
  topic: Topic | undefined;
  /** The topics to choose from. */
  topics: Page<Topic>;
}

export function ImportPage({ found, refused, topic, topics, ...props }: ImportPageProps): JSX.Element {
  const path = `/console/imports/${found.id}`;
  const isEditor = canEdit(props.visitor);
  const refusedTitle = `${refused.areAll ? 'Rows' : 'The first rows'} that could not be read`;
  const { dates } = found.plan;
  const asked = {
    dry_run: String(found.dryRun),
    default_cause: found.defaultCause,
    date_format: dates.format ?? '',
    time_zone: dates.timeZone,
    name: found.name ?? '',
    topic: topic?.key ?? '',
  };
  return (
    <ConsolePage
      {...props}
      title={titleOf(found)}
      section="/console/imports"
      script={isUnderWay(found) ? SCRIPT_URL : undefined}
    >
      <Progress found={found} topic={topic} />
      {refused.groups.length > 0 && (
        <section class="card">
          <h2>{refusedTitle}</h2>
          <Table
            caption={refusedTitle}
            columns={['Value', 'Problem', 'Lines']}
            rows={refused.groups.map(({ code, value, lines }) => ({
              key: `${code} ${value}`,
              cells: [
                <code key="v">{value || '(empty)'}</code>,
                ROW_ERROR_NAMES[code as keyof typeof ROW_ERROR_NAMES] ?? code,
                lines,
              ],
            }))}
            empty=""
          />
          <p>
            <a href={`${path}/errors`}>
              Download{' '}
              {found.progress.invalid > MAX_STORED_ERRORS
                ? `the first ${MAX_STORED_ERRORS.toLocaleString('en')}`
                : 'all'}{' '}
              as CSV
            </a>
          </p>
        </section>
      )}
      {isEditor && isUnderWay(found) && <PostButton action={`${path}/cancel`} label="Cancel" />}
      {isEditor && found.hasFile && (
        <section class="card">
          <h2>Import this file</h2>
          <p>The checked file is kept for an hour, or until you check another one.</p>
          <form method="post" action={`${path}/import`}>
            <button class="primary" type="submit">
              Import now
            </button>
          </form>
        </section>
      )}
      {isEditor && found.dryRun && found.status === 'completed' && (
        <UploadCard
          title={found.hasFile ? 'Or choose a corrected file' : 'To import it, choose the file again'}
          topics={topics}
          entered={{ ...asked, dry_run: String(found.hasFile) }}
        />
      )}
      {isEditor && found.status === 'failed' && (
        <UploadCard title="Import the corrected file" topics={topics} entered={asked} isOpen />
      )}
      {isEditor && canBeReverted(found) && (
        <section class="card">
          <h2>Revert</h2>
          <p>Undoes what this import did, except for addresses that somebody has changed since.</p>
          <a class="button danger" href={`${path}/revert`}>
            Revert
          </a>
        </section>
      )}
    </ConsolePage>
  );
}
