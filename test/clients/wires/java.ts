import { ClientError, USUAL_REQUESTS, type Wire } from './wire.js';

/**
 * The client does not encode addresses; OkHttp encodes only the bytes that no URL can have. It cannot name the
 * events of suppressions. Rules of `HttpClient.java` and `ResendException.java`.
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
    ...USUAL_REQUESTS,
    'webhooks.create': ['POST', '/webhooks', '{"endpoint":"https://example.com/webhooks","events":null}'],
  },
  read({ statusCode, text }) {
    const body = JSON.parse(text);
    if (statusCode < 200 || statusCode >= 300) {
      throw new ClientError(body.name, body.message);
    }
    return body;
  },
};
