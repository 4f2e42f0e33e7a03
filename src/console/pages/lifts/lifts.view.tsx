import { titleOf } from '../../../lifts/lift-title.js';
import type { LiftStatus } from '../../../lifts/lift.entity.js';
import type { FoundLift } from '../../../lifts/lifts.repository.js';
import type { PageProps } from '../../components/console-page.js';
import type { Fields } from '../../components/fields.js';
import type { Choices } from '../../components/inputs.js';
import { ListPage, type List } from '../../components/list-page.js';
import { mayLiftMany } from '../search/lift-permission.js';
import { LiftForm } from './lift-form.view.js';
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
