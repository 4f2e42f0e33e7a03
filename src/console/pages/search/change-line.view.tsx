import { actorText } from '../../../audit/actor.js';
import { actorIn } from '../../../audit/actor-columns.js';
import { isErasure, isNewExpiry, type Evidence } from '../../../ledger/evidence.js';
import { happenedAt } from '../../../ledger/happened-at.js';
import type { SuppressionChange } from '../../../ledger/suppression-change.entity.js';
import { TwoTimestamps } from '../../components/content.js';
import { ACTION_NAMES, CAUSE_NAMES } from '../../components/words.js';
import { liftFormAround } from '../lifts/lift-form.view.js';

const MAX_LENGTH = 240;
/** At most this many texts in a list can be expanded, so the page stays small even if all are long. */
const OPENABLE = 5;

interface ExcerptProps {
  text: string;
  /** The place in a list, from 0. */
  index: number;
}

/** The beginning of a text that others wrote. The first texts of a list can be expanded. */
export function Excerpt({ text, index }: ExcerptProps) {
  const beginning = text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '');
  const rest = text.slice(beginning.length);
  if (rest === '') {
    return <>{text}</>;
  }
  if (index >= OPENABLE) {
    return <>{beginning}…</>;
  }
  return (
    <details class="excerpt">
      <summary>{beginning}…</summary>…{rest}
    </details>
  );
}

interface ChangeLineProps {
  change: SuppressionChange;
  /** The place in the history, from 0 for the newest. */
  index: number;
  /** The names of topics, by id. */
  topics: Map<string, string>;
  /** Whether to link to the form that undoes similar changes. */
  mayUndo: boolean;
}

export function ChangeLine({ change, index, topics, mayUndo }: ChangeLineProps) {
  const { cause, topicId, note, occurredAt, createdAt, evidence } = change;
  const subject = cause ? CAUSE_NAMES[cause] : (topics.get(topicId ?? '') ?? 'an archived topic');
  return (
    <li>
      <p>
        <strong>{isErasure(evidence) ? 'Address erased' : `${nameOf(change)}: ${subject}`}</strong>{' '}
        <span class="muted">
          by {actorText(actorIn(change))},{' '}
          <TwoTimestamps at={happenedAt(occurredAt, createdAt)} other={createdAt} verb="recorded" />
          {mayUndo && <OthersLikeIt change={change} />}
        </span>
      </p>
      {note && (
        <div dir="auto">
          <Excerpt text={note} index={index} />
        </div>
      )}
      {evidence && (
        <p class="muted">
          <EvidenceText evidence={evidence} />
        </p>
      )}
    </li>
  );
}

/** Links to the form that undoes what the same actor recorded around that time. A list that a person added has one note. */
function OthersLikeIt({ change }: Pick<ChangeLineProps, 'change'>) {
  const { action, cause, actorType, actorId, createdAt, note } = change;
  const isRecorded = action === 'added' || action === 'strengthened' || action === 'cause_added';
  return isRecorded && actorId && (cause === 'bounce' || cause === 'manual') ? (
    <>
      {' · '}
      <a href={liftFormAround(cause, actorId, createdAt, actorType === 'person' ? note : null)}>
        Undo others like it
      </a>
    </>
  ) : null;
}

function nameOf(change: SuppressionChange): string {
  return isNewExpiry(change) ? 'New expiry' : ACTION_NAMES[change.action];
}

function EvidenceText({ evidence }: { evidence: Evidence }) {
  if ('via' in evidence) {
    return <>By {VIA[evidence.via]}</>;
  }
  if ('reverted_import' in evidence) {
    return <>By the revert of an import</>;
  }
  if ('reverted_lift' in evidence) {
    return (
      <>
        By the revert of <a href={`/console/lifts/${evidence.reverted_lift}`}>a lift by query</a>
      </>
    );
  }
  if ('incident' in evidence) {
    return (
      <>
        Because of <a href="/console/incidents">an incident</a>
      </>
    );
  }
  if (isErasure(evidence)) {
    return <>This line announces the erasure to programs that follow the list, and changes nothing</>;
  }
  const { consent } = evidence;
  return (
    <>
      {'lift' in evidence && (
        <>
          By <a href={`/console/lifts/${evidence.lift}`}>a lift by query</a>.{' '}
        </>
      )}
      {consent && `Consent: ${consent.kind.replaceAll('_', ' ')}, ${consent.reference}`}
    </>
  );
}

const VIA = {
  one_click: 'the unsubscribe button of the mail program',
  page: 'the page behind the unsubscribe link',
  mail: 'an email to the unsubscribe address',
};
