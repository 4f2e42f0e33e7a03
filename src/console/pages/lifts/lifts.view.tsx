import { titleOf } from '../../../lifts/lift.js';
import type { LiftStatus } from '../../../lifts/lift.entity.js';
import { LIFTED_CAUSES } from '../../../lifts/lift.js';
import type { FoundLift } from '../../../lifts/lifts.repository.js';
import type { PageProps } from '../../components/console-page.js';
import { CardForm, textOf, type Fields } from '../../components/form.js';
import { Input, Select, type Choices } from '../../components/inputs.js';
import { type List, ListPage, urlOf } from '../../components/list.js';
import { CAUSE_NAMES } from '../../components/words.js';
import { mayLiftMany } from '../search/lift-permission.js';
import { conditionsText, STATUS_NAMES, toneOf } from './lift-words.js';

interface LiftsPageProps extends PageProps {
  list: List<FoundLift>;
  /** What the form is filled with. */
  conditions: Fields;
  recorders: Choices;
  /** Whether the account guards removals. */
  isGuarded: boolean;
}

export function LiftsPage(page: LiftsPageProps) {
  const { visitor, list, conditions, recorders, isGuarded } = page;
  return (
    <ListPage
      visitor={visitor}
      title="Undo a mistake"
      path="/console/lifts"
      intro="A script, a colleague, or the outage of a mail provider can suppress thousands of people by mistake. Find them, look at them, and lift all of them at once. Spam complaints and unsubscribes are never lifted."
      above={
        mayLiftMany(visitor, isGuarded) ? (
          <LiftForm conditions={conditions} recorders={recorders} />
        ) : (
          <p class="muted">
            {isGuarded ? 'This account guards removals, so only an admin' : 'Only an editor or an admin'} may
            do this.
          </p>
        )
      }
      listTitle="Earlier lifts"
      caption="Lifts"
      list={list}
      isForwardOnly
      columns={{
        Lift: (lift) => <a href={`/console/lifts/${lift.id}`}>{titleOf(lift)}</a>,
        Status: ({ status }) => <LiftBadge status={status} />,
        Found: ({ progress }) => progress.count.lines.toLocaleString('en'),
        Of: ({ query }) => conditionsText(query, recorders),
      }}
      numbers={['Found']}
      empty="Nothing has been lifted by query yet. A whole import can be reverted on its own page."
    />
  );
}

export function LiftBadge({ status }: { status: LiftStatus }) {
  return <span class={`badge ${toneOf(status)}`}>{STATUS_NAMES[status]}</span>;
}

const MINUTE_LENGTH = '2026-01-15T09:30'.length;

interface LiftFormProps {
  /** What the form is filled with. */
  conditions: Fields;
  recorders: Choices;
}

/** The conditions of a lift. */
function LiftForm({ conditions, recorders }: LiftFormProps) {
  return (
    <CardForm
      title="What should not be suppressed?"
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
      <Select name="actor" label="Recorded by" none="Anybody" choices={recorders} />
      <Input
        name="diagnostic"
        label="What the server said, or the note"
        hint="A part of it, such as: does not exist"
        maxLength={200}
      />
      <Input name="domains" label="Domains" hint="Of the addresses: gmail.com, googlemail.com" />
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

/** What the form of a lift is filled with. Timestamps are in ISO 8601. */
export interface FilledConditions {
  cause: 'bounce' | 'manual';
  created_after?: string;
  created_before?: string;
  domains?: string;
  /** The id of an API key, a person, an import, or a source. */
  actor?: string;
  diagnostic?: string;
}

/** The URL of the form, filled in. */
export function liftFormUrl(conditions: FilledConditions): string {
  const { cause, created_after, created_before, domains, actor, diagnostic } = conditions;
  return urlOf('/console/lifts', { cause, created_after, created_before, domains, actor, diagnostic });
}

/** The form for what an actor recorded in the hours around a change. */
export function liftFormAround(cause: 'bounce' | 'manual', actor: string, at: Date): string {
  return liftFormUrl({
    cause,
    actor,
    created_after: new Date(at.getTime() - HOUR_MS).toISOString(),
    created_before: new Date(at.getTime() + HOUR_MS).toISOString(),
  });
}
