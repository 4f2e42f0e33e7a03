import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import { titleOf } from '../../../lifts/lift-title.js';
import type { LiftStatus } from '../../../lifts/lift.entity.js';
import type { FoundLift } from '../../../lifts/lifts.repository.js';
import type { Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import type { Choice } from '../../components/form.js';
import { Pager } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { mayLiftMany } from '../search/lift-permission.js';
import { LiftForm } from './lift-form.view.js';
import { conditionsText, STATUS_NAMES, toneOf } from './lift-words.js';

interface LiftsPageProps extends PageProps {
  page: Page<FoundLift>;
  after?: string | undefined;
  entered: Fields;
  recorders: Choice[];
  /** Whether the account guards removals. */
  isGuarded: boolean;
}

export function LiftsPage({
  page,
  after,
  entered,
  recorders,
  isGuarded,
  ...props
}: LiftsPageProps): JSX.Element {
  return (
    <ConsolePage {...props} title="Undo a mistake" section="/console/lifts">
      <p class="lede">
        A script, a colleague, or the outage of a mail provider can suppress thousands of people by mistake.
        Find them, look at them, and lift all of them at once. Spam complaints and unsubscribes are never
        lifted.
      </p>
      {mayLiftMany(props.visitor, isGuarded) ? (
        <LiftForm entered={entered} recorders={recorders} />
      ) : (
        <p class="muted">
          {isGuarded ? 'This account guards removals, so only an admin' : 'Only an editor or an admin'} may do
          this.
        </p>
      )}
      <section class="card">
        <h2>Earlier lifts</h2>
        <Table
          caption="Lifts"
          columns={['Lift', 'Status', 'Found', 'Of']}
          numbers={['Found']}
          rows={page.elements.map((lift) => ({
            key: lift.id,
            cells: [
              <a key="title" href={`/console/lifts/${lift.id}`}>
                {titleOf(lift)}
              </a>,
              <LiftBadge key="status" status={lift.status} />,
              lift.progress.count.lines.toLocaleString('en'),
              conditionsText(lift.query, recorders),
            ],
          }))}
          empty="Nothing has been lifted by query yet. A whole import can be reverted on its own page."
        />
        <Pager path="/console/lifts" cursor={{ after }} page={page} isForwardOnly />
      </section>
    </ConsolePage>
  );
}

export function LiftBadge({ status }: { status: LiftStatus }): JSX.Element {
  return <span class={`badge ${toneOf(status)}`}>{STATUS_NAMES[status]}</span>;
}
