import { Get, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { WebhookEventId, WebhookId } from '../../../webhooks/operations.js';
import { WebhookDeliveriesService } from '../../../webhooks/webhook-deliveries.service.js';
import type { Attempt, DeliveryStatus, WebhookDelivery } from '../../../webhooks/webhook-delivery.entity.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, Done, readList, submitChange, type Visit } from '../../access/visit.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Badge, Card, Facts, Timestamp, type Tone } from '../../components/content.js';
import { Form, PostButton } from '../../components/form.js';
import { Select } from '../../components/inputs.js';
import { type List, ListCard, Pager } from '../../components/list.js';
import type { Visitor } from '../../people/sessions.service.js';

/** Few, since each has up to 2 kB of a response. */
const ATTEMPTS = 5;

@ConsoleController('webhooks/:webhook/deliveries', 'viewer')
export class DeliveriesPageController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  @Get(':webhook_event')
  show(
    @CurrentVisit() visit: Visit,
    @WebhookId id: string,
    @WebhookEventId event: string,
  ): Promise<HtmlResponse> {
    return this.page(visit, id, event);
  }

  @Post(':webhook_event/replay')
  @RequireRole('editor')
  replay(
    @CurrentVisit() visit: Visit,
    @WebhookId id: string,
    @WebhookEventId event: string,
  ): Promise<HtmlResponse> {
    return submitChange(
      visit,
      () => this.deliveries.replay(visit.context, id, event),
      new Done(
        `/console/webhooks/${id}`,
        'The event is being sent again. Reload this page to see the response.',
      ),
      (refused) => this.page(refused, id, event),
    );
  }

  private async page(visit: Visit, id: string, event: string): Promise<HtmlResponse> {
    const { accountId } = visit;
    const [webhook, delivery, attempts] = await Promise.all([
      this.webhooks.find(accountId, id),
      this.deliveries.get(accountId, id, event),
      readList(visit, ATTEMPTS, (cursor) => this.deliveries.attempts(accountId, id, event, cursor)),
    ]);
    const path = `/console/webhooks/${webhook.id}`;
    return (
      <ConsolePage
        visitor={visit}
        title={delivery.type}
        section="/console/webhooks"
        actions={canReplay(visit, webhook) && <ReplayButton path={path} delivery={delivery} />}
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
}

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

const TONES: Record<DeliveryStatus, Tone> = { pending: 'warn', success: 'good', failed: 'bad' };

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
          <Select name="status" label="Status" emptyLabel="Any" choices={STATUSES} />
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
      empty={status ? 'No deliveries with this status.' : 'No deliveries in the last 30 days.'}
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
      <Badge tone={TONES[status]} text={STATUSES[status]} />
      {attempts.length > 1 && <div class="muted">after {attempts.length} attempts</div>}
    </>
  );
}

function lastResponse({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1);
  return last ? (last.error ?? String(last.http_status_code)) : '–';
}

function AttemptLine({ attempt }: { attempt: Attempt }) {
  const { sent_at, http_status_code: status, response, error } = attempt;
  const isSuccess = status >= 200 && status < 300;
  return (
    <li>
      <p class="row">
        <Badge tone={isSuccess ? 'good' : 'bad'} text={error ? 'No response' : status} />
        <Timestamp at={new Date(sent_at)} />
      </p>
      {error && <p>{error}</p>}
      {!error && (response ? <pre>{response}</pre> : <p class="muted">The response had no body.</p>)}
    </li>
  );
}
