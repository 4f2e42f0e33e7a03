import type { JSX } from 'preact';
import { titleOf } from '../../../lifts/lift-title.js';
import type { LiftWithExamples } from '../../../lifts/lifts.service.js';
import type { Fields } from '../../access/fields.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Hidden, type Choice } from '../../components/form.js';
import { SCRIPT_URL } from '../../components/script.js';
import { dayAndMinuteOf } from '../../components/timestamp.js';
import { ConsentFields } from '../search/consent-fields.view.js';
import { mayLiftMany } from '../search/lift-permission.js';
import { LiftFacts } from './lift-facts.view.js';
import { LiftGroups } from './lift-groups.view.js';
import { isUnderWay } from './lift-words.js';
import { LinesTable } from './lines.view.js';

interface LiftPageProps extends PageProps {
  lift: LiftWithExamples;
  recorders: Choice[];
  /** Whether the account guards removals. */
  isGuarded: boolean;
  entered?: Fields | undefined;
}

export function LiftPage({ lift, recorders, isGuarded, entered, ...props }: LiftPageProps): JSX.Element {
  const path = `/console/lifts/${lift.id}`;
  const { lines } = lift.progress.count;
  const mayLift = mayLiftMany(props.visitor, isGuarded);
  return (
    <ConsolePage
      {...props}
      title={titleOf(lift)}
      section="/console/lifts"
      script={isUnderWay(lift.status) ? SCRIPT_URL : undefined}
    >
      <LiftFacts lift={lift} recorders={recorders} />
      {mayLift && lift.status === 'ready' && lines > 0 && (
        <section class="card">
          <h2>Lift them</h2>
          <form class="form" method="post" action={`${path}/apply`}>
            <p>
              Their addresses may be mailed again, unless they have another cause. What changes before you
              click is skipped. You can put all of them back for 30 days.
            </p>
            <Hidden values={{ confirm: String(lines) }} />
            {isGuarded && <ConsentFields id="lift" label="Evidence for lifting" entered={entered} required />}
            <button class="danger" type="submit">
              Lift {suppressions(lines)}
            </button>
          </form>
        </section>
      )}
      {mayLift && lift.status === 'applied' && lift.linesUntil && (
        <section class="card">
          <h2>Put them back</h2>
          <p>Possible until {dayAndMinuteOf(lift.linesUntil)}.</p>
          <ConfirmButton
            action={`${path}/revert`}
            label="Put back"
            confirm={`Suppress ${addresses(lift.progress.apply?.applied ?? 0)} again`}
            tone="plain"
          >
            What is still absent returns with its cause, its date, and its note.
          </ConfirmButton>
        </section>
      )}
      <LiftGroups lift={lift} />
      {lift.examples.length > 0 && (
        <section class="card">
          <h2>Examples</h2>
          <LinesTable caption="Examples" lines={lift.examples} />
          <p>
            <a href={`${path}/lines`}>All {lines.toLocaleString('en')}</a>
          </p>
        </section>
      )}
    </ConsolePage>
  );
}

function suppressions(count: number): string {
  return count === 1 ? '1 suppression' : `${count.toLocaleString('en')} suppressions`;
}

function addresses(count: number): string {
  return count === 1 ? '1 address' : `${count.toLocaleString('en')} addresses`;
}
