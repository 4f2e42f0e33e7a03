import { useContext } from 'preact/hooks';
import { EVENT_TYPES, isUnsent } from '../../../announcements/events.js';
import type { FeedBacklog } from '../../../feed/feed-backlogs.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { Badge, Card, Facts, SecretCard, Timestamp } from '../../components/content.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import {
  ConfirmButton,
  CardForm,
  DetailsForm,
  PostButton,
  textsOf,
  ValuesContext,
} from '../../components/form.js';
import { Checkbox, Input } from '../../components/inputs.js';
import { countOf } from '../../components/words.js';
import { Deliveries, type DeliveriesProps } from './deliveries.controller.js';

interface WebhookPageProps extends DeliveriesProps {
  /** Undefined if the webhook is disabled. */
  backlog: FeedBacklog | undefined;
  /** A signing secret that was just created. */
  secret?: string | undefined;
}

export function WebhookPage({ secret, backlog, ...props }: WebhookPageProps) {
  const { visitor, webhook } = props;
  const { id, endpoint, events, failingSince, createdAt } = webhook;
  const path = `/console/webhooks/${id}`;
  const isEditor = visitor.isEditor;
  return (
    <ConsolePage
      visitor={visitor}
      title={endpoint}
      section="/console/webhooks"
      actions={
        isEditor && webhook.status === 'enabled' && <PostButton action={`${path}/test`} label="Send a test" />
      }
    >
      {secret && (
        <SecretCard title="The signing secret" secret={secret}>
          The receiver verifies events with it. If it replaces another secret, events are signed with both for
          24 hours.
        </SecretCard>
      )}
      <Card>
        <Facts
          facts={{
            Status: <WebhookStatus webhook={webhook} />,
            'Failing since': failingSince && <Timestamp at={failingSince} />,
            'Not sent yet': backlog?.since && (
              <>
                {countOf(backlog.changes, 'change', 'changes')}, the first of <Timestamp at={backlog.since} />
              </>
            ),
            Events: listEvents(events),
            Id: <dd class="mono">{id}</dd>,
            Created: <Timestamp at={createdAt} />,
          }}
        />
        <Actions visitor={visitor} webhook={webhook} path={path} />
      </Card>
      {isEditor && webhook.status === 'enabled' && (
        <CardForm title="Replay" action={`${path}/replay`} submit="Replay" tone="plain" isRow>
          <Input
            name="since"
            label="Send the changes of the list again since"
            hint="Midnight UTC of that day."
            type="date"
            required
          />
        </CardForm>
      )}
      {visitor.isAdmin && (
        <Card title="Change">
          <DetailsForm
            label="Change the endpoint or the events"
            action={path}
            submit="Save"
            values={{ endpoint, events }}
            sendsShown
          >
            <WebhookFields />
          </DetailsForm>
        </Card>
      )}
      <Deliveries {...props} />
    </ConsolePage>
  );
}

function Actions({ visitor, webhook, path }: PageProps & { webhook: Webhook; path: string }) {
  const isEnabled = webhook.status === 'enabled';
  return (
    <div class="actions">
      {visitor.isEditor && (
        <PostButton
          action={`${path}/${isEnabled ? 'disable' : 'enable'}`}
          label={isEnabled ? 'Disable' : 'Enable'}
        />
      )}
      {visitor.isAdmin && (
        <>
          <ConfirmButton
            action={`${path}/secret`}
            label="Rotate the signing secret"
            confirm="Make a new secret"
            tone="plain"
          >
            For 24 hours, events are signed with both secrets. Give the new one to the receiver before then.
          </ConfirmButton>
          <a class="button danger" href={`${path}/delete`}>
            Delete
          </a>
        </>
      )}
    </div>
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
    return <Badge tone="plain" text={DISABLED_REASONS[disabledReason]} />;
  }
  return failingSince ? <Badge tone="bad" text="Failing" /> : <Badge tone="good" text="Enabled" />;
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
