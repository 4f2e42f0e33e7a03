import type { Match } from '../../../suppressions/verdict.js';
import type { AddressAnswer } from './address-answers.js';
import { reasonOf } from './headline.js';

interface ReasonProps {
  match: Match;
  answer: AddressAnswer;
}

/** A reason, with a link to the rule or the topic that it comes from. */
export function Reason({ match, answer }: ReasonProps) {
  const path = pathOf(match);
  const reason = reasonOf(match, answer);
  return path ? <a href={path}>{reason}</a> : <>{reason}</>;
}

interface DecidingProps {
  matches: readonly Match[];
  answer: AddressAnswer;
}

/** Links to the rules and topics that an answer is due to. */
export function Deciding({ matches, answer }: DecidingProps) {
  const links = new Map(
    matches.flatMap((match) => {
      const path = pathOf(match);
      return path ? [[path, nameOf(match, answer)] as const] : [];
    }),
  );
  return links.size > 0 ? (
    <p>
      See{' '}
      {[...links].map(([path, name], index) => (
        <>
          {index > 0 && ', '}
          <a href={path}>{name}</a>
        </>
      ))}
    </p>
  ) : null;
}

function pathOf(match: Match): string | null {
  switch (match.type) {
    case 'suppression':
      return null;
    case 'rule':
      return `/console/rules/${match.id}`;
    default:
      return `/console/topics/${match.topicId}`;
  }
}

function nameOf(match: Match, { rules, topics }: AddressAnswer): string {
  switch (match.type) {
    case 'suppression':
      return '';
    case 'rule':
      return `the rule ${rules.find(({ id }) => id === match.id)?.pattern ?? ''}`;
    default:
      return `the topic ${topics.find(({ topic }) => topic.id === match.topicId)?.topic.name ?? ''}`;
  }
}
