import type { JSX } from 'preact';
import { actorIn, actorText } from '../../../audit/actor.js';
import type { Evidence } from '../../../ledger/evidence.js';
import { happenedAt } from '../../../ledger/happened-at.js';
import type { SuppressionChange } from '../../../ledger/suppression-change.entity.js';
import { Excerpt } from '../../components/excerpt.js';
import { TwoTimestamps } from '../../components/timestamp.js';
import { ACTION_NAMES, CAUSE_NAMES } from '../../components/words.js';

interface ChangeLineProps {
  change: SuppressionChange;
  /** The place in the history, from 0 for the newest. */
  index: number;
  /** The names of topics, by id. */
  topics: Map<string, string>;
}

/** A line of the history. */
export function ChangeLine({ change, index, topics }: ChangeLineProps): JSX.Element {
  const { action, cause, topicId, note, occurredAt, createdAt, evidence } = change;
  const subject = cause ? CAUSE_NAMES[cause] : (topics.get(topicId ?? '') ?? 'an archived topic');
  return (
    <li>
      <p>
        <strong>
          {ACTION_NAMES[action]}: {subject}
        </strong>{' '}
        <span class="muted">
          by {actorText(actorIn(change))},{' '}
          <TwoTimestamps at={happenedAt(occurredAt, createdAt)} other={createdAt} verb="recorded" />
        </span>
      </p>
      {note && (
        <div>
          <Excerpt text={note} index={index} />
        </div>
      )}
      {evidence && <p class="muted">{evidenceText(evidence)}</p>}
    </li>
  );
}

function evidenceText(evidence: Evidence): string {
  if ('consent' in evidence) {
    return `Consent: ${evidence.consent.kind.replaceAll('_', ' ')}, ${evidence.consent.reference}`;
  }
  return 'via' in evidence ? `By ${VIA[evidence.via]}` : 'By the revert of an import';
}

const VIA = {
  one_click: 'the unsubscribe button of the mail program',
  page: 'the page behind the unsubscribe link',
  mail: 'an email to the unsubscribe address',
};
