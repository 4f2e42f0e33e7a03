import { useContext } from 'preact/hooks';
import { EVENT_TYPES, isUnsent } from '../../../announcements/events.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { ConfirmationPage } from '../../components/confirmation.js';
import type { PageProps } from '../../components/console-page.js';
import { CardForm, textsOf, ValuesContext } from '../../components/form.js';
import { Checkbox, Input } from '../../components/inputs.js';
import { ListPage, type List } from '../../components/list.js';
import { Timestamp } from '../../components/content.js';

export function WebhooksPage({ visitor, list }: PageProps & { list: List<Webhook> }) {
  const isAdmin = visitor.isAdmin;
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

/** The sent events, and how many others of Resend the webhook has. */
export function listEvents(events: readonly string[]): string {
  const sent = events.filter((name) => !isUnsent(name));
  const others = events.length - sent.length;
  return [...sent, ...(others > 0 ? [`${others} that only Resend sends`] : [])].join(', ');
}

/** The fields of the forms that create and change a webhook. */
export function WebhookFields() {
  const events = textsOf(useContext(ValuesContext), 'events');
  return (
    <>
      <Input
        name="endpoint"
        label="Endpoint"
        hint="The URL that receives the events, such as https://example.com/webhooks."
        type="url"
        required
      />
      <fieldset>
        <legend>Events</legend>
        {offeredTo(events).map((type) => (
          <Checkbox key={type} name="events" value={type}>
            <code>{type}</code>
            {isUnsent(type) && ' (sent only by Resend)'}
          </Checkbox>
        ))}
      </fieldset>
    </>
  );
}

/**
 * `webhook.test` and events that only Resend sends are offered only to webhooks that have them, so that saving the form keeps
 * them.
 */
function offeredTo(events: readonly string[]): readonly string[] {
  const sent = EVENT_TYPES.filter((type) => type !== 'webhook.test' || events.includes(type));
  return [...sent, ...events.filter(isUnsent)];
}

export function DeleteWebhookPage({ visitor, webhook }: PageProps & { webhook: Webhook }) {
  const path = `/console/webhooks/${webhook.id}`;
  return (
    <ConfirmationPage
      visitor={visitor}
      title="Delete this webhook?"
      section="/console/webhooks"
      action={`${path}/delete`}
      submit="Delete this webhook"
      back={path}
    >
      <p class="mono">{webhook.endpoint}</p>
      <ul class="steps">
        <li>Deliveries stop: events that wait for another attempt are never sent.</li>
        <li>The deliveries of the last 30 days are deleted, with their responses.</li>
        <li>
          Its signing secret becomes invalid. Another webhook for the same endpoint gets another secret.
        </li>
      </ul>
      <p>This cannot be undone. To stop a webhook for a while, disable it instead.</p>
    </ConfirmationPage>
  );
}
