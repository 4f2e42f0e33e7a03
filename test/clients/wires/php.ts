import { ClientError, isJson, USUAL_REQUESTS, type Wire } from './wire.js';

const KNOWN_ERRORS = [
  'application_error',
  'concurrent_idempotent_requests',
  'daily_quota_exceeded',
  'internal_server_error',
  'invalid_access',
  'invalid_api_key',
  'invalid_attachment',
  'invalid_from_address',
  'invalid_idempotency_key',
  'invalid_idempotent_request',
  'invalid_parameter',
  'invalid_region',
  'method_not_allowed',
  'missing_api_key',
  'missing_required_field',
  'monthly_quota_exceeded',
  'not_found',
  'rate_limit_exceeded',
  'restricted_api_key',
  'security_error',
  'validation_error',
];

/**
 * The client does not encode addresses; Guzzle encodes only the bytes that no URI can have. Rules of `HttpTransporter.php`,
 * `ErrorException.php` and `Service.php`: a response of status 400 or above that it does not recognize is a success.
 */
export const php: Wire = {
  client: 'resend-php 1.10.0',
  headers: { 'User-Agent': 'resend-php/1.10.0' },
  bodyHeaders: { 'Content-Type': 'application/json' },
  requests: {
    ...USUAL_REQUESTS,
    'suppressions.batch.add': [
      'POST',
      '/suppressions/batch/add',
      '{"emails":["ada+news@example.com","a\\/b@example.com","o\'brien&co@ex\\u00e4mple.com"]}',
    ],
    'suppressions.list': ['GET', '/suppressions?limit=2&origin=manual&before={id}'],
    'suppressions.batch.remove emails': [
      'POST',
      '/suppressions/batch/remove',
      '{"emails":["o\'brien&co@ex\\u00e4mple.com","nobody@example.com"]}',
    ],
    'contacts.create': ['POST', '/contacts', '{"email":"ada\\/news+1@example.com","unsubscribed":true}'],
    'contacts.topics.list': ['GET', '/contacts/ada/news+1@example.com/topics'],
  },
  read(response) {
    const { statusCode, text } = response;
    if (statusCode >= 400 && isJson(response)) {
      const body = JSON.parse(text);
      if (body.error !== undefined || KNOWN_ERRORS.includes(body.name)) {
        const { type, name, message, code, statusCode: nested } = body.error ?? body;
        if (!Number.isInteger(code ?? nested)) {
          throw new ClientError('TypeError', 'getErrorCode() must return an integer');
        }
        throw new ClientError(type ?? name, message);
      }
    }
    if (!isJson(response) || text.trim() === '') {
      throw new ClientError('UnserializableResponse', text.slice(0, 200));
    }
    return JSON.parse(text);
  },
};
