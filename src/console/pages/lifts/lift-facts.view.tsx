import type { JSX } from 'preact';
import type { FoundLift } from '../../../lifts/lifts.repository.js';
import type { Choice } from '../../components/form.js';
import { Timestamp } from '../../components/timestamp.js';
import { conditionsText, isUnderWay } from './lift-words.js';
import { LiftBadge } from './lifts.view.js';

interface LiftFactsProps {
  lift: FoundLift;
  recorders: Choice[];
}

/** What a lift looks for, found, and did. */
export function LiftFacts({ lift, recorders }: LiftFactsProps): JSX.Element {
  const { status, progress, error, query, createdAt } = lift;
  const { count, apply, revert } = progress;
  const isRunning = isUnderWay(status);
  return (
    <section class="card" id="progress" data-running={isRunning ? '' : undefined}>
      <p class="row">
        <LiftBadge status={status} />
        {isRunning && <span class="muted">This page shows the progress by itself.</span>}
      </p>
      {error && (
        <div class="notice bad">
          <p>{error.message}</p>
        </div>
      )}
      <dl class="facts number">
        <dt>Looks for</dt>
        <dd>{conditionsText(query, recorders)}</dd>
        <dt>Found</dt>
        <dd>
          <strong>{count.lines.toLocaleString('en')}</strong>
        </dd>
        {count.lines > 0 && (
          <>
            <dt>Bounced again since</dt>
            <dd>{count.failedAgain.toLocaleString('en')}</dd>
            <dt>Got mail in the 30 days before</dt>
            <dd>{count.deliveredBefore.toLocaleString('en')}</dd>
          </>
        )}
        {apply && (
          <>
            <dt>Lifted</dt>
            <dd>{apply.applied.toLocaleString('en')}</dd>
            <dt>Skipped</dt>
            <dd>{apply.skipped.toLocaleString('en')}</dd>
          </>
        )}
        {revert && (
          <>
            <dt>Put back</dt>
            <dd>{revert.reverted.toLocaleString('en')}</dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          <Timestamp at={createdAt} />
        </dd>
      </dl>
    </section>
  );
}
