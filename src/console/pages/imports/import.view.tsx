import type { JSX } from 'preact';
import type { SkipReason } from '../../../imports/formats/format.js';
import { titleOf } from '../../../imports/import-actor.js';
import type { Page } from '../../../http/page.js';
import type { FoundImport, StoredError } from '../../../imports/imports.repository.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { PostButton } from '../../components/post-button.js';
import { SCRIPT_URL } from '../../components/script.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';
import { canBeReverted, formatName, isUnderWay, ROW_ERROR_NAMES, SKIP_NAMES } from './import-words.js';
import { StatusBadge } from './imports.view.js';
import { UploadCard } from './upload-card.view.js';

interface ImportPageProps extends PageProps {
  found: FoundImport;
  /** The first rows that could not be read. */
  refused: StoredError[];
  /** The topic whose opt-outs the file has, archived or not; undefined if it has suppressions. */
  topic: Topic | undefined;
  /** The topics to choose from. */
  topics: Page<Topic>;
}

export function ImportPage({ found, refused, topic, topics, ...props }: ImportPageProps): JSX.Element {
  const path = `/console/imports/${found.id}`;
  const isEditor = canEdit(props.visitor);
  return (
    <ConsolePage
      {...props}
      title={titleOf(found)}
      section="/console/imports"
      script={isUnderWay(found) ? SCRIPT_URL : undefined}
    >
      <Progress found={found} topic={topic} path={path} />
      {refused.length > 0 && (
        <section class="card">
          <h2>Rows that could not be read</h2>
          <Table
            caption="Rows that could not be read"
            columns={['Line', 'Problem', 'Value']}
            rows={refused.map(({ row, line, code, value }) => ({
              key: row,
              cells: [
                line,
                ROW_ERROR_NAMES[code as keyof typeof ROW_ERROR_NAMES] ?? code,
                <code key="v">{value}</code>,
              ],
            }))}
            empty=""
          />
          <p>
            <a href={`${path}/errors`}>Download all as CSV</a>
          </p>
        </section>
      )}
      {isEditor && isUnderWay(found) && <PostButton action={`${path}/cancel`} label="Cancel" />}
      {isEditor && found.dryRun && found.status === 'completed' && (
        <UploadCard
          title="Now import it: choose the file again"
          topics={topics}
          entered={{
            dry_run: 'false',
            default_cause: found.defaultCause,
            name: found.name ?? '',
            topic: topic?.key ?? '',
          }}
        />
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

interface ProgressProps {
  found: FoundImport;
  topic: Topic | undefined;
  path: string;
}

function Progress({ found, topic, path }: ProgressProps): JSX.Element {
  const { rows, added, strengthened, unchanged, skipped, invalid } = found.progress;
  const skippedRows = Object.entries(skipped) as [SkipReason, number][];
  const would = found.dryRun ? 'Would be ' : '';
  return (
    <section class="card" id="progress" data-running={isUnderWay(found) ? '' : undefined}>
      <p class="row">
        <StatusBadge found={found} />
        {found.dryRun && <span>Only checked: nothing was changed.</span>}
        {isUnderWay(found) && <a href={path}>Reload to see the progress</a>}
      </p>
      {found.error && (
        <div class="notice bad">
          <p>{found.error.message}</p>
          {!found.dryRun && added + strengthened > 0 && <p>The rows that are counted below were applied.</p>}
        </div>
      )}
      <dl class="facts number">
        <dt>Recognised as</dt>
        <dd>{formatName(found.plan.format)}</dd>
        {topic && (
          <>
            <dt>Opt-outs of</dt>
            <dd>
              <a href={`/console/topics/${topic.id}`}>{topic.name}</a>
            </dd>
          </>
        )}
        <dt>File</dt>
        <dd>
          {found.filename ?? '–'} ({Number(found.bytes).toLocaleString('en')} bytes)
        </dd>
        <dt>Rows read</dt>
        <dd>{rows.toLocaleString('en')}</dd>
        <dt>
          {would}
          {would ? 'added' : 'Added'}
        </dt>
        <dd>
          <strong>{added.toLocaleString('en')}</strong>
        </dd>
        <dt>
          {would}
          {would ? 'given a cause' : 'Given another cause'}
        </dt>
        <dd>{strengthened.toLocaleString('en')}</dd>
        <dt>On the list already</dt>
        <dd>{unchanged.toLocaleString('en')}</dd>
        {skippedRows.map(([reason, count]) => (
          <>
            <dt key={reason}>Left out</dt>
            <dd>
              {count.toLocaleString('en')}: {SKIP_NAMES[reason]}
            </dd>
          </>
        ))}
        <dt>Could not be read</dt>
        <dd>{invalid.toLocaleString('en')}</dd>
        <dt>Started</dt>
        <dd>
          <Timestamp at={found.createdAt} />
        </dd>
        <dt>Ended</dt>
        <dd>
          <Timestamp at={found.completedAt} />
        </dd>
      </dl>
    </section>
  );
}
