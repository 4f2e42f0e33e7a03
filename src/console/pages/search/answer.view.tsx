import type { JSX } from 'preact';
import { Hidden, Input } from '../../components/form.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { CAUSE_NAMES, KIND_NAMES, OUTCOME_NAMES, sourceName } from '../../components/words.js';
import { canEdit } from '../../people/roles.js';
import type { Visitor } from '../../people/sessions.service.js';
import type { AddressAnswer } from './address-answers.js';
import { ChangeLine } from './change-line.view.js';
import { LiftForm } from './lift-form.view.js';
import { sentenceFor } from './sentence.js';
import { VerdictsView } from './verdicts.view.js';

interface AnswerProps {
  answer: AddressAnswer;
  visitor: Visitor;
}

interface AddressAnswerProps extends AnswerProps {
  /** The page of the topics, from 1. */
  topicsPage: number;
}

export function AddressAnswerView({ answer, visitor, topicsPage }: AddressAnswerProps): JSX.Element {
  const { tone, text } = sentenceFor(answer);
  return (
    <>
      <section class={`answer ${tone}`} aria-label="Answer">
        <p class="address">{answer.email}</p>
        <p class="sentence">{text}</p>
      </section>
      {answer.found ? (
        <Causes answer={answer} visitor={visitor} />
      ) : (
        canEdit(visitor) && <Suppress email={answer.email} />
      )}
      <VerdictsView answer={answer} page={topicsPage} />
      <Events answer={answer} />
      <History answer={answer} />
    </>
  );
}

function Causes({ answer, visitor }: AnswerProps): JSX.Element {
  const { causes, suppression } = answer.found!;
  return (
    <section class="card">
      <h2>{causes.length === 1 ? 'Cause' : `${causes.length} causes`}</h2>
      <ul class="timeline">
        {causes.map(({ cause, since, note, emailId }) => (
          <li key={cause}>
            <p>
              <strong>{CAUSE_NAMES[cause]}</strong>{' '}
              <span class="muted">
                recorded <Timestamp at={since} />
              </span>
            </p>
            {note && <p class="mono">{note}</p>}
            {emailId && (
              <p class="muted">
                Email <span class="mono">{emailId}</span>
              </p>
            )}
            {canEdit(visitor) && causes.length > 1 && (
              <LiftForm
                email={answer.email}
                causes={[cause]}
                isOnlyOne
                isGuarded={answer.isGuarded}
                label={`Lift only: ${CAUSE_NAMES[cause]}`}
              />
            )}
          </li>
        ))}
      </ul>
      {canEdit(visitor) && (
        <LiftForm
          email={answer.email}
          causes={causes.map(({ cause }) => cause)}
          isGuarded={answer.isGuarded}
          label={causes.length > 1 ? 'Lift all causes' : 'Lift this suppression'}
        />
      )}
      <p class="muted">
        Suppression <span class="mono">{suppression.id}</span>
      </p>
    </section>
  );
}

function Suppress({ email }: { email: string }): JSX.Element {
  return (
    <section class="card">
      <h2>Not on the list</h2>
      <details class="act">
        <summary>Suppress this address</summary>
        <form class="form" method="post" action="/console/add">
          <Hidden values={{ emails: email }} />
          <Input name="note" label="Note" hint="Why, for those who read the history." maxLength={1000} />
          <button type="submit">Suppress</button>
        </form>
      </details>
    </section>
  );
}

function Events({ answer: { events } }: { answer: AddressAnswer }): JSX.Element {
  return (
    <section class="card">
      <h2>Events</h2>
      <Table
        caption="Events"
        columns={['Received', 'Event', 'What was said', 'Outcome']}
        rows={events.map(({ event, source }) => ({
          key: event.id,
          cells: [
            <Timestamp key="at" at={event.receivedAt} />,
            <>
              {KIND_NAMES[event.kind]}
              <div class="muted">
                <a href={`/console/sources/${source.id}`}>{sourceName(source.name)}</a>
              </div>
            </>,
            <>
              {event.diagnostic && <div class="mono">{event.diagnostic}</div>}
              <div class="muted">
                {event.status && `${event.status}: `}
                {event.reason}
              </div>
            </>,
            OUTCOME_NAMES[event.outcome],
          ],
        }))}
        empty="No provider or mailer has reported anything about this address."
      />
    </section>
  );
}

function History({ answer }: { answer: AddressAnswer }): JSX.Element {
  const topics = new Map(answer.topics.map(({ topic }) => [topic.id, topic.name]));
  return (
    <section class="card">
      <h2>History</h2>
      {answer.changes.length > 0 ? (
        <ol class="timeline">
          {answer.changes.map((change) => (
            <ChangeLine key={change.id} change={change} topics={topics} />
          ))}
        </ol>
      ) : (
        <p class="empty">This address was never suppressed.</p>
      )}
    </section>
  );
}
