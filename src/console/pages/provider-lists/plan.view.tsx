import type { Page } from '../../../http/page.js';
import { LineDto } from '../../../provider-lists/dto/line.dto.js';
import { PlanDto } from '../../../provider-lists/dto/plan.dto.js';
import { LINE_KINDS, type LineKind } from '../../../provider-lists/plans/line-kinds.js';
import { writeLineCursor, type FoundLine } from '../../../provider-lists/plans/lines.repository.js';
import type {
  PlanStatus,
  ProviderListPlan,
} from '../../../provider-lists/plans/provider-list-plan.entity.js';
import type { ProviderList } from '../../../provider-lists/provider-list.entity.js';
import { Card, Facts, minuteOf, Timestamp } from '../../components/content.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { ConfirmButton, FilterForm, PostButton } from '../../components/form.js';
import { Input, Select } from '../../components/inputs.js';
import { LinePager, Table, urlOf } from '../../components/list.js';
import { CAUSE_NAMES } from '../../components/words.js';
import { isUnderWay, KIND_NAMES, STATUS_NAMES, toneOf } from './provider-list-words.js';

interface PlanCardProps extends PageProps {
  list: ProviderList;
  plan: ProviderListPlan;
}

/** What a plan found, and the buttons that apply or discard it. */
export function PlanCard({ visitor, list, plan }: PlanCardProps) {
  const path = `/console/provider-lists/${list.id}/plans/${plan.id}`;
  const { seconds, capped } = new PlanDto(plan);
  const isRunning = isUnderWay(plan);
  const isOpen = plan.status === 'ready' || plan.status === 'stopped';
  const kinds = LINE_KINDS.filter((kind) => (plan.counts[kind] ?? 0) > 0);
  return (
    <section class="card" id="progress" data-running={isRunning ? '' : undefined}>
      <h2>Last plan</h2>
      <p class="row">
        <PlanBadge status={plan.status} />
        {isRunning && <span class="muted">This page updates automatically.</span>}
      </p>
      {plan.reason && (
        <div class="notice bad">
          <p>{plan.reason}</p>
        </div>
      )}
      <Facts
        areNumbers
        facts={{
          Created: <Timestamp at={plan.createdAt} />,
          'Entries at the provider': !isRunning && plan.entries.toLocaleString('en'),
          'Applied lines': plan.applied > 0 && plan.applied.toLocaleString('en'),
          'Skipped, because they had changed': plan.skipped > 0 && plan.skipped.toLocaleString('en'),
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
    </section>
  );
}

export function PlanBadge({ status }: { status: PlanStatus }) {
  return <span class={`badge ${toneOf(status)}`}>{STATUS_NAMES[status]}</span>;
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
          The provider now has {entries.toLocaleString('en')} entries. If that is not what you expect, the
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

interface LinesPageProps extends PageProps {
  list: ProviderList;
  plan: ProviderListPlan;
  /** As the person entered it. */
  filter: { kind: string; email: string };
  /** Without it, the filter was refused. */
  page?: Page<FoundLine>;
  /** Whether there are lines before the page. */
  isLater?: boolean;
}

export function LinesPage({ visitor, list, plan, filter, page, isLater = false }: LinesPageProps) {
  const listPath = `/console/provider-lists/${list.id}`;
  const path = `${listPath}/plans/${plan.id}`;
  const last = page?.elements.at(-1);
  const countOf = (of: LineKind) => (plan.counts[of] ?? 0).toLocaleString('en');
  return (
    <ConsolePage
      visitor={visitor}
      title={`${list.name}: plan of ${minuteOf(plan.createdAt)}`}
      section="/console/provider-lists"
      actions={
        <a class="button" href={listPath}>
          Back to the list
        </a>
      }
    >
      <FilterForm action={path} values={filter}>
        <Select
          name="kind"
          label="Kind"
          none="All"
          choices={Object.fromEntries(LINE_KINDS.map((of) => [of, `${KIND_NAMES[of]} (${countOf(of)})`]))}
        />
        <Input name="email" label="Address" optional={false} placeholder="ada@example.com" />
      </FilterForm>
      {page && (
        <Card>
          <LinesTable
            caption="Lines"
            lines={page.elements}
            isOneKind={filter.kind !== ''}
            empty={filter.email === '' ? undefined : `No lines about ${filter.email}.`}
          />
          <LinePager
            path={path}
            query={filter}
            isLater={isLater}
            next={page.hasMore && last ? writeLineCursor(last) : undefined}
          />
        </Card>
      )}
    </ConsolePage>
  );
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
        Listed: ({ listedAt }) => (listedAt ? <Timestamp at={listedAt} /> : '–'),
        Note: (line) => noteOf(new LineDto(line)),
      }}
      empty={empty}
    />
  );
}

function noteOf({ list, reason }: LineDto): string {
  return [list && `List ${list}.`, reason].filter(Boolean).join(' ') || '–';
}
