import type { JSX } from 'preact';
import { sourceName } from '../../../audit/actor.js';
import type { Page } from '../../../http/page.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Select } from '../../components/form.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { includesRole } from '../../people/roles.js';
import { PROVIDER_CHOICES, providerLabel } from './source-words.js';

interface SourcesPageProps extends PageProps {
  page: Page<Source>;
  cursor: PageCursor;
}

export function SourcesPage({ page, cursor, ...props }: SourcesPageProps): JSX.Element {
  const isAdmin = includesRole(props.visitor.role, 'admin');
  return (
    <ConsolePage
      {...props}
      title="Sources"
      section="/console/sources"
      actions={
        isAdmin && (
          <a class="button" href="#create">
            Add a source
          </a>
        )
      }
    >
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
          empty={`Nothing reports bounces, complaints or unsubscribes yet.${isAdmin ? ' Add a source for each provider or server that sends your email.' : ' An admin adds the first source.'}`}
        />
        <Pager path="/console/sources" cursor={cursor} page={page} />
      </section>
      {isAdmin && (
        <section class="card" id="create">
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
