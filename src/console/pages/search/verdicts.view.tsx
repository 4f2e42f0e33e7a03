import type { ComponentChildren } from 'preact';
import { happenedAt } from '../../../ledger/happened-at.js';
import type { TopicVerdict } from '../../../suppressions/checks/check.service.js';
import type { Match } from '../../../suppressions/verdict.js';
import type { Subscription } from '../../../topics/topic.entity.js';
import { Badge, Card, dayOf } from '../../components/content.js';
import { Table, urlOf } from '../../components/list.js';
import type { Visitor } from '../../people/sessions.service.js';
import type { AddressAnswer } from './address-answers.js';
import { isSuppressed, reasonOf } from './headline.js';
import { PreferencesForm } from './preferences-form.view.js';
import { UnsubscribeForm } from './unsubscribe-form.view.js';

const TOPICS_ON_PAGE = 25;

const DEFAULTS: Record<Subscription, string> = {
  opt_in: 'everyone gets it unless they opt out',
  opt_out: 'only those who opted in get it',
};

interface VerdictsProps {
  answer: AddressAnswer;
  /** The number of the page, starting at 1. */
  page: number;
  visitor: Visitor;
}

/** A kind of mail, with what decides whether the address gets it. */
interface MailRow {
  name: ComponentChildren;
  matches: readonly Match[];
  preference: string;
}

/** The verdict for each kind of mail, with the reasons. */
export function VerdictsView({ answer, page, visitor }: VerdictsProps) {
  const topics = differentFirst(answer);
  const first = (page - 1) * TOPICS_ON_PAGE;
  const shown = topics.slice(first, first + TOPICS_ON_PAGE);
  return (
    <Card id="verdicts" title="What this address gets">
      <Table
        caption="What this address gets"
        rows={rowsOf(shown, answer)}
        columns={{
          Email: ({ name }) => name,
          Verdict: ({ matches }) => <Verdict matches={matches} />,
          Preference: ({ preference }) => preference,
          Because: ({ matches }) => <Reasons matches={matches} answer={answer} />,
        }}
        empty=""
      />
      {topics.length > TOPICS_ON_PAGE && <TopicsPager answer={answer} page={page} />}
      {shown.length > 0 && visitor.isEditor && (
        <PreferencesForm answer={answer} topics={shown} page={page} visitor={visitor} />
      )}
      {visitor.isEditor && <UnsubscribeForm answer={answer} />}
    </Card>
  );
}

function rowsOf(topics: TopicVerdict[], answer: AddressAnswer): MailRow[] {
  const { transactional, any } = answer;
  return [
    { name: 'Transactional, such as a password reset', matches: transactional, preference: '–' },
    { name: 'All others without a topic', matches: any, preference: '–' },
    ...topics.map((verdict) => ({
      name: <a href={`/console/topics/${verdict.topic.id}`}>{verdict.topic.name}</a>,
      matches: verdict.matches,
      preference: preferenceOf(verdict, answer),
    })),
  ];
}

/** Topics whose verdict differs from the verdict for other mail come first. */
function differentFirst({ topics, any }: AddressAnswer): TopicVerdict[] {
  const isUsual = ({ matches }: TopicVerdict) => isSuppressed(matches) === isSuppressed(any);
  return [...topics.filter((topic) => !isUsual(topic)), ...topics.filter(isUsual)];
}

function TopicsPager({ answer: { email, topics }, page }: Pick<VerdictsProps, 'answer' | 'page'>) {
  const urlAt = (at: number) => `${urlOf('/console', { q: email, topics: String(at) })}#verdicts`;
  const first = (page - 1) * TOPICS_ON_PAGE;
  const last = Math.min(first + TOPICS_ON_PAGE, topics.length);
  return (
    <nav class="pager" aria-label="Topics">
      {page > 1 && <a href={urlAt(page - 1)}>← Topics before these</a>}
      <span class="muted">
        {last > first ? `Topics ${first + 1} to ${last} of ${topics.length}` : 'There are no more topics.'}
      </span>
      {last < topics.length && <a href={urlAt(page + 1)}>More topics →</a>}
    </nav>
  );
}

/** The recipient's choice, or the default of the topic. */
function preferenceOf({ topic, subscription, chosenAt }: TopicVerdict, { changes }: AddressAnswer): string {
  if (!chosenAt) {
    return `No choice: ${DEFAULTS[topic.defaultSubscription]}`;
  }
  const { occurredAt = null } = changes.elements.find(({ topicId }) => topicId === topic.id) ?? {};
  const day = dayOf(happenedAt(occurredAt, chosenAt));
  return `${subscription === 'opt_in' ? 'Opted in' : 'Opted out'} on ${day}`;
}

function Verdict({ matches }: { matches: readonly Match[] }) {
  return isSuppressed(matches) ? <Badge tone="bad" text="Suppressed" /> : <Badge tone="good" text="Send" />;
}

/** All reasons, the deciding one first. */
function Reasons({ matches, answer }: { matches: readonly Match[]; answer: AddressAnswer }) {
  const [first, ...others] = matches;
  return (
    <>
      {first ? <Reason match={first} answer={answer} /> : 'nothing suppresses it'}
      {others.map((match) => (
        <div key={match.id} class="muted">
          also: <Reason match={match} answer={answer} />
        </div>
      ))}
    </>
  );
}

/** A reason, with a link to the rule or the topic that it comes from. */
function Reason({ match, answer }: { match: Match; answer: AddressAnswer }) {
  const origin = originOf(match, answer);
  const reason = reasonOf(match, answer);
  return origin ? <a href={origin.path}>{reason}</a> : <>{reason}</>;
}

interface DecidingProps {
  matches: readonly Match[];
  answer: AddressAnswer;
}

/** Links to the rules and topics that decided an answer. */
export function Deciding({ matches, answer }: DecidingProps) {
  const origins = matches.flatMap((match) => originOf(match, answer) ?? []);
  const different = new Map(origins.map((origin) => [origin.path, origin]));
  return different.size > 0 ? (
    <p>
      See{' '}
      {[...different.values()].map(({ path, name }, index) => (
        <>
          {index > 0 && ', '}
          <a href={path}>{name}</a>
        </>
      ))}
    </p>
  ) : null;
}

/** The page of the rule or the topic that a reason comes from, and what to call it; null for a suppression. */
function originOf(match: Match, { rules, topics }: AddressAnswer): { path: string; name: string } | null {
  switch (match.type) {
    case 'suppression':
      return null;
    case 'rule': {
      const rule = rules.find(({ id }) => id === match.id);
      return { path: `/console/rules/${match.id}`, name: `the rule ${rule?.pattern ?? ''}` };
    }
    default: {
      const verdict = topics.find(({ topic }) => topic.id === match.topicId);
      return { path: `/console/topics/${match.topicId}`, name: `the topic ${verdict?.topic.name ?? ''}` };
    }
  }
}
