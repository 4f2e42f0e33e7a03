import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { keptFields, textOf, textsOf, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { includesRole } from '../../people/roles.js';
import { listEvents, WebhookFields } from './webhook-fields.view.js';

interface WebhooksPageProps extends PageProps {
  page: Page<Webhook>;
  cursor: PageCursor;
  entered?: Fields;
}

export function WebhooksPage({ page, cursor, ...props }: WebhooksPageProps): JSX.Element {
  const { entered = keptFields(props.visitor, '/console/webhooks') } = props;
  const isAdmin = includesRole(props.visitor.role, 'admin');
  return (
    <ConsolePage
      {...props}
      title="Webhooks"
      section="/console/webhooks"
      actions={
        isAdmin && (
          <a class="button" href="#create">
            Add a webhook
          </a>
        )
      }
    >
      <p class="lede">A webhook sends the changes of the list to another system, signed and in order.</p>
      <section class="card">
        <Table
          caption="Webhooks"
          columns={['Endpoint', 'Status', 'Events', 'Created']}
          rows={page.elements.map((webhook) => ({
            key: webhook.id,
            cells: [
              <a key="endpoint" href={`/console/webhooks/${webhook.id}`}>
                {webhook.endpoint}
              </a>,
              <WebhookStatus key="status" webhook={webhook} />,
              listEvents(webhook.events),
              <Timestamp key="at" at={webhook.createdAt} />,
            ],
          }))}
          empty={`No other system is told about changes yet.${isAdmin ? ' Add the endpoint of one.' : ' An admin adds the first webhook.'}`}
        />
        <Pager path="/console/webhooks" cursor={cursor} page={page} />
      </section>
      {isAdmin && (
        <section class="card" id="create">
          <h2>Add a webhook</h2>
          <form class="form" method="post" action="/console/webhooks">
            <WebhookFields endpoint={textOf(entered, 'endpoint')} events={textsOf(entered, 'events')} />
            <button class="primary" type="submit">
              Create
            </button>
          </form>
        </section>
      )}
    </ConsolePage>
  );
}

const DISABLED_REASONS = {
  requested: 'Disabled',
  gone: 'Disabled: the endpoint is gone',
  failing: 'Disabled: it failed for five days',
};

export function WebhookStatus({
  webhook: { disabledReason, failingSince },
}: {
  webhook: Webhook;
}): JSX.Element {
  if (disabledReason) {
    return <span class="badge plain">{DISABLED_REASONS[disabledReason]}</span>;
  }
  return failingSince ? <span class="badge bad">Failing</span> : <span class="badge good">Enabled</span>;
}
