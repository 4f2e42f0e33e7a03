import type { JSX } from 'preact';
import { LIFTED_CAUSES } from '../../../lifts/lift-query.js';
import { textOf, type Fields } from '../../access/fields.js';
import { Input, Select, type Choice } from '../../components/form.js';
import { CAUSE_NAMES } from '../../components/words.js';

const MINUTE_LENGTH = '2026-01-15T09:30'.length;

interface LiftFormProps {
  entered: Fields;
  recorders: Choice[];
}

/** The conditions of a lift. */
export function LiftForm({ entered, recorders }: LiftFormProps): JSX.Element {
  return (
    <section class="card">
      <h2>What should not be suppressed?</h2>
      <form class="form" method="post" action="/console/lifts">
        <Select
          name="cause"
          label="Cause"
          value={textOf(entered, 'cause')}
          choices={LIFTED_CAUSES.map((value) => ({ value, label: CAUSE_NAMES[value] }))}
        />
        <div class="row">
          <TimeInput name="created_after" label="From (UTC)" entered={entered} />
          <TimeInput name="created_before" label="Before (UTC)" entered={entered} />
        </div>
        <Select name="actor" label="Recorded by" value={textOf(entered, 'actor')} choices={recorders} />
        <Input
          name="diagnostic"
          label="What the server said, or the note"
          hint="A part of it, such as: does not exist"
          maxLength={200}
          value={textOf(entered, 'diagnostic')}
        />
        <Input
          name="domains"
          label="Domains"
          hint="Of the addresses: gmail.com, googlemail.com"
          value={textOf(entered, 'domains')}
        />
        <p class="muted">
          Fill in at least one field besides the cause. Counting changes nothing. Bounces may arrive an hour
          after an outage has ended.
        </p>
        <button class="primary" type="submit">
          Count them
        </button>
      </form>
    </section>
  );
}

interface TimeInputProps {
  name: string;
  label: string;
  entered: Fields;
}

function TimeInput({ name, label, entered }: TimeInputProps): JSX.Element {
  const value = textOf(entered, name).slice(0, MINUTE_LENGTH);
  const isDay = value !== '' && !value.includes('T');
  return <Input name={name} label={label} type="datetime-local" value={isDay ? `${value}T00:00` : value} />;
}
