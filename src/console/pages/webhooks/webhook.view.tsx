import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { Card, Facts, SecretCard, Timestamp } from '../../components/content.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { ConfirmButton, CardForm, DetailsForm, PostButton } from '../../components/form.js';
import { Input } from '../../components/inputs.js';
import { Deliveries, type DeliveriesProps } from './webhook-deliveries.view.js';
import { listEvents, WebhookFields, WebhookStatus } from './webhooks.view.js';

interface WebhookPageProps extends DeliveriesProps {
  /** A signing secret that was just created. */
  secret?: string | undefined;
}

export function WebhookPage({ secret, ...props }: WebhookPageProps) {
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
            Events: listEvents(events),
            Id: <dd class="mono">{id}</dd>,
            Created: <Timestamp at={createdAt} />,
          }}
        />
        <Actions visitor={visitor} webhook={webhook} path={path} />
      </Card>
      {isEditor && (
        <CardForm title="Replay" action={`${path}/replay`} submit="Replay" tone="plain" isRow>
          <Input
            name="since"
            label="Send all events again since"
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
