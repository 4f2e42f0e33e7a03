import { ClientError, type Wire } from './wire.js';

/**
 * The client does not encode addresses; OkHttp encodes only the bytes that no URL can have. Rules of `HttpClient.java` and
 * `ResendException.java`.
 */
export const java: Wire = {
  client: 'resend-java 4.20.0',
  headers: {
    Accept: 'application/json',
    'User-Agent': 'resend-java/4.20.0',
    Connection: 'Keep-Alive',
    'Accept-Encoding': 'gzip',
  },
  bodyHeaders: { 'Content-Type': 'application/json; charset=utf-8' },
  requests: {
    'suppressions.add': ['POST', '/suppressions', '{"email":"ada+news@example.com"}'],
    'suppressions.batch.add': [
      'POST',
      '/suppressions/batch/add',
      '{"emails":["ada+news@example.com","a/b@example.com","o\'brien&co@exämple.com"]}',
    ],
    'suppressions.get plus': ['GET', '/suppressions/ada+news@example.com'],
    'suppressions.get slash': ['GET', '/suppressions/a/b@example.com'],
    'suppressions.get other': ['GET', "/suppressions/o'brien&co@ex%C3%A4mple.com"],
    'suppressions.get id': ['GET', '/suppressions/{id}'],
    'suppressions.list': ['GET', '/suppressions?limit=2&before={id}&origin=manual'],
    'suppressions.remove': ['DELETE', '/suppressions/a/b@example.com'],
    'suppressions.batch.remove emails': [
      'POST',
      '/suppressions/batch/remove',
      '{"emails":["o\'brien&co@exämple.com","nobody@example.com"]}',
    ],
    'suppressions.batch.remove ids': ['POST', '/suppressions/batch/remove', '{"ids":["{id}"]}'],
    'topics.create': ['POST', '/topics', '{"name":"News","default_subscription":"opt_in"}'],
    'topics.update': ['PATCH', '/topics/{topic}', '{"name":"Letter"}'],
    'topics.get': ['GET', '/topics/{topic}'],
    'topics.list': ['GET', '/topics?limit=2'],
    'contacts.topics.update': [
      'PATCH',
      '/contacts/ada/news+1@example.com/topics',
      '[{"id":"{topic}","subscription":"opt_out"}]',
    ],
    'contacts.topics.list': ['GET', '/contacts/ada/news+1@example.com/topics?limit=1'],
    'topics.remove': ['DELETE', '/topics/{topic}'],
  },
  read({ statusCode, text }) {
    const body = JSON.parse(text);
    if (statusCode < 200 || statusCode >= 300) {
      throw new ClientError(body.name, body.message);
    }
    return body;
  },
};
