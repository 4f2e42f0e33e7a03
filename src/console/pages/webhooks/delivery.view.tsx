import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import type { Attempt, WebhookDelivery } from '../../../webhooks/webhook-delivery.entity.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { Timestamp } from '../../components/timestamp.js';
import { DeliveryStatusBadge, ReplayButton } from './webhook-deliveries.view.js';

interface DeliveryPageProps extends PageProps {
  webhook: Webhook;
  delivery: WebhookDelivery;
  /** Newest first. */
  attempts: Page<Attempt>;
  cursor: PageCursor;
}

export function DeliveryPage(props: DeliveryPageProps): JSX.Element {
  const { webhook, delivery, attempts, cursor, ...shared } = props;
  const path = `/console/webhooks/${webhook.id}`;
  return (
    <ConsolePage
      {...shared}
      title={delivery.type}
      section="/console/webhooks"
      actions={<ReplayButton webhook={webhook} delivery={delivery} visitor={shared.visitor} />}
    >
      <section class="card">
        <dl class="facts">
          <dt>Status</dt>
          <dd>
            <DeliveryStatusBadge delivery={delivery} />
          </dd>
          {delivery.nextAttemptAt && (
            <>
              <dt>Next attempt</dt>
              <dd>
                <Timestamp at={delivery.nextAttemptAt} />
              </dd>
            </>
          )}
          <dt>Endpoint</dt>
          <dd>
            <a href={path}>{webhook.endpoint}</a>
          </dd>
          <dt>Happened</dt>
          <dd>
            <Timestamp at={delivery.createdAt} />
          </dd>
          <dt>Event id</dt>
          <dd class="mono">{delivery.id}</dd>
        </dl>
      </section>
      <section class="card">
        <h2>Attempts</h2>
        {attempts.elements.length > 0 ? (
          <ol class="timeline">
            {attempts.elements.map((attempt) => (
              <AttemptLine key={attempt.id} attempt={attempt} />
            ))}
          </ol>
        ) : (
          <p class="empty">The event has not been sent yet.</p>
        )}
        <Pager path={`${path}/deliveries/${delivery.id}`} cursor={cursor} page={attempts} />
      </section>
      <section class="card">
        <h2>The event</h2>
        <pre>{JSON.stringify(JSON.parse(delivery.body), null, 2)}</pre>
      </section>
    </ConsolePage>
  );
}

function AttemptLine({ attempt }: { attempt: Attempt }): JSX.Element {
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
