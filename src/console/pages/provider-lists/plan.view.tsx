import { LineDto } from '../../../provider-lists/dto/line.dto.js';
import { PlanDto } from '../../../provider-lists/dto/plan.dto.js';
import { LINE_KINDS, type LineKind } from '../../../provider-lists/plans/line-kinds.js';
import type { FoundLine } from '../../../provider-lists/plans/lines.repository.js';
import type {
  PlanStatus,
  ProviderListPlan,
} from '../../../provider-lists/plans/provider-list-plan.entity.js';
import type { ProviderList } from '../../../provider-lists/provider-list.entity.js';
import { Badge, type BadgeProps, Card, Facts, Notice, Timestamp } from '../../components/content.js';
import type { PageProps } from '../../components/console-page.js';
import { ConfirmButton, PostButton } from '../../components/form.js';
import { Table, urlOf } from '../../components/list.js';
import { CAUSE_NAMES, countOf } from '../../components/words.js';

export const KIND_NAMES: Readonly<Record<LineKind, string>> = {
  pull: 'Only at the provider',
  push: 'Only here',
  remove: 'Lifted here, still at the provider',
  drift: 'To decide',
  cannot: 'Not possible',
  agreed: 'On both sides',
};

const BADGES: Readonly<Record<PlanStatus, BadgeProps>> = {
  comparing: { tone: 'warn', text: 'comparing' },
  ready: { tone: 'warn', text: 'not applied yet' },
  applying: { tone: 'warn', text: 'applying' },
  applied: { tone: 'good', text: 'applied' },
  stopped: { tone: 'bad', text: 'stopped' },
  failed: { tone: 'bad', text: 'failed' },
  expired: { tone: 'plain', text: 'expired' },
};

/** What a job does while a person waits for it. An account has one comparison at a time, and one job that changes its list. */
const WORK: Partial<Record<PlanStatus, string>> = {
  comparing:
    'The service reads the whole list from the provider and compares it, after other comparisons of the account.',
  applying: 'The service applies the plan, after other jobs of the account, such as imports.',
};

/** Whether a job works on the plan. */
export function isUnderWay(plan: ProviderListPlan | undefined): boolean {
  return plan !== undefined && ['comparing', 'applying'].includes(plan.status);
}

interface PlanCardProps extends PageProps {
  list: ProviderList;
  plan: ProviderListPlan;
}

/** The findings of a plan, with the buttons that apply or discard it. */
export function PlanCard({ visitor, list, plan }: PlanCardProps) {
  const path = `/console/provider-lists/${list.id}/plans/${plan.id}`;
  const { seconds, capped } = new PlanDto(plan);
  const isRunning = isUnderWay(plan);
  const isOpen = plan.status === 'ready' || plan.status === 'stopped';
  const kinds = LINE_KINDS.filter((kind) => (plan.counts[kind] ?? 0) > 0);
  return (
    <Card id="progress" title="Last plan" isRunning={isRunning}>
      <p class="row">
        <PlanBadge status={plan.status} />
        {isRunning && <span class="muted">{WORK[plan.status]} This page updates automatically.</span>}
      </p>
      {plan.reason && <Notice tone="bad">{plan.reason}</Notice>}
      <Facts
        areNumbers
        facts={{
          Created: <Timestamp at={plan.createdAt} />,
          'Entries at the provider': !isRunning && plan.entries.toLocaleString('en'),
          'Applied lines': plan.applied > 0 && plan.applied.toLocaleString('en'),
          Skipped: plan.skipped > 0 && plan.skipped.toLocaleString('en'),
          'Removals beyond the cap': capped > 0 && capped.toLocaleString('en'),
          'Seconds to apply it': isOpen && seconds > 0 && seconds.toLocaleString('en'),
        }}
      />
      <Table
        caption="Lines by kind"
        rows={kinds}
        columns={{
          Addresses: (kind) => <a href={`${path}?kind=${kind}`}>{KIND_NAMES[kind]}</a>,
          Number: (kind) => plan.counts[kind]!.toLocaleString('en'),
        }}
        numbers={['Number']}
        empty={isRunning ? 'The lines follow when the comparison has ended.' : 'No lines.'}
      />
      <PlanActions visitor={visitor} list={list} plan={plan} path={path} />
    </Card>
  );
}

export function PlanBadge({ status }: { status: PlanStatus }) {
  return <Badge {...BADGES[status]} />;
}

function PlanActions({ visitor, list, plan, path }: PlanCardProps & { path: string }) {
  const { status, entries } = plan;
  return (
    <div class="actions">
      {visitor.isEditor && status === 'ready' && (
        <ConfirmButton action={`${path}/apply`} label="Apply" confirm="Apply this plan" tone="plain">
          Addresses that only the provider has are added here, with its cause and date. {pushTextOf(list)}{' '}
          Lines whose address has changed since are skipped.
        </ConfirmButton>
      )}
      {visitor.isAdmin && status === 'stopped' && (
        <ConfirmButton action={`${path}/accept-stop`} label="Accept" confirm="Apply it anyway">
          The provider now has {countOf(entries, 'entry', 'entries')}. If that is not what you expect, the
          credentials may be those of another list: discard the plan.
        </ConfirmButton>
      )}
      {visitor.isEditor && ['comparing', 'ready', 'stopped', 'applying'].includes(status) && (
        <PostButton action={`${path}/discard`} label="Discard" />
      )}
    </div>
  );
}

function pushTextOf({ pushAdditions, pushRemovals }: ProviderList): string {
  const pushed = [pushAdditions && 'adds what is only here', pushRemovals && 'removes what was lifted here'];
  const changes = pushed.filter((change) => change !== false).join(', and ');
  return changes ? `At the provider, it ${changes}.` : 'Nothing changes at the provider.';
}

const EXPIRED = 'No lines. They are deleted when a plan expires, and a week after it was applied.';

interface LinesTableProps {
  caption: string;
  lines: FoundLine[];
  /** Whether all lines are of the same kind. */
  isOneKind?: boolean;
  empty?: string | undefined;
}

export function LinesTable({ caption, lines, isOneKind = false, empty = EXPIRED }: LinesTableProps) {
  return (
    <Table
      caption={caption}
      rows={lines}
      columns={{
        Address: ({ email, address }) => <a href={urlOf('/console', { q: email })}>{address || email}</a>,
        Kind: !isOneKind && (({ kind }) => KIND_NAMES[kind]),
        Cause: ({ cause }) => (cause ? CAUSE_NAMES[cause] : '–'),
        Listed: ({ listedAt }) => <Timestamp at={listedAt} />,
        Note: (line) => noteOf(new LineDto(line)),
      }}
      empty={empty}
    />
  );
}

function noteOf({ list, reason }: LineDto): string {
  return [list && `List: ${list}.`, reason].filter(Boolean).join(' ') || '–';
}
