import type { ComponentChildren } from 'preact';
import type { ListTest } from '../../../provider-lists/list-test.service.js';
import type { FoundLine } from '../../../provider-lists/plans/lines.repository.js';
import type { ProviderListPlan } from '../../../provider-lists/plans/provider-list-plan.entity.js';
import type { ProviderList } from '../../../provider-lists/provider-list.entity.js';
import { MAX_COUNTED, type PushBacklog } from '../../../provider-lists/push/pushes.repository.js';
import { errorOf, formatInterval, statusOf } from '../../../provider-lists/dto/provider-list.dto.js';
import { Badge, Card, Facts, Notice, Timestamp } from '../../components/content.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { ConfirmButton, DetailsForm, PostButton } from '../../components/form.js';
import { Input } from '../../components/inputs.js';
import { type List, ListCard, Table } from '../../components/list.js';
import { PROVIDER_LABELS } from '../../components/words.js';
import { CredentialFields, SettingFields, SWITCH_NAMES, switchesIn } from './provider-list-form.view.js';
import { isUnderWay, LinesTable, PlanBadge, PlanCard } from './plan.view.js';
import { RemovalCard } from './removals.view.js';

const DAY_HOURS = 24;

interface ProviderListPageProps extends PageProps {
  list: ProviderList;
  backlog: PushBacklog;
  /** The last plan. `toDecide` has its first lines that a person must decide. */
  plan: ProviderListPlan | undefined;
  toDecide: FoundLine[];
  plans: List<ProviderListPlan>;
  /** Whether the account guards removals. */
  isGuarded: boolean;
  /** The address with which the removal form is filled in. */
  email: string;
  /** What the credentials can do, if they were just tested. */
  test?: ListTest | undefined;
}

export function ProviderListPage(page: ProviderListPageProps) {
  const { visitor, list, backlog, plan, toDecide, plans, isGuarded, email, test } = page;
  const path = `/console/provider-lists/${list.id}`;
  return (
    <ConsolePage
      visitor={visitor}
      title={list.name}
      section="/console/provider-lists"
      isRunning={isUnderWay(plan)}
      actions={
        visitor.isEditor && (
          <>
            <PostButton action={`${path}/test`} label="Test the credentials" />
            {!isUnderWay(plan) && <PostButton action={`${path}/plans`} label="Compare now" />}
          </>
        )
      }
    >
      {test && <TestCard test={test} />}
      <Card>
        {errorOf(list) && <Notice tone="bad">{errorOf(list)}</Notice>}
        <Facts
          facts={{
            Provider: placeOf(list),
            Status: <ListStatus list={list} />,
            'Switched on': switchesOf(list),
            Source: list.sourceId && <a href={`/console/sources/${list.sourceId}`}>{list.sourceId}</a>,
            Compared: intervalOf(list),
            'Last success': <Timestamp at={list.lastSuccessAt} fallback="never" />,
            'Not pushed yet': backlogOf(backlog),
            'Next plan': !list.stoppedAt && <Timestamp at={list.nextRunAt} />,
            Id: <dd class="mono">{list.id}</dd>,
          }}
        />
      </Card>
      {plan && <PlanCard visitor={visitor} list={list} plan={plan} />}
      {toDecide.length > 0 && (
        <Card title="To decide">
          <p>
            When the last plan was made, these addresses were gone on one side only. Follow a link to lift one
            here, or to add it again at the provider. An address that you leave as it is appears again in the
            next plan.
          </p>
          <LinesTable caption="Lines to decide" lines={toDecide} isOneKind />
          <p>
            <a href={`${path}/plans/${plan!.id}?kind=drift`}>
              All {plan!.counts.drift!.toLocaleString('en')}
            </a>
          </p>
        </Card>
      )}
      <RemovalCard visitor={visitor} list={list} isGuarded={isGuarded} email={email} />
      {visitor.isAdmin && <ChangeCard list={list} path={path} />}
      <ListCard
        title="Plans"
        caption="Plans"
        path={path}
        list={plans}
        columns={{
          Created: ({ id, createdAt }) => (
            <a href={`${path}/plans/${id}`}>
              <Timestamp at={createdAt} />
            </a>
          ),
          Status: ({ status }) => <PlanBadge status={status} />,
          By: ({ isScheduled }) => (isScheduled ? 'the schedule' : 'a person or API key'),
          Applied: ({ applied }) => applied.toLocaleString('en'),
        }}
        numbers={['Applied']}
        empty="No plans yet."
      />
    </ConsolePage>
  );
}

