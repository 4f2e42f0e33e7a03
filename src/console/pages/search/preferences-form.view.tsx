import { useContext } from 'preact/hooks';
import type { TopicVerdict } from '../../../suppressions/checks/check.service.js';
import { SUBSCRIPTIONS, type Subscription } from '../../../topics/topic.entity.js';
import { Invalid, parseTimestamp } from '../../../validation/parsers.js';
import { DetailsForm, textsOf, ValuesContext } from '../../components/form.js';
import { Input, Select, type Choices } from '../../components/inputs.js';
import type { Visitor } from '../../people/sessions.service.js';
import type { AddressAnswer } from './address-answers.js';
import { ConsentFields } from '../../components/consent.js';

const CHOICES: Record<Subscription, string> = { opt_in: 'Opt in', opt_out: 'Opt out' };
/** Stands for the time of a choice that the recipient never made. */
const NEVER = 'never';

interface PreferencesFormProps {
  answer: AddressAnswer;
  /** The topics to choose from. */
  topics: readonly TopicVerdict[];
  /** The page of the topics, from 1. */
  page: number;
  visitor: Visitor;
}

/** Opts a recipient in and out of topics. A topic that the person does not touch keeps what the recipient chose meanwhile. */
export function PreferencesForm({ answer, topics, page, visitor }: PreferencesFormProps) {
  const isGuarded = answer.isGuarded && topics.some(hasOptedOut);
  const isAdmin = visitor.isAdmin;
  return (
    <DetailsForm
      label="Opt in or out of topics"
      action="/console/preferences"
      submit="Save"
      tone="plain"
      hidden={{ email: answer.email, topics: String(page) }}
    >
      <div class="row">
        {topics.map((verdict, index) => (
          <Choice
            key={verdict.topic.id}
            verdict={verdict}
            index={index}
            needsAdmin={answer.isGuarded && !isAdmin}
          />
        ))}
      </div>
      {isGuarded && !isAdmin && (
        <p class="hint">
          This account guards removals: after an opt-out, only an admin opts a recipient in again.
        </p>
      )}
      {isGuarded && isAdmin && (
        <ConsentFields id="topics" label="Evidence for opting in again after an opt-out" />
      )}
      <Input
        id="note-topics"
        name="note"
        label="Note"
        hint="Who asked, and how, such as a case number or a call."
        maxLength={1000}
      />
    </DetailsForm>
  );
}

interface ChoiceProps {
  verdict: TopicVerdict;
  /** The position of the topic in the form. */
  index: number;
  /** Whether only an admin may opt the recipient in after an opt-out. */
  needsAdmin: boolean;
}

function Choice({ verdict, index, needsAdmin }: ChoiceProps) {
  const { id, name } = verdict.topic;
  const chosen = textsOf(useContext(ValuesContext), 'choice').find((choice) => choice.startsWith(id));
  return (
    <Select
      id={`choice-${index}`}
      name="choice"
      label={name}
      emptyLabel="No change"
      value={chosen}
      choices={choicesFor(verdict, needsAdmin)}
    />
  );
}

function hasOptedOut({ chosenAt, subscription }: TopicVerdict): boolean {
  return chosenAt !== null && subscription === 'opt_out';
}

/** Both choices if the recipient never chose; otherwise, only the opposite of the current choice. */
function choicesFor(verdict: TopicVerdict, needsAdmin: boolean): Choices {
  const { topic, chosenAt, subscription } = verdict;
  const offered = SUBSCRIPTIONS.filter((choice) =>
    needsAdmin && hasOptedOut(verdict) ? false : chosenAt === null || choice !== subscription,
  );
  const shown = chosenAt?.toISOString() ?? NEVER;
  return Object.fromEntries(offered.map((choice) => [`${topic.id} ${choice} ${shown}`, CHOICES[choice]]));
}

/** When the recipient had chosen, as the form sends it, to tell the choice from a later one. */
export function shownAtIn(text: string): Date | null {
  const time = parseTimestamp(text);
  return time instanceof Invalid ? null : new Date(time.floor);
}
