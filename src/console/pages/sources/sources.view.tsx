import { sourceName } from '../../../audit/actor.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import type { PageProps } from '../../components/console-page.js';
import { CardForm } from '../../components/form.js';
import { Select } from '../../components/inputs.js';
import { ListPage, type List } from '../../components/list-page.js';
import { Timestamp } from '../../components/timestamp.js';
import { includesRole } from '../../people/roles.js';
import { providerLabel, PROVIDER_LABELS } from './source-words.js';

export function SourcesPage({ visitor, list }: PageProps & { list: List<Source> }) {
  const isAdmin = includesRole(visitor.role, 'admin');
  return (
    <ListPage
      visitor={visitor}
      title="Sources"
      path="/console/sources"
      createLabel={isAdmin && 'Add a source'}
      intro="A source is where bounces, complaints and unsubscribes come from: a provider that calls a webhook, or your own mail server."
      list={list}
      columns={{
        Source: ({ id, name }) => <a href={`/console/sources/${id}`}>{sourceName(name)}</a>,
        Provider: ({ provider }) => providerLabel(provider),
        Status: (source) => <SourceStatus source={source} />,
        Created: ({ createdAt }) => <Timestamp at={createdAt} />,
      }}
      empty={`Nothing reports bounces, complaints or unsubscribes yet. ${isAdmin ? 'Add a source for each provider or server that sends your email.' : 'An admin adds the first source.'}`}
    >
      {isAdmin && (
        <CardForm
          id="create"
          title="Add a source"
          action="/console/sources/new"
          method="get"
          submit="Continue"
          isRow
        >
          <Select name="provider" label="Provider" choices={PROVIDER_LABELS} />
        </CardForm>
      )}
    </ListPage>
  );
}

export function SourceStatus({ source: { pausedAt, lastError } }: { source: Source }) {
  if (pausedAt) {
    return <span class="badge warn">Paused</span>;
  }
  return lastError ? <span class="badge bad">Has errors</span> : <span class="badge good">Active</span>;
}
