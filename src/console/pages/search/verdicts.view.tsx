import type { ComponentChildren, JSX } from 'preact';
import { happenedAt } from '../../../ledger/happened-at.js';
import type { Match } from '../../../suppressions/verdict.js';
import type { TopicVerdict } from '../../../suppressions/checks/verdicts.service.js';
import type { Fields } from '../../access/fields.js';
import { urlOf } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import type { Subscription } from '../../../topics/topic.entity.js';
import { dayOf } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';
import type { Visitor } from '../../people/sessions.service.js';
import type { AddressAnswer } from './address-answers.js';
import { PreferencesForm } from './preferences-form.view.js';
import { Reason } from './reason.view.js';
import { isSuppressed } from './headline.js';

const TOPICS_ON_PAGE = 25;

const DEFAULTS: Record<Subscription, string> = {
  opt_in: 'everybody gets it unless they opt out',
  opt_out: 'only those who opted in get it',
};

interface VerdictsProps {
  answer: AddressAnswer;
  /** From 1. */
  page: number;
  visitor: Visitor;
  /** The form for topics that was refused. */
  entered: Fields | undefined;
}

/** The verdict for each kind of mail, with the reasons. */
export function VerdictsView({ answer, page, visitor, entered }: VerdictsProps): JSX.Element {
  const { transactional, any } = answer;
  const topics = differentFirst(answer);
  const row = (key: string, purpose: ComponentChildren, matches: readonly Match[], choice: string) => ({
    key,
    cells: [
      purpose,
      <Verdict key="verdict" matches={matches} />,
      choice,
      <Reasons key="why" matches={matches} answer={answer} />,
    ],
  });
  const first = (page - 1) * TOPICS_ON_PAGE;
  const shown = topics.slice(first, first + TOPICS_ON_PAGE);
  return (
    <section class="card" id="verdicts">
      <h2>What this address gets</h2>
      <Table
        caption="What this address gets"
        columns={['Email', 'Verdict', 'Preference', 'Because']}
        rows={[
          row('transactional', 'Transactional, such as a password reset', transactional, '–'),
          row('any', 'All others without a topic', any, '–'),
          ...shown.map((verdict) =>
            row(
              verdict.topic.id,
              <a href={`/console/topics/${verdict.topic.id}`}>{verdict.topic.name}</a>,
              verdict.matches,
              preferenceOf(verdict, answer),
            ),
          ),
        ]}
        empty=""
      />
      {topics.length > TOPICS_ON_PAGE && <TopicsPager answer={answer} page={page} />}
      {shown.length > 0 && canEdit(visitor) && (
        <PreferencesForm answer={answer} topics={shown} visitor={visitor} entered={entered} />
      )}
    </section>
  );
}

/** The topics whose verdict is not that of other mail, and then all others. */
function differentFirst({ topics, any }: AddressAnswer): TopicVerdict[] {
  const isUsual = ({ matches }: TopicVerdict) => isSuppressed(matches) === isSuppressed(any);
  return [...topics.filter((topic) => !isUsual(topic)), ...topics.filter(isUsual)];
}

function TopicsPager({
  answer: { email, topics },
  page,
}: Pick<VerdictsProps, 'answer' | 'page'>): JSX.Element {
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

/** What the recipient chose, or what holds because nobody chose. */
function preferenceOf({ topic, subscription, chosenAt }: TopicVerdict, { changes }: AddressAnswer): string {
  if (!chosenAt) {
    return `No choice: ${DEFAULTS[topic.defaultSubscription]}`;
  }
  const { occurredAt = null } = changes.elements.find(({ topicId }) => topicId === topic.id) ?? {};
  const day = dayOf(happenedAt(occurredAt, chosenAt));
  return `${subscription === 'opt_in' ? 'Opted in' : 'Opted out'} on ${day}`;
}

function Verdict({ matches }: { matches: readonly Match[] }): JSX.Element {
  return isSuppressed(matches) ? (
    <span class="badge bad">Suppressed</span>
  ) : (
    <span class="badge good">Send</span>
  );
}

/** All reasons, the deciding one first. */
function Reasons({ matches, answer }: { matches: readonly Match[]; answer: AddressAnswer }): JSX.Element {
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
