import type { Attempt, DeliveryStatus, WebhookDelivery } from '../../../webhooks/webhook-delivery.entity.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { Card, Facts, Timestamp } from '../../components/content.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Form, PostButton } from '../../components/form.js';
import { Select } from '../../components/inputs.js';
import { type List, ListCard, Pager } from '../../components/list.js';
import type { Visitor } from '../../people/sessions.service.js';

export interface DeliveriesProps extends PageProps {
  webhook: Webhook;
  deliveries: List<WebhookDelivery>;
  /** Only deliveries with this status are shown; undefined for all. */
  status: DeliveryStatus | undefined;
}

const STATUSES: Record<DeliveryStatus, string> = {
  pending: 'Waiting',
  success: 'Delivered',
  failed: 'Failed',
};

const TONES: Record<DeliveryStatus, string> = { pending: 'warn', success: 'good', failed: 'bad' };

export function Deliveries({ visitor, webhook, deliveries, status }: DeliveriesProps) {
  const path = `/console/webhooks/${webhook.id}`;
  return (
    <ListCard
      id="deliveries"
      title="Deliveries"
      header={
        <Form
          action={`${path}#deliveries`}
          method="get"
          submit="Filter"
          tone="plain"
          values={{ status }}
          isRow
        >
          <Select name="status" label="Status" none="Any" choices={STATUSES} />
        </Form>
      }
      caption="Deliveries"
      path={path}
      query={{ status }}
      list={deliveries}
      columns={{
        Event: ({ id, type }) => (
          <a href={`${path}/deliveries/${id}`}>
            <code>{type}</code>
          </a>
        ),
        Status: (delivery) => <DeliveryStatusBadge delivery={delivery} />,
        'Last response': lastResponse,
        Happened: ({ createdAt }) => <Timestamp at={createdAt} />,
        Replay:
          canReplay(visitor, webhook) && ((delivery) => <ReplayButton path={path} delivery={delivery} />),
      }}
      empty={status ? 'No delivery has this status.' : 'Nothing was delivered within the last 30 days.'}
    />
  );
}

function canReplay(visitor: Visitor, { status }: Webhook): boolean {
  return visitor.isEditor && status === 'enabled';
}

interface ReplayButtonProps {
  /** Of the page of the webhook. */
  path: string;
  delivery: WebhookDelivery;
}

function ReplayButton({ path, delivery }: ReplayButtonProps) {
  return <PostButton action={`${path}/deliveries/${delivery.id}/replay`} label="Send again" />;
}

function DeliveryStatusBadge({ delivery }: Pick<ReplayButtonProps, 'delivery'>) {
  const { status, attempts } = delivery;
  return (
    <>
      <span class={`badge ${TONES[status]}`}>{STATUSES[status]}</span>
      {attempts.length > 1 && <div class="muted">after {attempts.length} attempts</div>}
    </>
  );
}

function lastResponse({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1);
  return last ? (last.error ?? String(last.http_status_code)) : '–';
}

interface DeliveryPageProps extends PageProps {
  webhook: Webhook;
  delivery: WebhookDelivery;
  /** Newest first. */
  attempts: List<Attempt>;
}

export function DeliveryPage({ visitor, webhook, delivery, attempts }: DeliveryPageProps) {
  const path = `/console/webhooks/${webhook.id}`;
  return (
    <ConsolePage
      visitor={visitor}
      title={delivery.type}
      section="/console/webhooks"
      actions={canReplay(visitor, webhook) && <ReplayButton path={path} delivery={delivery} />}
    >
      <Card>
        <Facts
          facts={{
            Status: <DeliveryStatusBadge delivery={delivery} />,
            'Next attempt': delivery.nextAttemptAt && <Timestamp at={delivery.nextAttemptAt} />,
            Endpoint: <a href={path}>{webhook.endpoint}</a>,
            Happened: <Timestamp at={delivery.createdAt} />,
            'Event id': <dd class="mono">{delivery.id}</dd>,
          }}
        />
      </Card>
      <Card title="Attempts">
        {attempts.elements.length > 0 ? (
          <ol class="timeline">
            {attempts.elements.map((attempt) => (
              <AttemptLine key={attempt.id} attempt={attempt} />
            ))}
          </ol>
        ) : (
          <p class="empty">The event has not been sent yet.</p>
        )}
        <Pager path={`${path}/deliveries/${delivery.id}`} list={attempts} />
      </Card>
      <Card title="The event">
        <pre>{JSON.stringify(JSON.parse(delivery.body), null, 2)}</pre>
      </Card>
    </ConsolePage>
  );
}

function AttemptLine({ attempt }: { attempt: Attempt }) {
  const { sent_at, http_status_code: status, response, error } = attempt;
  const isSuccess = status >= 200 && status < 300;
  return (
    <li>
      <p class="row">
        <span class={`badge ${isSuccess ? 'good' : 'bad'}`}>{error ? 'No response' : status}</span>
        <Timestamp at={new Date(sent_at)} />
      </p>
      {error && <p>{error}</p>}
      {!error && (response ? <pre>{response}</pre> : <p class="muted">The response had no body.</p>)}
    </li>
  );
}