function TestCard({ test: { ok, permissions, reason } }: { test: ListTest }) {
  return (
    <Card title="What the credentials can do">
      <div class={`notice ${ok ? 'good' : 'bad'}`} role="status">
        <p>
          {ok
            ? 'The credentials suffice, as far as it can be tried without a change at the provider.'
            : reason}
        </p>
      </div>
      <Table
        caption="Permissions"
        rows={permissions}
        columns={{
          Permission: ({ name }) => name,
          Allowed: ({ allowed }) => (allowed === null ? 'unknown' : allowed ? 'yes' : 'no'),
          Reason: ({ reason: why }) => why,
        }}
        empty="The provider needs no permission."
      />
    </Card>
  );
}

function ChangeCard({ list, path }: { list: ProviderList; path: string }) {
  const { name, provider, intervalHours } = list;
  const on: string[] = switchesIn(list);
  return (
    <Card title="Change">
      <div class="actions">
        <DetailsForm
          label="Change the settings or the credentials"
          action={path}
          submit="Save"
          values={{
            name,
            interval: formatInterval(intervalHours),
            ...Object.fromEntries(
              Object.keys(SWITCH_NAMES).map((each) => [each, on.includes(each) ? 'true' : '']),
            ),
          }}
          sendsShown
        >
          <Input name="name" label="Name" required />
          <SettingFields />
          <CredentialFields provider={provider} />
        </DetailsForm>
        <ConfirmButton action={`${path}/delete`} label="Delete" confirm="Delete this provider list">
          Its credentials and plans are deleted. Nothing changes at the provider, and what was added here
          stays suppressed.
        </ConfirmButton>
      </div>
    </Card>
  );
}

function backlogOf({ pending, failed, unexamined, oldestAt }: PushBacklog): ComponentChildren {
  const counted = (number: number) =>
    `${number.toLocaleString('en')}${number < MAX_COUNTED ? '' : ' or more'}`;
  const parts = [
    pending > 0 && `${counted(pending)} waiting`,
    failed > 0 && `${counted(failed)} failed`,
    unexamined > 0 && `${unexamined.toLocaleString('en')} not examined yet`,
  ];
  return (
    oldestAt && (
      <>
        {parts.filter(Boolean).join(', ')}; the oldest is from <Timestamp at={oldestAt} />
      </>
    )
  );
}

function switchesOf(list: ProviderList): ComponentChildren {
  const names = switchesIn(list).map((switched) => SWITCH_NAMES[switched]);
  return names.length > 0 ? names.join('; ') : 'nothing: a person applies the plans';
}

export function ListStatus({ list }: { list: ProviderList }) {
  const status = statusOf(list);
  if (status !== 'active') {
    return <Badge tone="bad" text={status === 'stopped' ? 'Stopped' : 'Paused'} />;
  }
  return errorOf(list) ? <Badge tone="bad" text="Failing" /> : <Badge tone="good" text="Active" />;
}

/** `Amazon SES, eu-west-1` */
export function placeOf({ provider, scope }: ProviderList): string {
  return [PROVIDER_LABELS[provider], ...Object.values(scope)].join(', ');
}

/** `every 6 hours` */
function intervalOf({ intervalHours }: ProviderList): string {
  const isDays = intervalHours % DAY_HOURS === 0;
  const [count, unit] = isDays ? [intervalHours / DAY_HOURS, 'day'] : [intervalHours, 'hour'];
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}
