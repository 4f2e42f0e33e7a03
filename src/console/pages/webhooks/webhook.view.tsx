import type { JSX } from 'preact';
import { keptFields, textOf, textsOf, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { Input } from '../../components/form.js';
import { PostButton } from '../../components/post-button.js';
import { SecretCard } from '../../components/secret-card.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit, includesRole } from '../../people/roles.js';
import { listEvents, WebhookFields } from './webhook-fields.view.js';
import { WebhookStatus } from './webhooks.view.js';
import { type DeliveriesProps, Deliveries } from './webhook-deliveries.view.js';

interface WebhookPageProps extends PageProps, DeliveriesProps {
  /** A signing secret that was just created. */
  secret?: string;
  /** The form that was refused. */
  entered?: Fields;
}

export function WebhookPage({ secret, ...props }: WebhookPageProps): JSX.Element {
  const { webhook, visitor } = props;
  const path = `/console/webhooks/${webhook.id}`;
  const { entered = keptFields(visitor, path) } = props;
  const isEnabled = webhook.status === 'enabled';
  return (
    <ConsolePage
      {...props}
      title={webhook.endpoint}
      section="/console/webhooks"
      actions={canEdit(visitor) && isEnabled && <PostButton action={`${path}/test`} label="Send a test" />}
    >
      {secret && (
        <SecretCard title="The signing secret" secret={secret}>
          The receiver verifies events with it. If it replaces another secret, events are signed with both for
          24 hours.
        </SecretCard>
      )}
      <section class="card">
        <dl class="facts">
          <dt>Status</dt>
          <dd>
            <WebhookStatus webhook={webhook} />
          </dd>
          {webhook.failingSince && (
            <>
              <dt>Failing since</dt>
              <dd>
                <Timestamp at={webhook.failingSince} />
              </dd>
            </>
          )}
          <dt>Events</dt>
          <dd>{listEvents(webhook.events)}</dd>
          <dt>Id</dt>
          <dd class="mono">{webhook.id}</dd>
          <dt>Created</dt>
          <dd>
            <Timestamp at={webhook.createdAt} />
          </dd>
        </dl>
        <div class="actions">
          {canEdit(visitor) && (
            <PostButton
              action={`${path}/${isEnabled ? 'disable' : 'enable'}`}
              label={isEnabled ? 'Disable' : 'Enable'}
            />
          )}
          {includesRole(visitor.role, 'admin') && (
            <>
              <ConfirmButton
                action={`${path}/secret`}
                label="Rotate the signing secret"
                confirm="Make a new secret"
                tone="plain"
              >
                For 24 hours, events are signed with both secrets. Give the new one to the receiver before
                then.
              </ConfirmButton>
              <a class="button danger" href={`${path}/delete`}>
                Delete
              </a>
            </>
          )}
        </div>
      </section>
      {canEdit(visitor) && (
        <section class="card">
          <h2>Replay</h2>
          <form class="row" method="post" action={`${path}/replay`}>
            <Input
              name="since"
              label="Send all events again since"
              hint="Midnight UTC of that day."
              type="date"
              required
            />
            <button type="submit">Replay</button>
          </form>
        </section>
      )}
      {includesRole(visitor.role, 'admin') && <ChangeCard webhook={webhook} entered={entered} />}
      <Deliveries {...props} />
    </ConsolePage>
  );
}

function ChangeCard({ webhook, entered }: Pick<WebhookPageProps, 'webhook' | 'entered'>): JSX.Element {
  return (
    <section class="card">
      <h2>Change</h2>
      <details class="act" open={entered !== undefined}>
        <summary>Change the endpoint or the events</summary>
        <form class="form" method="post" action={`/console/webhooks/${webhook.id}`}>
          <WebhookFields
            endpoint={entered ? textOf(entered, 'endpoint') : webhook.endpoint}
            events={entered ? textsOf(entered, 'events') : webhook.events}
          />
          <button class="primary" type="submit">
            Save
          </button>
        </form>
      </details>
    </section>
  );
}
