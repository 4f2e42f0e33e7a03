import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  type WebhookDelivery,
} from '../../../webhooks/webhook-delivery.entity.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { Select } from '../../components/form.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { PostButton } from '../../components/post-button.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';
import type { Visitor } from '../../people/sessions.service.js';

export interface DeliveriesProps {
  webhook: Webhook;
  visitor: Visitor;
  page: Page<WebhookDelivery>;
  cursor: PageCursor;
  /** Only deliveries with this status are shown; undefined for all. */
  status?: DeliveryStatus | undefined;
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

export function Deliveries({ webhook, page, cursor, status, visitor }: DeliveriesProps): JSX.Element {
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
