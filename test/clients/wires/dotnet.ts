import type { IncomingHttpHeaders } from 'node:http';
import { ClientError, USUAL_REQUESTS, type Wire } from './wire.js';

const KNOWN_ERRORS = [
  'validation_error',
  'missing_api_key',
  'restricted_api_key',
  'invalid_api_key',
  'not_found',
  'method_not_allowed',
  'invalid_attachment',
  'invalid_from_address',
  'invalid_access',
  'invalid_parameter',
  'invalid_region',
  'missing_required_field',
  'monthly_quota_exceeded',
  'daily_quota_exceeded',
  'rate_limit_exceeded',
  'security_error',
  'application_error',
  'internal_server_error',
  'invalid_idempotency_key',
  'invalid_idempotent_request',
  'concurrent_idempotent_requests',
];
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const KNOWN_EVENT = /^(email|contact|domain)\.[a-z_]+$/;
const VALUES: Record<string, readonly unknown[]> = {
  origin: ['bounce', 'complaint', 'manual'],
  subscription: ['opt_in', 'opt_out'],
  default_subscription: ['opt_in', 'opt_out'],
};

function checkIntegers(headers: IncomingHttpHeaders): void {
  for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after']) {
    const value = headers[name];
    if (value !== undefined && !/^\d+$/.test(String(value))) {
      throw new ClientError('FormatException', `${name}: ${value}`);
    }
  }
}

/** Refuses what System.Text.Json cannot read into the classes of the client: GUIDs, times and enums. */
function checkTypes(key: string, value: unknown): unknown {
  const isWrong =
    (key === 'id' && !GUID.test(String(value))) ||
    (key === 'created_at' && Number.isNaN(Date.parse(String(value)))) ||
    (key in VALUES && !VALUES[key]!.includes(value)) ||
    (key === 'events' && (value as string[]).some((name) => !KNOWN_EVENT.test(name)));
  if (isWrong) {
    throw new ClientError('deserialization', `Failed deserializing response: ${key}`);
  }
  return value;
}

/**
 * System.Text.Json escapes what HTML cannot have, and JsonContent is chunked. An update sends the absent name as null. Contacts
 * are updated by id. Rules of `ResendClient.cs` and `ErrorType.cs`: an unknown error name loses the message.
 */
export const dotnet: Wire = {
  client: 'resend-dotnet 0.11.0',
  headers: { Accept: 'application/json', 'User-Agent': 'resend-sdk/0.11.0.0 dotnet/8.0.11' },
  bodyHeaders: { 'Content-Type': 'application/json; charset=utf-8', 'Transfer-Encoding': 'chunked' },
  requests: {
    ...USUAL_REQUESTS,
    'suppressions.add': ['POST', '/suppressions', '{"email":"ada\\u002Bnews@example.com"}'],
    'suppressions.batch.add': [
      'POST',
      '/suppressions/batch/add',
      '{"emails":["ada\\u002Bnews@example.com","a/b@example.com","o\\u0027brien\\u0026co@ex\\u00E4mple.com"]}',
    ],
    'suppressions.get plus': ['GET', '/suppressions/ada%2Bnews%40example.com'],
    'suppressions.get slash': ['GET', '/suppressions/a%2Fb%40example.com'],
    'suppressions.get other': ['GET', '/suppressions/o%27brien%26co%40ex%C3%A4mple.com'],
    'suppressions.remove': ['DELETE', '/suppressions/a%2Fb%40example.com'],
    'suppressions.batch.remove emails': [
      'POST',
      '/suppressions/batch/remove',
      '{"emails":["o\\u0027brien\\u0026co@ex\\u00E4mple.com","nobody@example.com"]}',
    ],
    'contacts.create': ['POST', '/contacts', '{"email":"ada/news\\u002B1@example.com","unsubscribed":true}'],
    'contacts.update': ['PATCH', '/contacts/{contact}', '{"email":null,"unsubscribed":false}'],
    'topics.create': ['POST', '/topics', '{"name":"Letter","default_subscription":"opt_in"}'],
    'topics.update': ['PATCH', '/topics/{topic}', '{"name":null,"description":"Monthly"}'],
    'contacts.topics.update': [
      'PATCH',
      '/contacts/{contact}/topics',
      '[{"id":"{topic}","subscription":"opt_out"}]',
    ],
    'contacts.topics.list': ['GET', '/contacts/{contact}/topics?limit=1'],
    'webhooks.create': [
      'POST',
      '/webhooks',
      '{"endpoint":"https://example.com/webhooks","status":"enabled","events":null}',
    ],
  },
  read({ statusCode, headers, text }) {
    checkIntegers(headers);
    if (statusCode >= 200 && statusCode < 300) {
      return JSON.parse(text, checkTypes);
    }
    const { name, message } = JSON.parse(text);
    if (!KNOWN_ERRORS.includes(name)) {
      throw new ClientError('deserialization', 'Failed deserializing error response');
    }
    throw new ClientError(name, message);
  },
};
