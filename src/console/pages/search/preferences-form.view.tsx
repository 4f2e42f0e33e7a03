import type { JSX } from 'preact';
import type { TopicVerdict } from '../../../suppressions/checks/verdicts.service.js';
import { SUBSCRIPTIONS, type Subscription } from '../../../topics/topic.entity.js';
import { textOf, textsOf, type Fields } from '../../access/fields.js';
import { Hidden, Input, Select } from '../../components/form.js';
import { includesRole } from '../../people/roles.js';
import type { Visitor } from '../../people/sessions.service.js';
import type { AddressAnswer } from './address-answers.js';
import { ConsentFields } from './consent-fields.view.js';

const CHOICES: Record<Subscription, string> = { opt_in: 'Opt in', opt_out: 'Opt out' };

interface PreferencesFormProps {
  answer: AddressAnswer;
  /** The topics to choose from. */
  topics: readonly TopicVerdict[];
  visitor: Visitor;
  /** The fields of the form that was refused. */
  entered: Fields | undefined;
}

/** Opts a recipient in and out of topics. A topic that the person does not touch keeps what the recipient chose meanwhile. */
export function PreferencesForm({ answer, topics, visitor, entered }: PreferencesFormProps): JSX.Element {
  const isGuarded = answer.isGuarded && topics.some(hasOptedOut);
  const isAdmin = includesRole(visitor.role, 'admin');
  return (
    <details class="act" open={entered !== undefined}>
      <summary>Opt in or out of topics</summary>
      <form class="form" method="post" action="/console/preferences">
        <Hidden values={{ email: answer.email }} />
        <div class="row">
          {topics.map((verdict, index) => (
            <Select
              key={verdict.topic.id}
              id={`choice-${index}`}
              name="choice"
              label={verdict.topic.name}
              value={textsOf(entered, 'choice').find((choice) => choice.startsWith(verdict.topic.id))}
              choices={choicesFor(verdict, answer.isGuarded && !isAdmin)}
            />
          ))}
        </div>
        {isGuarded && !isAdmin && (
          <p class="hint">
            This account guards removals: after an opt-out, only an admin opts a recipient in again.
          </p>
        )}
        {isGuarded && isAdmin && (
          <ConsentFields
            id="topics"
            label="Evidence for opting in again after an opt-out"
            entered={entered}
            required={false}
          />
        )}
        <Input
          id="note-topics"
          name="note"
          label="Note"
          hint="Who asked, and where: a case number or a call."
          maxLength={1000}
          value={textOf(entered, 'note')}
        />
        <button type="submit">Save</button>
      </form>
    </details>
  );
}

function hasOptedOut({ chosenAt, subscription }: TopicVerdict): boolean {
  return chosenAt !== null && subscription === 'opt_out';
}

/** Both choices if the recipient never chose, and otherwise the other one. */
function choicesFor(verdict: TopicVerdict, needsAdmin: boolean): readonly { value: string; label: string }[] {
  const { topic, chosenAt, subscription } = verdict;
  const offered = SUBSCRIPTIONS.filter((choice) =>
    needsAdmin && hasOptedOut(verdict) ? false : chosenAt === null || choice !== subscription,
  );
  return [
    { value: '', label: 'No change' },
    ...offered.map((choice) => ({ value: `${topic.id} ${choice}`, label: CHOICES[choice] })),
  ];
}
