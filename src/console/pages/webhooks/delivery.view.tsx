import type { Attempt, WebhookDelivery } from '../../../webhooks/webhook-delivery.entity.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { Card } from '../../components/card.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Facts } from '../../components/facts.js';
import type { List } from '../../components/list-page.js';
import { Pager } from '../../components/pager.js';
import { Timestamp } from '../../components/timestamp.js';
import { canReplay, DeliveryStatusBadge, ReplayButton } from './webhook-deliveries.view.js';

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
