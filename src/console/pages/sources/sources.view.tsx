import { POSTED_EVENTS, sourceName } from '../../../audit/actor.js';
import type { Provider } from '../../../inbound/providers/provider.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { Card, Timestamp } from '../../components/content.js';
import { ConfirmationPage } from '../../components/confirmation.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { CardForm, Form } from '../../components/form.js';
import { Input, Select, TextArea } from '../../components/inputs.js';
import { ListPage, type List } from '../../components/list.js';
import { PROVIDER_LABELS, providerLabel } from './source-words.js';

export function SourcesPage({ visitor, list }: PageProps & { list: List<Source> }) {
  const isAdmin = visitor.isAdmin;
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

export function NewSourcePage({ visitor, provider }: PageProps & { provider: Provider }) {
  return (
    <ConsolePage visitor={visitor} title={`Add ${providerLabel(provider.name)}`} section="/console/sources">
      <Card>
        <Form action="/console/sources" submit="Create" hidden={{ provider: provider.name }}>
          <Input
            name="name"
            label="Name"
            hint="Shown in the history. Defaults to the name of the provider."
            maxLength={100}
          />
          {provider.options.map(({ name, description, required, isList }) => {
            const field = { name: `option_${name}`, label: description, required: required !== undefined };
            return isList ? (
              <TextArea key={name} {...field} hint="One on each line." />
            ) : (
              <Input key={name} {...field} />
            );
          })}
          <fieldset>
            <legend>Soft limit</legend>
            <p class="hint">
              Suppress an address after several temporary failures, such as 5 within 14 days, if no email was
              delivered meanwhile. If both are empty, temporary failures never suppress.
            </p>
            <div class="row">
              <Input name="failures" label="Failures" type="number" />
              <Input name="days" label="Days" type="number" />
            </div>
          </fieldset>
        </Form>
      </Card>
    </ConsolePage>
  );
}

export function DeleteSourcePage({ visitor, source }: PageProps & { source: Source }) {
  const path = `/console/sources/${source.id}`;
  return (
    <ConfirmationPage
      visitor={visitor}
      title={`Delete ${sourceName(source.name)}?`}
      section="/console/sources"
      action={`${path}/delete`}
      submit="Delete this source"
      back={path}
    >
      <ul class="steps">
        {source.provider === POSTED_EVENTS ? (
          <li>The next events that your mailers post create this source again.</li>
        ) : (
          <li>Its URL stops accepting events. The provider gets 404, and its secrets no longer work.</li>
        )}
        <li>The events that it reported are deleted, and so are its mappings to topics.</li>
        <li>The list keeps its suppressions, opt-outs, and their history, with the name of the source.</li>
      </ul>
      <p>This cannot be undone. To stop a source for a while, pause it instead.</p>
    </ConfirmationPage>
  );
}
