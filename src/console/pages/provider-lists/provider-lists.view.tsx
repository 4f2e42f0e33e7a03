import type { ListWithPlan } from '../../../provider-lists/provider-lists.service.js';
import { errorOf, statusOf } from '../../../provider-lists/dto/provider-list.dto.js';
import { LINE_KINDS } from '../../../provider-lists/plans/line-kinds.js';
import type { ProviderList } from '../../../provider-lists/provider-list.entity.js';
import type { PageProps } from '../../components/console-page.js';
import { CardForm } from '../../components/form.js';
import { Select } from '../../components/inputs.js';
import { ListPage, type List } from '../../components/list.js';
import { Timestamp } from '../../components/content.js';
import { KIND_NAMES, placeOf, PROVIDER_NAMES } from './provider-list-words.js';

export interface ShownList extends ListWithPlan {
  id: string;
}

export function ProviderListsPage({ visitor, list }: PageProps & { list: List<ShownList> }) {
  const isAdmin = visitor.isAdmin;
  return (
    <ListPage
      visitor={visitor}
      title="Provider lists"
      path="/console/provider-lists"
      intro={
        <>
          Every mail provider keeps a suppression list of its own. The service compares these with yours, and
          shows what only one side has.
        </>
      }
      createLabel={isAdmin && 'Add a list'}
      list={list}
      columns={{
        Name: ({ list: { id, name } }) => <a href={`/console/provider-lists/${id}`}>{name}</a>,
        Provider: ({ list: of }) => placeOf(of),
        Status: ({ list: of }) => <ListStatus list={of} />,
        'Last success': ({ list: { lastSuccessAt } }) =>
          lastSuccessAt ? <Timestamp at={lastSuccessAt} /> : 'never',
        Differences: differencesOf,
      }}
      empty={
        <>
          No list of a provider is compared yet. <a href="/docs/guides/provider-lists.md">How it works</a>
        </>
      }
    >
      {isAdmin && (
        <CardForm
          id="create"
          title="Add a list"
          action="/console/provider-lists/new"
          method="get"
          submit="Continue"
          isRow
        >
          <Select name="provider" label="Provider" choices={PROVIDER_NAMES} />
        </CardForm>
      )}
    </ListPage>
  );
}

export function ListStatus({ list }: { list: ProviderList }) {
  const status = statusOf(list);
  if (status !== 'active') {
    return <span class="badge bad">{status === 'stopped' ? 'Stopped' : 'Paused'}</span>;
  }
  return errorOf(list) ? <span class="badge bad">Failing</span> : <span class="badge good">Active</span>;
}

function differencesOf({ plan }: ShownList): string {
  const found = LINE_KINDS.filter((kind) => kind !== 'agreed' && (plan?.counts[kind] ?? 0) > 0);
  const none = plan ? 'none' : '–';
  return (
    found.map((kind) => `${KIND_NAMES[kind]}: ${plan!.counts[kind]!.toLocaleString('en')}`).join('; ') || none
  );
}
