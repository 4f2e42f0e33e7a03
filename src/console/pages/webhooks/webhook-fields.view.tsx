import type { JSX } from 'preact';
import { EVENT_TYPES } from '../../../announcements/event-types.js';
import { Checkbox, Input } from '../../components/form.js';

interface WebhookFieldsProps {
  endpoint: string;
  events: readonly string[];
}

/**
 * The fields of the forms that create and change a webhook. `webhook.test` is offered only to webhooks that have it, so that
 * saving the form keeps it.
 */
export function WebhookFields({ endpoint, events }: WebhookFieldsProps): JSX.Element {
  return (
    <>
      <Input
        name="endpoint"
        label="Endpoint"
        hint="The URL that receives the events, such as https://example.com/webhooks."
        type="url"
        value={endpoint}
        required
      />
      <fieldset>
        <legend>Events</legend>
        {EVENT_TYPES.filter((type) => type !== 'webhook.test' || events.includes(type)).map((type) => (
          <Checkbox
            key={type}
            name="events"
            value={type}
            label={<code>{type}</code>}
            checked={events.includes(type)}
          />
        ))}
      </fieldset>
    </>
  );
}
