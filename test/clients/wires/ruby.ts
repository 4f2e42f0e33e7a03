import { ClientError, type Wire } from './wire.js';

const ERRORS: Record<number, string> = {
  400: 'InvalidRequestError',
  401: 'InvalidRequestError',
  404: 'NotFoundError',
  422: 'InvalidRequestError',
  429: 'RateLimitExceededError',
  500: 'InternalServerError',
};

/**
 * The base URL must end in a slash. The client sends Content-Type without a body, and its topic id in the body of an update.
 * Rules of `request.rb` and `errors.rb`: only `statusCode` in the body makes an error.
 */
export const ruby: Wire = {
  client: 'resend-ruby 1.10.0',
  headers: {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    'User-Agent': 'resend-ruby:1.10.0',
    'Accept-Encoding': 'gzip;q=1.0,deflate;q=0.6,identity;q=0.3',
    Connection: 'close',
  },
  bodyHeaders: {},
  requests: {
    'suppressions.add': ['POST', '/suppressions', '{"email":"ada+news@example.com"}'],
    'suppressions.batch.add': [
      'POST',
      '/suppressions/batch/add',
      '{"emails":["ada+news@example.com","a/b@example.com","o\'brien&co@exämple.com"]}',
    ],
    'suppressions.get plus': ['GET', '/suppressions/ada%2Bnews%40example.com'],
    'suppressions.get slash': ['GET', '/suppressions/a%2Fb%40example.com'],
    'suppressions.get other': ['GET', '/suppressions/o%27brien%26co%40ex%C3%A4mple.com'],
    'suppressions.get id': ['GET', '/suppressions/{id}'],
    'suppressions.list': ['GET', '/suppressions?limit=2&origin=manual&before={id}'],
    'suppressions.remove': ['DELETE', '/suppressions/a%2Fb%40example.com'],
    'suppressions.batch.remove emails': [
      'POST',
      '/suppressions/batch/remove',
      '{"emails":["o\'brien&co@exämple.com","nobody@example.com"]}',
    ],
    'suppressions.batch.remove ids': ['POST', '/suppressions/batch/remove', '{"ids":["{id}"]}'],
    'topics.create': ['POST', '/topics', '{"name":"News","default_subscription":"opt_in"}'],
    'topics.update': ['PATCH', '/topics/{topic}', '{"topic_id":"{topic}","name":"Letter"}'],
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
  read({ text }) {
    let data;
    try {
      data = JSON.parse(text);
    } catch {
      throw new ClientError('InternalServerError', 'Resend API returned an unexpected response');
    }
    const { statusCode } = data;
    if (statusCode && statusCode !== 200 && statusCode !== 201) {
      throw new ClientError(ERRORS[statusCode] ?? 'Error', data.message);
    }
    return data;
  },
};
