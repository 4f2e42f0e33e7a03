import { titleOf } from '../../../lifts/lift-title.js';
import type { LiftWithExamples } from '../../../lifts/lifts.service.js';
import { Card } from '../../components/card.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { CardForm } from '../../components/form.js';
import type { Choices } from '../../components/inputs.js';
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
  recorders: Choices;
  /** Whether the account guards removals. */
  isGuarded: boolean;
}

export function LiftPage({ visitor, lift, recorders, isGuarded }: LiftPageProps) {
  const path = `/console/lifts/${lift.id}`;
  const { lines } = lift.progress.count;
  const mayLift = mayLiftMany(visitor, isGuarded);
  return (
    <ConsolePage
      visitor={visitor}
      title={titleOf(lift)}
      section="/console/lifts"
      script={isUnderWay(lift.status) ? SCRIPT_URL : undefined}
    >
      <LiftFacts lift={lift} recorders={recorders} />
      {mayLift && lift.status === 'ready' && lines > 0 && (
        <CardForm
          title="Lift them"
          action={`${path}/apply`}
          submit={`Lift ${countOf(lines, 'suppression', 'suppressions')}`}
          tone="danger"
          hidden={{ confirm: String(lines) }}
        >
          <p>
            Their addresses may be mailed again, unless they have another cause. What changes before you click
            is skipped. You can put all of them back for 30 days.
          </p>
          {isGuarded && <ConsentFields id="lift" label="Evidence for lifting" required />}
        </CardForm>
      )}
      {mayLift && lift.status === 'applied' && lift.linesUntil && (
        <Card title="Put them back">
          <p>Possible until {dayAndMinuteOf(lift.linesUntil)}.</p>
          <ConfirmButton
            action={`${path}/revert`}
            label="Put back"
            confirm={`Suppress ${countOf(lift.progress.apply?.applied ?? 0, 'address', 'addresses')} again`}
            tone="plain"
          >
            What is still absent returns with its cause, its date, and its note.
          </ConfirmButton>
        </Card>
      )}
      <LiftGroups lift={lift} />
      {lift.examples.length > 0 && (
        <Card title="Examples">
          <LinesTable caption="Examples" lines={lift.examples} />
          <p>
            <a href={`${path}/lines`}>All {lines.toLocaleString('en')}</a>
          </p>
        </Card>
      )}
    </ConsolePage>
  );
}

function countOf(count: number, one: string, several: string): string {
  return count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${several}`;
}
