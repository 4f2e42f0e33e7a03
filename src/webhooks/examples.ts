import type { AttemptDto, DeliveryDto, WebhookEventDto, WebhookEventIdDto } from './webhook-event.dto.js';
import type { WebhookDto, WebhookIdDto, WebhookSecretDto, WebhookSummaryDto } from './webhook.dto.js';

/** The requests run as they are, from the top of the page at /docs to its end: the webhook is deleted last. */
const ENDPOINT = 'https://example.com/webhooks';
const SIGNING_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const CREATED_AT = '2026-01-15T09:30:00.000Z';

export const WEBHOOK_ID: WebhookIdDto = { object: 'webhook', id: '0198a5f6-3e2d-7c1b-8a90-4b5c6d7e8f90' };

export const WEBHOOK_SECRET: WebhookSecretDto = { ...WEBHOOK_ID, signing_secret: SIGNING_SECRET };

export const WEBHOOK_PARAM = {
  name: 'webhook',
  type: String,
  description: 'Its id.',
  example: WEBHOOK_ID.id,
};

const SUMMARY: WebhookSummaryDto = {
  ...WEBHOOK_ID,
  endpoint: ENDPOINT,
  events: ['suppression.added', 'suppression.removed'],
  unsent_events: [],
  status: 'enabled',
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  created_at: CREATED_AT,
};

export const WEBHOOK: WebhookDto = { ...SUMMARY, signing_secret: SIGNING_SECRET };

export const WEBHOOKS_PAGE = { object: 'list', has_more: false, data: [SUMMARY] };

export const DELETED = { ...WEBHOOK_ID, deleted: true };

export const CREATE_BODY = {
  'Added and removed': {
    value: { endpoint: ENDPOINT, events: ['suppression.added', 'suppression.removed'] },
  },
  'Every change': { value: { endpoint: ENDPOINT, events: ['suppression.changed', 'preference.changed'] } },
};

export const UPDATE_BODY = {
  'Other events': { value: { events: ['suppression.added'] } },
  'Disable it': { value: { status: 'disabled' } },
};

export const REPLAY_BODY = { 'Since a time': { value: { since: '2026-01-15T09:00:00Z' } } };

export const EVENT_ID: WebhookEventIdDto = {
  object: 'webhook_event',
  id: '0198a5f6-4a10-7d2c-9b01-5c6d7e8f9a0b',
};

export const EVENT_PARAM = {
  name: 'webhook_event',
  type: String,
  description: 'The id of the event.',
  example: EVENT_ID.id,
};

const EVENT_SUMMARY = {
  ...EVENT_ID,
  type: 'webhook.test',
  status: 'success',
  created_at: CREATED_AT,
} as const;

export const EVENT: WebhookEventDto = {
  ...EVENT_SUMMARY,
  next_attempt_at: null,
  payload: { type: 'webhook.test', created_at: CREATED_AT, data: { webhook_id: WEBHOOK_ID.id } },
};

export const EVENTS_PAGE = { object: 'list', has_more: false, data: [EVENT_SUMMARY] };

const ATTEMPT: AttemptDto = {
  id: '0198a5f6-4b22-7a3d-8c12-6d7e8f9a0b1c',
  http_status_code: 200,
  response: 'OK',
  error: null,
  sent_at: '2026-01-15T09:30:00.412Z',
};

export const ATTEMPTS_PAGE = { object: 'list', has_more: false, data: [ATTEMPT] };

const DELIVERY: DeliveryDto = { ...EVENT_SUMMARY, next_attempt_at: null, attempts: [ATTEMPT] };

export const DELIVERIES_PAGE = { object: 'list', has_more: false, data: [DELIVERY] };
