import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import type { WebhookDelivery } from '../../../webhooks/webhook-delivery.entity.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Input } from '../../components/form.js';
import { Pager } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit, includesRole } from '../../people/roles.js';
import { WebhookStatus } from './webhooks.view.js';

interface WebhookPageProps extends PageProps {
  webhook: Webhook;
  page: Page<WebhookDelivery>;
  cursor: { after?: string | undefined; before?: string | undefined };
  /** The signing secret that was made just now. */
  secret?: string;
}

const STATUSES = {
  pending: ['warn', 'Waiting'],
  success: ['good', 'Delivered'],
  failed: ['bad', 'Failed'],
} as const;

export function WebhookPage({ webhook, page, cursor, secret, ...props }: WebhookPageProps): JSX.Element {
  const path = `/console/webhooks/${webhook.id}`;
  const isEnabled = webhook.status === 'enabled';
  return (
    <ConsolePage
      {...props}
      title={webhook.endpoint}
      section="/console/webhooks"
      actions={canEdit(props.visitor) && isEnabled && <Action path={`${path}/test`} label="Send a test" />}
    >
      {secret && (
        <section class="card">
          <h2>The signing secret</h2>
          <p class="copy">{secret}</p>
          <p class="muted">The receiver verifies events with it.</p>
        </section>
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
          {canEdit(props.visitor) && (
            <Action
              path={`${path}/${isEnabled ? 'disable' : 'enable'}`}
              label={isEnabled ? 'Disable' : 'Enable'}
            />
          )}
          {includesRole(props.visitor.role, 'admin') && (
            <Action path={`${path}/secret`} label="Make a new signing secret" />
          )}
        </div>
      </section>
      {canEdit(props.visitor) && (
        <section class="card">
          <h2>Replay</h2>
          <form class="row" method="post" action={`${path}/replay`}>
            <Input
              name="since"
              label="Send again what happened since"
              hint="Midnight UTC of that day."
              type="date"
              required
            />
            <button type="submit">Replay</button>
          </form>
        </section>
      )}
      <section class="card">
        <h2>Deliveries</h2>
        <Table
          caption="Deliveries"
          columns={[
            'Event',
            'Status',
            'Last response',
            'Happened',
            ...(canEdit(props.visitor) ? ['Replay'] : []),
          ]}
          rows={page.elements.map((delivery) => ({
            key: delivery.id,
            cells: [
              <code key="type">{delivery.type}</code>,
              <DeliveryStatus key="status" delivery={delivery} />,
              lastResponse(delivery),
              <Timestamp key="at" at={delivery.createdAt} />,
              ...(canEdit(props.visitor)
                ? [
                    <Action
                      key="replay"
                      path={`${path}/deliveries/${delivery.id}/replay`}
                      label="Send again"
                    />,
                  ]
                : []),
            ],
          }))}
          empty="Nothing was delivered within the last 30 days."
        />
        <Pager path={path} cursor={cursor} ids={page.elements.map(({ id }) => id)} hasMore={page.hasMore} />
      </section>
    </ConsolePage>
  );
}

function Action({ path, label }: { path: string; label: string }): JSX.Element {
  return (
    <form method="post" action={path}>
      <button type="submit">{label}</button>
    </form>
  );
}

function DeliveryStatus({ delivery: { status, attempts } }: { delivery: WebhookDelivery }): JSX.Element {
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
