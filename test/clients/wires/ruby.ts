import { ClientError, USUAL_REQUESTS, type Wire } from './wire.js';

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
    ...USUAL_REQUESTS,
    'suppressions.get plus': ['GET', '/suppressions/ada%2Bnews%40example.com'],
    'suppressions.get slash': ['GET', '/suppressions/a%2Fb%40example.com'],
    'suppressions.get other': ['GET', '/suppressions/o%27brien%26co%40ex%C3%A4mple.com'],
    'suppressions.list': ['GET', '/suppressions?limit=2&origin=manual&before={id}'],
    'suppressions.remove': ['DELETE', '/suppressions/a%2Fb%40example.com'],
    'contacts.update': [
      'PATCH',
      '/contacts/ada/news+1@example.com',
      '{"email":"ada/news+1@example.com","unsubscribed":false}',
    ],
    'topics.update': ['PATCH', '/topics/{topic}', '{"topic_id":"{topic}","name":"Letter"}'],
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
