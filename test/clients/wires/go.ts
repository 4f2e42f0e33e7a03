import { ClientError, isJson, USUAL_REQUESTS, type Wire } from './wire.js';

/**
 * Recorded from the client, which sends chunked bodies. The addresses of contacts are not encoded. Rules of `resend.go`: every
 * error but 429 is a message.
 */
export const go: Wire = {
  client: 'resend-go 3.12.0',
  headers: {
    'User-Agent': 'resend-go/3.12.0',
    Accept: 'application/json',
    'Accept-Encoding': 'gzip',
  },
  bodyHeaders: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
  requests: {
    ...USUAL_REQUESTS,
    'suppressions.add': ['POST', '/suppressions', '{"email":"ada+news@example.com"}\n'],
    'suppressions.batch.add': [
      'POST',
      '/suppressions/batch/add',
      '{"emails":["ada+news@example.com","a/b@example.com","o\'brien\\u0026co@exämple.com"]}\n',
    ],
    'suppressions.get slash': ['GET', '/suppressions/a%2Fb@example.com'],
    'suppressions.get other': ['GET', '/suppressions/o%27brien&co@ex%C3%A4mple.com'],
    'suppressions.list': ['GET', '/suppressions?before={id}&limit=2&origin=manual'],
    'suppressions.remove': ['DELETE', '/suppressions/a%2Fb@example.com'],
    'suppressions.batch.remove emails': [
      'POST',
      '/suppressions/batch/remove',
      '{"emails":["o\'brien\\u0026co@exämple.com","nobody@example.com"]}\n',
    ],
    'suppressions.batch.remove ids': ['POST', '/suppressions/batch/remove', '{"ids":["{id}"]}\n'],
    'contacts.create': ['POST', '/contacts', '{"email":"ada/news+1@example.com","unsubscribed":true}\n'],
    'contacts.update': [
      'PATCH',
      '/contacts/ada/news+1@example.com',
      '{"id":"","email":"ada/news+1@example.com","unsubscribed":false}\n',
    ],
    'topics.create': ['POST', '/topics', '{"name":"News","default_subscription":"opt_in"}\n'],
    'topics.update': ['PATCH', '/topics/{topic}', '{"name":"Letter"}\n'],
    'contacts.topics.update': [
      'PATCH',
      '/contacts/ada/news+1@example.com/topics',
      '[{"id":"{topic}","subscription":"opt_out"}]\n',
    ],
    'contacts.topics.list': ['GET', '/contacts/ada/news+1@example.com/topics'],
  },
  read(response) {
    const { statusCode, text } = response;
    if (statusCode >= 200 && statusCode < 300) {
      return JSON.parse(text);
    }
    const message = isJson(response) ? JSON.parse(text).message : `${statusCode}`;
    throw statusCode === 429
      ? new ClientError('RateLimitError', message)
      : new ClientError('error', `[ERROR]: ${message || 'Unknown Error'}`);
  },
};
