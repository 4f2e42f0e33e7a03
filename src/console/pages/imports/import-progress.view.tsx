import type { JSX } from 'preact';
import type { SkipReason } from '../../../imports/formats/format.js';
import type { FoundImport } from '../../../imports/imports.repository.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { keptByRevert } from '../../../imports/import-progress.js';
import { Timestamp } from '../../components/timestamp.js';
import { liftFormUrl } from '../lifts/lift-link.js';
import { formatName, isUnderWay, SKIP_NAMES } from './import-words.js';
import { StatusBadge } from './imports.view.js';

interface ProgressProps {
  found: FoundImport;
  topic: Topic | undefined;
}

export function Progress({ found, topic }: ProgressProps): JSX.Element {
  const { rows, added, strengthened, unchanged, skipped, invalid } = found.progress;
  const skippedRows = Object.entries(skipped) as [SkipReason, number][];
  const kept = keptByRevert(found);
  const would = found.dryRun ? 'Would be ' : '';
  return (
    <section class="card" id="progress" data-running={isUnderWay(found) ? '' : undefined}>
      <p class="row">
        <StatusBadge found={found} />
        {found.dryRun && <span>Only checked: nothing was changed.</span>}
        {isUnderWay(found) && <span class="muted">This page shows the progress by itself.</span>}
      </p>
      {found.error && (
        <div class="notice bad">
          <p>{found.error.message}</p>
          {!found.dryRun && added + strengthened > 0 && <p>The rows that are counted below were applied.</p>}
        </div>
      )}
      <dl class="facts number">
        <dt>Detected format</dt>
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
          {would ? 'given a cause' : 'Got another cause'}
        </dt>
        <dd>{strengthened.toLocaleString('en')}</dd>
        <dt>Already on the list</dt>
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
        {found.status === 'reverted' && (
          <>
            <dt>Reverted</dt>
            <dd>{(found.progress.revert?.reverted ?? 0).toLocaleString('en')}</dd>
          </>
        )}
        {kept > 0 && (
          <>
            <dt>Not reverted</dt>
            <dd>
              {kept.toLocaleString('en')}: something else has confirmed, changed, or removed them since.
              {!topic && (
                <>
                  {' '}
                  <a href={liftFormUrl({ cause: 'bounce', actor: found.id })}>
                    Find those that are still listed
                  </a>
                </>
              )}
            </dd>
          </>
        )}
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
