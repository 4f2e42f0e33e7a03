import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import type { Provider } from '../../../inbound/providers/provider.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { textOf, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Hidden, Input, Select, TextArea } from '../../components/form.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { sourceName } from '../../components/words.js';
import { includesRole } from '../../people/roles.js';
import { PROVIDER_CHOICES, providerLabel } from './source-words.js';

interface SourcesPageProps extends PageProps {
  page: Page<Source>;
  cursor: PageCursor;
}

export function SourcesPage({ page, cursor, ...props }: SourcesPageProps): JSX.Element {
  return (
    <ConsolePage {...props} title="Sources" section="/console/sources">
      <p class="lede">
        A source is where bounces, complaints and unsubscribes come from: a provider that calls a webhook, or
        your own mail server.
      </p>
      <section class="card">
        <Table
          caption="Sources"
          columns={['Source', 'Provider', 'Status', 'Created']}
          rows={page.elements.map((source) => ({
            key: source.id,
            cells: [
              <a key="name" href={`/console/sources/${source.id}`}>
                {sourceName(source.name)}
              </a>,
              providerLabel(source.provider),
              <SourceStatus key="status" source={source} />,
              <Timestamp key="at" at={source.createdAt} />,
            ],
          }))}
          empty="There are no sources yet."
        />
        <Pager path="/console/sources" cursor={cursor} page={page} />
      </section>
      {includesRole(props.visitor.role, 'admin') && (
        <section class="card">
          <h2>Add a source</h2>
          <form class="row" method="get" action="/console/sources/new">
            <Select name="provider" label="Provider" choices={PROVIDER_CHOICES} />
            <button class="primary" type="submit">
              Continue
            </button>
          </form>
        </section>
      )}
    </ConsolePage>
  );
}

export function SourceStatus({ source: { pausedAt, lastError } }: { source: Source }): JSX.Element {
  if (pausedAt) {
    return <span class="badge warn">Paused</span>;
  }
  return lastError ? <span class="badge bad">Has errors</span> : <span class="badge good">Active</span>;
}

interface NewSourcePageProps extends PageProps {
  provider: Provider;
  entered?: Fields;
}

export function NewSourcePage({ provider, entered, ...props }: NewSourcePageProps): JSX.Element {
  return (
    <ConsolePage {...props} title={`Add ${providerLabel(provider.name)}`} section="/console/sources">
      <section class="card">
        <form class="form" method="post" action="/console/sources">
          <Hidden values={{ provider: provider.name }} />
          <Input
            name="name"
            label="Name"
            hint="Shown in the history. Defaults to the name of the provider."
            maxLength={100}
            value={textOf(entered, 'name')}
          />
          {provider.options.map(({ name, description, required, isList }) =>
            isList ? (
              <TextArea
                key={name}
                name={`option_${name}`}
                label={description}
                hint="One on each line."
                value={textOf(entered, `option_${name}`)}
                required={required !== undefined}
              />
            ) : (
              <Input
                key={name}
                name={`option_${name}`}
                label={description}
                value={textOf(entered, `option_${name}`)}
                required={required !== undefined}
              />
            ),
          )}
          <fieldset>
            <legend>Soft limit</legend>
            <p class="hint">
              Suppress an address after several temporary failures, such as 5 within 14 days, if no email was
              delivered in between. If both are empty, temporary failures never suppress.
            </p>
            <div class="row">
              <Input name="failures" label="Failures" type="number" value={textOf(entered, 'failures')} />
              <Input name="days" label="Days" type="number" value={textOf(entered, 'days')} />
            </div>
          </fieldset>
          <button class="primary" type="submit">
            Create
          </button>
        </form>
      </section>
    </ConsolePage>
  );
}
