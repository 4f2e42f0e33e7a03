import type { SkipReason } from '../../../imports/formats/format.js';
import type { FoundImport } from '../../../imports/imports.repository.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { keptByRevert } from '../../../imports/import-progress.js';
import { Facts } from '../../components/facts.js';
import { Timestamp } from '../../components/timestamp.js';
import { liftFormUrl } from '../lifts/lift-link.js';
import { formatName, isUnderWay, SKIP_NAMES } from './import-words.js';
import { StatusBadge } from './imports.view.js';

interface ProgressProps {
  job: FoundImport;
  topic: Topic | undefined;
}

export function Progress({ job, topic }: ProgressProps) {
  const { added, strengthened, unchanged, invalid, rows, revert } = job.progress;
  const kept = keptByRevert(job);
  return (
    <section class="card" id="progress" data-running={isUnderWay(job) ? '' : undefined}>
      <p class="row">
        <StatusBadge job={job} />
        {job.dryRun && <span>Only checked: nothing was changed.</span>}
        {isUnderWay(job) && <span class="muted">This page updates automatically.</span>}
      </p>
      {job.error && (
        <div class="notice bad">
          <p>{job.error.message}</p>
          {!job.dryRun && added + strengthened > 0 && <p>The rows that are counted below were applied.</p>}
        </div>
      )}
      <Facts
        areNumbers
        facts={{
          'Detected format': formatName(job.plan.format),
          'Opt-outs of': topic && <a href={`/console/topics/${topic.id}`}>{topic.name}</a>,
          File: `${job.filename ?? '–'} (${Number(job.bytes).toLocaleString('en')} bytes)`,
          'Rows read': rows.toLocaleString('en'),
          [job.dryRun ? 'Would be added' : 'Added']: <strong>{added.toLocaleString('en')}</strong>,
          [job.dryRun ? 'Would be given a cause' : 'Got another cause']: strengthened.toLocaleString('en'),
          'Already on the list': unchanged.toLocaleString('en'),
          'Left out': skippedRows(job),
          'Could not be read': invalid.toLocaleString('en'),
          Reverted: job.status === 'reverted' && (revert?.reverted ?? 0).toLocaleString('en'),
          'Not reverted': kept > 0 && <NotReverted job={job} topic={topic} kept={kept} />,
          Started: <Timestamp at={job.createdAt} />,
          Ended: <Timestamp at={job.completedAt} />,
        }}
      />
    </section>
  );
}

function skippedRows({ progress }: FoundImport): string[] {
  const skipped = Object.entries(progress.skipped) as [SkipReason, number][];
  return skipped.map(([reason, count]) => `${count.toLocaleString('en')}: ${SKIP_NAMES[reason]}`);
}

function NotReverted({ job, topic, kept }: ProgressProps & { kept: number }) {
  return (
    <>
      {kept.toLocaleString('en')}: something else has confirmed, changed, or removed them since.
      {!topic && (
        <>
          {' '}
          <a href={liftFormUrl({ cause: 'bounce', actor: job.id })}>Find those that are still listed</a>
        </>
      )}
    </>
  );
}
