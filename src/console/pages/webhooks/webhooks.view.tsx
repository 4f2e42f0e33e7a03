import type { Webhook } from '../../../webhooks/webhook.entity.js';
import type { PageProps } from '../../components/console-page.js';
import { CardForm } from '../../components/form.js';
import { ListPage, type List } from '../../components/list-page.js';
import { Timestamp } from '../../components/timestamp.js';
import { includesRole } from '../../people/roles.js';
import { listEvents, WebhookFields } from './webhook-fields.view.js';

export function WebhooksPage({ visitor, list }: PageProps & { list: List<Webhook> }) {
  const isAdmin = includesRole(visitor.role, 'admin');
  return (
    <ListPage
      visitor={visitor}
      title="Webhooks"
      path="/console/webhooks"
      createLabel={isAdmin && 'Add a webhook'}
      intro="A webhook sends the changes of the list to another system, signed and in order."
      list={list}
      columns={{
        Endpoint: ({ id, endpoint }) => <a href={`/console/webhooks/${id}`}>{endpoint}</a>,
        Status: (webhook) => <WebhookStatus webhook={webhook} />,
        Events: ({ events }) => listEvents(events),
        Created: ({ createdAt }) => <Timestamp at={createdAt} />,
      }}
      empty={`No webhook sends changes to another system yet. ${isAdmin ? 'Add the endpoint of one.' : 'An admin adds the first webhook.'}`}
    >
      {isAdmin && (
        <CardForm id="create" title="Add a webhook" action="/console/webhooks" submit="Create">
          <WebhookFields />
        </CardForm>
      )}
    </ListPage>
  );
}

const DISABLED_REASONS = {
  requested: 'Disabled',
  gone: 'Disabled: the endpoint is gone',
  failing: 'Disabled: it failed for five days',
};

export function WebhookStatus({ webhook }: { webhook: Webhook }) {
  const { disabledReason, failingSince } = webhook;
  if (disabledReason) {
    return <span class="badge plain">{DISABLED_REASONS[disabledReason]}</span>;
  }
  return failingSince ? <span class="badge bad">Failing</span> : <span class="badge good">Enabled</span>;
}
