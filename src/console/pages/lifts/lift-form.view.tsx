import { LIFTED_CAUSES } from '../../../lifts/lift.js';
import { CardForm, textOf, type Fields } from '../../components/form.js';
import { Input, Select, type Choices } from '../../components/inputs.js';
import { urlOf } from '../../components/list.js';
import { CAUSE_NAMES } from '../../components/words.js';

const MAX_DIAGNOSTIC = 200;
const MINUTE_LENGTH = '2026-01-15T09:30'.length;

interface LiftFormProps {
  /** The values with which the form is filled in. */
  conditions: Fields;
  recorders: Choices;
}

export function LiftForm({ conditions, recorders }: LiftFormProps) {
  return (
    <CardForm
      title="Which suppressions are a mistake?"
      action="/console/lifts"
      submit="Count them"
      values={{
        ...conditions,
        created_after: minuteIn(conditions, 'created_after'),
        created_before: minuteIn(conditions, 'created_before'),
      }}
    >
      <Select
        name="cause"
        label="Cause"
        choices={Object.fromEntries(LIFTED_CAUSES.map((cause) => [cause, CAUSE_NAMES[cause]]))}
      />
      <div class="row">
        <Input name="created_after" label="From (UTC)" type="datetime-local" />
        <Input name="created_before" label="Before (UTC)" type="datetime-local" />
      </div>
      <Select name="actor" label="Recorded by" emptyLabel="Anybody" choices={recorders} />
      <Input
        name="diagnostic"
        label="Server response or note"
        hint="Part of the text, such as: does not exist"
        maxLength={MAX_DIAGNOSTIC}
      />
      <Input
        name="domains"
        label="Domains"
        hint="Domains of the addresses, such as gmail.com, googlemail.com"
      />
      <p class="muted">
        Fill in at least one field besides the cause. Counting changes nothing. Bounces may arrive an hour
        after an outage has ended.
      </p>
    </CardForm>
  );
}

/** A timestamp as the field of a form takes it. A day begins at midnight. */
function minuteIn(fields: Fields, name: string): string {
  const value = textOf(fields, name).slice(0, MINUTE_LENGTH);
  return value === '' || value.includes('T') ? value : `${value}T00:00`;
}

const HOUR_MS = 60 * 60 * 1000;

/** The values with which the form of a lift is filled in. Timestamps are in ISO 8601. */
interface FilledConditions {
  cause: 'bounce' | 'manual';
  created_after?: string;
  created_before?: string;
  domains?: string;
  /** The id of an API key, a person, an import, or a source. */
  actor?: string;
  diagnostic?: string | undefined;
}

/** The URL of the form, filled in. */
export function liftFormUrl(conditions: FilledConditions): string {
  const { cause, created_after, created_before, domains, actor, diagnostic } = conditions;
  return urlOf('/console/lifts', { cause, created_after, created_before, domains, actor, diagnostic });
}

/** The form for what an actor recorded in the hours around a change, if it has the same note. */
export function liftFormAround(
  cause: 'bounce' | 'manual',
  actor: string,
  at: Date,
  note: string | null,
): string {
  return liftFormUrl({
    cause,
    actor,
    diagnostic: note === null ? undefined : longestPart(note),
    created_after: new Date(at.getTime() - HOUR_MS).toISOString(),
    created_before: new Date(at.getTime() + HOUR_MS).toISOString(),
  });
}

/** The longest part of a note that the form accepts: it refuses an @, which addresses have. */
function longestPart(note: string): string {
  const [longest] = note.split('@').toSorted((one, other) => other.length - one.length);
  return longest!.slice(0, MAX_DIAGNOSTIC);
}
