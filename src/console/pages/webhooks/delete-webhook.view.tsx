import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { ConfirmationPage } from '../../components/confirmation-page.js';
import type { PageProps } from '../../components/console-page.js';

export function DeleteWebhookPage({ visitor, webhook }: PageProps & { webhook: Webhook }) {
  const path = `/console/webhooks/${webhook.id}`;
  return (
    <ConfirmationPage
      visitor={visitor}
      title="Delete this webhook?"
      section="/console/webhooks"
      action={`${path}/delete`}
      submit="Delete this webhook"
      back={path}
    >
      <p class="mono">{webhook.endpoint}</p>
      <ul class="steps">
        <li>Deliveries stop: events that wait for another attempt are never sent.</li>
        <li>The deliveries of the last 30 days are deleted, with their responses.</li>
        <li>
          Its signing secret becomes invalid. Another webhook for the same endpoint gets another secret.
        </li>
      </ul>
      <p>This cannot be undone. To stop a webhook for a while, disable it instead.</p>
    </ConfirmationPage>
  );
}
