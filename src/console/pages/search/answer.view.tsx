import { sourceName } from '../../../audit/actor.js';
import { isRestoration } from '../../../ledger/evidence.js';
import { happenedAt, newestFirst } from '../../../ledger/happened-at.js';
import type { StoredEvent } from '../../../inbound/inbox/stored-event.entity.js';
import { isPseudonym } from '../../../pseudonyms/pseudonym.js';
import { Card, TwoTimestamps } from '../../components/content.js';
import { Table, urlOf } from '../../components/list.js';
import { ChangeLine, Excerpt } from './change-line.view.js';
import { DetailsForm } from '../../components/form.js';
import { Input } from '../../components/inputs.js';
import { KIND_NAMES, OUTCOME_NAMES } from '../../components/words.js';
import type { Visitor } from '../../people/sessions.service.js';
import type { AddressAnswer } from './address-answers.js';
import { Causes } from './causes.view.js';
import { PersonalData } from './personal-data.view.js';
import { ProviderLists } from './provider-lists.view.js';
import { Deciding, VerdictsView } from './verdicts.view.js';
import { headlineFor } from './headline.js';

interface AddressAnswerProps {
  answer: AddressAnswer;
  visitor: Visitor;
  /** The page of the topics, from 1. */
  topicsPage: number;
}

export function AddressAnswerView({ answer, visitor, topicsPage }: AddressAnswerProps) {
  const { tone, sentences, matches } = headlineFor(answer);
  const isErased = isPseudonym(answer.email);
  return (
    <>
      <section class={`answer ${tone}`} aria-label="Answer">
        <p class="address">{answer.email}</p>
        {sentences.map((sentence) => (
          <p key={sentence} class="sentence">
            {sentence}
          </p>
        ))}
        <Deciding matches={matches} answer={answer} />
        {answer.isUnknown && <Unknown similar={answer.similar} />}
      </section>
      <ProviderLists answer={answer} />
      {answer.record ? (
        <Causes answer={answer} visitor={visitor} />
      ) : (
        visitor.isEditor && !isErased && <Suppress email={answer.email} />
      )}
      <VerdictsView answer={answer} page={topicsPage} visitor={visitor} />
      <Events answer={answer} />
      <History answer={answer} visitor={visitor} />
      {visitor.isAdmin && !isErased && <PersonalData email={answer.email} />}
    </>
  );
}

/** Helps a person notice a mistyped address. */
function Unknown({ similar }: { similar: string | null }) {
  return (
    <p>
      This address has never been seen here. Check its spelling.
      {similar && (
        <>
          {' '}
          Did you mean <a href={urlOf('/console', { q: similar })}>{similar}</a>, which is on the list?
        </>
      )}
    </p>
  );
}

function Suppress({ email }: { email: string }) {
  return (
    <Card title="Not on the list">
      <DetailsForm
        label="Suppress this address"
        action="/console/add"
        submit="Suppress"
        tone="plain"
        hidden={{ emails: email }}
      >
        <p>
          The address then gets no mail at all, not even a password reset. To stop everything except
          transactional mail, use “Unsubscribe the recipient” below.
        </p>
        <Input name="note" label="Note" hint="The reason, shown in the history." maxLength={1000} />
      </DetailsForm>
    </Card>
  );
}

function Events({ answer: { events } }: { answer: AddressAnswer }) {
  const timeOf = ({ occurredAt, receivedAt }: StoredEvent) => happenedAt(occurredAt, receivedAt);
  return (
    <Card title="Events">
      <Table
        caption="Events"
        rows={newestFirst(events.elements, ({ event }) => timeOf(event))}
        columns={{
          When: ({ event }) => (
            <TwoTimestamps isCell at={timeOf(event)} other={event.receivedAt} verb="received" />
          ),
          Event: ({ event, source }) => (
            <>
              {KIND_NAMES[event.kind]}
              <div class="muted">
                <a href={`/console/sources/${source.id}`}>{sourceName(source.name)}</a>
              </div>
            </>
          ),
          'What was said': ({ event }, index) => <Report event={event} index={index} />,
          Outcome: ({ event }) => OUTCOME_NAMES[event.outcome],
        }}
        empty="No provider or mailer has reported anything about this address."
      />
      {events.hasMore && <Older shown={events.elements.length} what="events received" />}
    </Card>
  );
}

/** What a server or a provider said. */
function Report({ event, index }: { event: StoredEvent; index: number }) {
  const { diagnostic, status, reason } = event;
  return (
    <>
      {diagnostic && (
        <div class="mono">
          <Excerpt text={diagnostic} index={index} />
        </div>
      )}
      <div class="muted">
        {status && `${status}: `}
        {reason}
      </div>
    </>
  );
}

/** How many of the newest changes link to the form that undoes similar changes. */
const UNDOABLE_CHANGES = 3;

function History({ answer, visitor }: { answer: AddressAnswer; visitor: Visitor }) {
  const topics = new Map(answer.topics.map(({ topic }) => [topic.id, topic.name]));
  const changes = newestFirst(answer.changes.elements, ({ occurredAt, createdAt, evidence }) =>
    isRestoration(evidence) ? createdAt : happenedAt(occurredAt, createdAt),
  );
  return (
    <Card title="History">
      {changes.length > 0 ? (
        <ol class="timeline">
          {changes.map((change, index) => (
            <ChangeLine
              key={change.id}
              change={change}
              index={index}
              topics={topics}
              mayUndo={visitor.isEditor && index < UNDOABLE_CHANGES}
            />
          ))}
        </ol>
      ) : (
        <p class="empty">This address has never been suppressed.</p>
      )}
      {answer.changes.hasMore && <Older shown={answer.changes.elements.length} what="changes recorded" />}
    </Card>
  );
}

/** Says that only the newest elements of a list are shown. */
function Older({ shown, what }: { shown: number; what: string }) {
  return (
    <p class="muted">
      Only the last {shown} {what} are shown.
    </p>
  );
}
