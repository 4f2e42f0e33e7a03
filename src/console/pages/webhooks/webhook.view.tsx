import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  type WebhookDelivery,
} from '../../../webhooks/webhook-delivery.entity.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { textOf, textsOf, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Input, Select } from '../../components/form.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { PostButton } from '../../components/post-button.js';
import { SecretCard } from '../../components/secret-card.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit, includesRole } from '../../people/roles.js';
import type { Visitor } from '../../people/sessions.service.js';
import { WebhookFields } from './webhook-fields.view.js';
import { WebhookStatus } from './webhooks.view.js';

interface WebhookPageProps extends PageProps {
  webhook: Webhook;
  page: Page<WebhookDelivery>;
  cursor: PageCursor;
  /** Only deliveries with this status are shown; undefined for all. */
  status?: DeliveryStatus | undefined;
  /** A signing secret that was just created. */
  secret?: string;
  /** The form that was refused. */
  entered?: Fields;
}

const STATUSES = {
  pending: ['warn', 'Waiting'],
  success: ['good', 'Delivered'],
  failed: ['bad', 'Failed'],
} as const;

const STATUS_CHOICES = [
  { value: '', label: 'Any' },
  ...DELIVERY_STATUSES.map((value) => ({ value, label: STATUSES[value][1] })),
];

export function WebhookPage({ secret, entered, ...props }: WebhookPageProps): JSX.Element {
  const { webhook, visitor } = props;
  const path = `/console/webhooks/${webhook.id}`;
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
          <dd>{webhook.events.join(', ')}</dd>
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
              <PostButton action={`${path}/secret`} label="Rotate the signing secret" />
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

function Deliveries({ webhook, page, cursor, status, visitor }: WebhookPageProps): JSX.Element {
  const path = `/console/webhooks/${webhook.id}`;
  const isReplayable = canEdit(visitor) && webhook.status === 'enabled';
  return (
    <section class="card" id="deliveries">
      <h2>Deliveries</h2>
      <form class="row" method="get" action={`${path}#deliveries`}>
        <Select name="status" label="Status" value={status} choices={STATUS_CHOICES} />
        <button type="submit">Filter</button>
      </form>
      <Table
        caption="Deliveries"
        columns={['Event', 'Status', 'Last response', 'Happened', ...(isReplayable ? ['Replay'] : [])]}
        rows={page.elements.map((delivery) => ({
          key: delivery.id,
          cells: [
            <a key="type" href={`${path}/deliveries/${delivery.id}`}>
              <code>{delivery.type}</code>
            </a>,
            <DeliveryStatusBadge key="status" delivery={delivery} />,
            lastResponse(delivery),
            <Timestamp key="at" at={delivery.createdAt} />,
            ...(isReplayable
              ? [<ReplayButton key="replay" webhook={webhook} delivery={delivery} visitor={visitor} />]
              : []),
          ],
        }))}
        empty={status ? 'No delivery has this status.' : 'Nothing was delivered within the last 30 days.'}
      />
      <Pager path={path} query={{ status }} cursor={cursor} page={page} />
    </section>
  );
}

interface ReplayButtonProps {
  webhook: Webhook;
  delivery: WebhookDelivery;
  visitor: Visitor;
}

/** Only for an editor, and only while the webhook is enabled. */
export function ReplayButton({ webhook, delivery, visitor }: ReplayButtonProps): JSX.Element | null {
  const path = `/console/webhooks/${webhook.id}/deliveries/${delivery.id}/replay`;
  return canEdit(visitor) && webhook.status === 'enabled' ? (
    <PostButton action={path} label="Send again" />
  ) : null;
}

export function DeliveryStatusBadge({
  delivery: { status, attempts },
}: {
  delivery: WebhookDelivery;
}): JSX.Element {
  const [tone, label] = STATUSES[status];
  return (
    <>
      <span class={`badge ${tone}`}>{label}</span>
      {attempts.length > 1 && <div class="muted">after {attempts.length} attempts</div>}
    </>
  );
}

function lastResponse({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1);
  return last ? (last.error ?? String(last.http_status_code)) : '–';
}
