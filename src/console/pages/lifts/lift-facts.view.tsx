import type { FoundLift } from '../../../lifts/lifts.repository.js';
import { Facts } from '../../components/facts.js';
import type { Choices } from '../../components/inputs.js';
import { Timestamp } from '../../components/timestamp.js';
import { conditionsText, isUnderWay } from './lift-words.js';
import { LiftBadge } from './lifts.view.js';

interface LiftFactsProps {
  lift: FoundLift;
  recorders: Choices;
}

/** What a lift looks for, found, and did. */
export function LiftFacts({ lift, recorders }: LiftFactsProps) {
  const { status, progress, error, query, createdAt } = lift;
  const { count, apply, revert } = progress;
  const isRunning = isUnderWay(status);
  return (
    <section class="card" id="progress" data-running={isRunning ? '' : undefined}>
      <p class="row">
        <LiftBadge status={status} />
        {isRunning && <span class="muted">This page updates automatically.</span>}
      </p>
      {error && (
        <div class="notice bad">
          <p>{error.message}</p>
        </div>
      )}
      <Facts
        areNumbers
        facts={{
          'Looks for': conditionsText(query, recorders),
          Found: <strong>{count.lines.toLocaleString('en')}</strong>,
          'Bounced again since': count.lines > 0 && count.failedAgain.toLocaleString('en'),
          'Got mail in the 30 days before': count.lines > 0 && count.deliveredBefore.toLocaleString('en'),
          Lifted: apply?.applied.toLocaleString('en'),
          Skipped: apply?.skipped.toLocaleString('en'),
          'Put back': revert?.reverted.toLocaleString('en'),
          Created: <Timestamp at={createdAt} />,
        }}
      />
    </section>
  );
}
