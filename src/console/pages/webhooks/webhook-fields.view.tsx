import { useContext } from 'preact/hooks';
import { EVENT_TYPES, isUnsent } from '../../../announcements/event-types.js';
import { textsOf } from '../../components/fields.js';
import { ValuesContext } from '../../components/form.js';
import { Checkbox, Input } from '../../components/inputs.js';

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
