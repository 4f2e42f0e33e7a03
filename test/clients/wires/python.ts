import { ClientError, isJson, type Wire } from './wire.js';

const ERRORS: Record<string, Record<string, string>> = {
  400: { validation_error: 'ValidationError' },
  401: { missing_api_key: 'MissingApiKeyError' },
  403: { invalid_api_key: 'InvalidApiKeyError' },
  422: { missing_required_field: 'MissingRequiredFieldsError', validation_error: 'ValidationError' },
  429: { rate_limit_exceeded: 'RateLimitError' },
  500: { application_error: 'ApplicationError' },
};

/** Recorded from the client, which sends `{}` with every GET and DELETE. Rules of `request.py` and `exceptions.py`. */
export const python: Wire = {
  client: 'resend-python 2.39.0',
  headers: {
    'User-Agent': 'resend-python:2.39.0',
    'Accept-Encoding': 'gzip, deflate',
    Accept: 'application/json',
    Connection: 'keep-alive',
  },
  bodyHeaders: { 'Content-Type': 'application/json' },
  requests: {
    'suppressions.add': ['POST', '/suppressions', '{"email": "ada+news@example.com"}'],
    'suppressions.batch.add': [
      'POST',
      '/suppressions/batch/add',
      '{"emails": ["ada+news@example.com", "a/b@example.com", "o\'brien&co@ex\\u00e4mple.com"]}',
    ],
    'suppressions.get plus': ['GET', '/suppressions/ada%2Bnews%40example.com', '{}'],
    'suppressions.get slash': ['GET', '/suppressions/a%2Fb%40example.com', '{}'],
    'suppressions.get other': ['GET', '/suppressions/o%27brien%26co%40ex%C3%A4mple.com', '{}'],
    'suppressions.get id': ['GET', '/suppressions/{id}', '{}'],
    'suppressions.list': ['GET', '/suppressions?limit=2&origin=manual&before={id}', '{}'],
    'suppressions.remove': ['DELETE', '/suppressions/a%2Fb%40example.com', '{}'],
    'suppressions.batch.remove emails': [
      'POST',
      '/suppressions/batch/remove',
      '{"emails": ["o\'brien&co@ex\\u00e4mple.com", "nobody@example.com"]}',
    ],
    'suppressions.batch.remove ids': ['POST', '/suppressions/batch/remove', '{"ids": ["{id}"]}'],
    'contacts.create': ['POST', '/contacts', '{"email": "ada/news+1@example.com", "unsubscribed": true}'],
    'contacts.update': [
      'PATCH',
      '/contacts/ada%2Fnews%2B1%40example.com',
      '{"email": "ada/news+1@example.com", "unsubscribed": false}',
    ],
    'contacts.get': ['GET', '/contacts/ada%2Fnews%2B1%40example.com', '{}'],
    'topics.create': ['POST', '/topics', '{"name": "News", "default_subscription": "opt_in"}'],
    'topics.update': ['PATCH', '/topics/{topic}', '{"name": "Letter"}'],
    'topics.get': ['GET', '/topics/{topic}', '{}'],
    'topics.list': ['GET', '/topics?limit=2', '{}'],
    'contacts.topics.update': [
      'PATCH',
      '/contacts/ada%2Fnews%2B1%40example.com/topics',
      '[{"id": "{topic}", "subscription": "opt_out"}]',
    ],
    'contacts.topics.list': ['GET', '/contacts/ada%2Fnews%2B1%40example.com/topics?limit=1', '{}'],
    'topics.remove': ['DELETE', '/topics/{topic}', '{}'],
    'webhooks.create': [
      'POST',
      '/webhooks',
      '{"endpoint": "https://example.com/webhooks", "events": ["suppression.added", "suppression.removed"]}',
    ],
  },
  read(response) {
    if (!isJson(response)) {
      throw new ClientError('application_error', 'Expected JSON response');
    }
    const { statusCode, text } = response;
    const data = JSON.parse(text);
    const code = statusCode >= 400 ? statusCode : (data.statusCode ?? 200);
    if (code !== 200) {
      throw new ClientError(ERRORS[code]?.[data.name] ?? 'ResendError', data.message ?? 'Unknown error');
    }
    return data;
  },
};
