import type { LiftStatus } from '../../../lifts/lift.entity.js';
import type { FoundLine } from '../../../lifts/lift-lines.repository.js';
import { titleOf, type LiftQuery, type LineReason, type LineStatus } from '../../../lifts/lift.js';
import type { FoundLift } from '../../../lifts/lifts.repository.js';
import { canContinue, type LiftWithExamples } from '../../../lifts/lifts.service.js';
import {
  Badge,
  type BadgeProps,
  Card,
  Facts,
  minuteOf,
  Notice,
  Timestamp,
} from '../../components/content.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { ConfirmButton, CardForm } from '../../components/form.js';
import type { Choices } from '../../components/inputs.js';
import { Table, urlOf } from '../../components/list.js';
import { CAUSE_NAMES, countOf, listOf, quote } from '../../components/words.js';
import { ConsentFields, mayLiftMany } from '../../components/consent.js';

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
      isRunning={isUnderWay(lift.status)}
    >
      <LiftFacts lift={lift} recorders={recorders} />
      {lift.status === 'ready' && lines === 0 && (
        <Card>
          <p>No suppression meets these conditions, so there is nothing to lift.</p>
        </Card>
      )}
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
      {mayLift && canContinue(lift) && (
        <CardForm
          title="Lift the rest"
          action={`${path}/apply`}
          submit="Lift the rest"
          tone="danger"
          hidden={{ confirm: String(lines) }}
        >
          <p>The lift stopped before its end. Suppressions that it has lifted or skipped stay as they are.</p>
          {isGuarded && <ConsentFields id="rest" label="Evidence for lifting" required />}
        </CardForm>
      )}
      {mayLift && lift.status === 'applied' && lift.linesUntil && (
        <Card title="Put them back">
          <p>Possible until {minuteOf(lift.linesUntil)}.</p>
          <ConfirmButton
            action={`${path}/revert`}
            label="Put back"
            confirm={`Suppress ${countOf(lift.progress.apply?.applied ?? 0, 'address', 'addresses')} again`}
            tone="plain"
          >
            Suppressions that are still absent return with their cause, date, and note.
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

interface LiftFactsProps {
  lift: FoundLift;
  recorders: Choices;
}

/** The conditions of a lift, what it found, and what it did. */
function LiftFacts({ lift, recorders }: LiftFactsProps) {
  const { status, progress, error, query, createdAt } = lift;
  const { count, apply, revert } = progress;
  const isRunning = isUnderWay(status);
  return (
    <Card id="progress" isRunning={isRunning}>
      <p class="row">
        <LiftBadge status={status} />
        {isRunning && <span class="muted">This page updates automatically.</span>}
      </p>
      {error && <Notice tone="bad">{error.message}</Notice>}
      <Facts
        areNumbers
        facts={{
          'Looks for': conditionsText(query, recorders),
          Found: <strong>{count.lines.toLocaleString('en')}</strong>,
          'Bounced again since': count.lines > 0 && count.failedAgain.toLocaleString('en'),
          'Got mail in the 30 days before': count.lines > 0 && count.deliveredBefore.toLocaleString('en'),
          Lifted: apply?.applied.toLocaleString('en'),
          Skipped: apply?.skipped.toLocaleString('en'),
          'Put back': revert?.reverted.toLocaleString('en'),
          Created: <Timestamp at={createdAt} />,
        }}
      />
    </Card>
  );
}

const SHOWN_GROUPS = 10;
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

function LiftGroups({ lift: { largest, progress } }: { lift: FoundLift }) {
  if (!largest || largest.domains.length === 0) {
    return null;
  }
  const { domains, diagnostics } = largest;
  const { lines } = progress.count;
  return (
    <Card title="Server responses and notes">
      <Groups
        caption="Diagnostics"
        column="Text, without addresses and numbers"
        lines={lines}
        groups={diagnostics.map(({ diagnostic, count }) => [diagnostic ?? '(nothing)', count])}
      />
      <h2>Domains</h2>
      <Groups
        caption="Domains"
        column="Domain"
        lines={lines}
        groups={domains.map(({ domain, count }) => [domain, count])}
      />
    </Card>
  );
}

interface GroupsProps {
  caption: string;
  column: string;
  /** The number of lines of the lift. */
  lines: number;
  groups: [key: string, count: number][];
}

function Groups({ caption, column, lines, groups }: GroupsProps) {
  const rest = groups.length - SHOWN_GROUPS;
  return (
    <>
      <Table
        caption={caption}
        rows={groups.slice(0, SHOWN_GROUPS)}
        columns={{
          [column]: ([key]) => key,
          Suppressions: ([, count]) => count.toLocaleString('en'),
          Share: ([, count]) => PERCENT.format(count / lines),
        }}
        numbers={['Suppressions', 'Share']}
        empty=""
      />
      {rest > 0 && <p class="muted">And {rest === 90 ? 'at least 90' : rest} more.</p>}
    </>
  );
}

export function LinesTable({ caption, lines }: { caption: string; lines: FoundLine[] }) {
  return (
    <Table
      caption={caption}
      rows={lines}
      columns={{
        Address: ({ email }) => <a href={urlOf('/console', { q: email })}>{email}</a>,
        Recorded: ({ createdAt }) => <Timestamp at={createdAt} />,
        Status: ({ status, reason }) =>
          reason ? `${LINE_STATUS_NAMES[status]}: ${REASON_NAMES[reason]}` : LINE_STATUS_NAMES[status],
        'Server response or note': ({ diagnostic }) => <bdi>{diagnostic ?? '–'}</bdi>,
      }}
      empty="No lines. Those of a plan are deleted when it expires, those of a lift after 30 days."
    />
  );
}

const BADGES: Readonly<Record<LiftStatus, BadgeProps>> = {
  counting: { tone: 'warn', text: 'counting' },
  ready: { tone: 'warn', text: 'not applied yet' },
  applying: { tone: 'warn', text: 'lifting' },
  applied: { tone: 'good', text: 'lifted' },
  reverting: { tone: 'warn', text: 'putting back' },
  reverted: { tone: 'plain', text: 'put back' },
  expired: { tone: 'plain', text: 'expired' },
};

const LINE_STATUS_NAMES: Readonly<Record<LineStatus, string>> = {
  planned: 'To be lifted',
  applied: 'Lifted',
  skipped: 'Skipped',
  reverted: 'Put back',
};

const REASON_NAMES: Readonly<Record<LineReason, string>> = {
  absent: 'the suppression was gone',
  changed: 'the suppression had changed',
  failed_again: 'the address bounced again',
  listed: 'suppressed again meanwhile',
  removed: 'removed by somebody later',
  erased: 'the address was erased',
  expired: 'would have expired',
};

export function LiftBadge({ status }: { status: LiftStatus }) {
  return <Badge {...BADGES[status]} />;
}

/** Whether a job works on the lift. */
function isUnderWay(status: LiftStatus): boolean {
  return ['counting', 'applying', 'reverting'].includes(status);
}

/** `Bounce; from 15 Jan 2026, 06:00 UTC; by API key: import script` */
export function conditionsText(
  { cause, createdFrom, createdBefore, ...query }: LiftQuery,
  recorders: Choices,
): string {
  const nameOf = (id: string | undefined) => id && `by ${recorders[id] ?? id}`;
  return [
    CAUSE_NAMES[cause],
    createdFrom !== undefined && `from ${minuteOf(new Date(createdFrom))}`,
    createdBefore !== undefined && `before ${minuteOf(new Date(createdBefore))}`,
    query.domains && `at ${listOf(query.domains)}`,
    nameOf(query.source),
    nameOf(query.actor),
    query.diagnostic && `with ${quote(query.diagnostic)}`,
  ]
    .filter(Boolean)
    .join('; ');
}
