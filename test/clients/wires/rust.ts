import { ClientError, USUAL_REQUESTS, type Wire } from './wire.js';

const KNOWN_EVENT = /^((email|contact|domain)\.[a-z_]+|suppression\.(added|removed))$/;

/** Refuses events that the client cannot name, and topics, also of a contact, without a field that it requires. */
function checkTypes(key: string, value: unknown): unknown {
  if (key === 'events' && (value as string[]).some((name) => !KNOWN_EVENT.test(name))) {
    throw new ClientError('Http', 'data did not match any variant of untagged enum EventType');
  }
  if (value !== null && typeof value === 'object' && 'name' in value && !('created_at' in value)) {
    throw new ClientError('Http', 'missing field `created_at`');
  }
  return value;
}

/** The client encodes addresses. Rules of `config.rs` and `error.rs`: it does not read the body of a 429. */
export const rust: Wire = {
  client: 'resend-rs 0.31.0',
  headers: { Accept: '*/*', 'User-Agent': 'resend-rs/0.31.0' },
  bodyHeaders: { 'Content-Type': 'application/json' },
  requests: {
    ...USUAL_REQUESTS,
    'suppressions.get plus': ['GET', '/suppressions/ada%2Bnews%40example.com'],
    'suppressions.get slash': ['GET', '/suppressions/a%2Fb%40example.com'],
    'suppressions.get other': ['GET', '/suppressions/o%27brien%26co%40ex%C3%A4mple.com'],
    'suppressions.remove': ['DELETE', '/suppressions/a%2Fb%40example.com'],
    'contacts.update': ['PATCH', '/contacts/ada%2Fnews%2B1%40example.com', '{"unsubscribed":false}'],
    'contacts.get': ['GET', '/contacts/ada%2Fnews%2B1%40example.com'],
    'contacts.topics.update': [
      'PATCH',
      '/contacts/ada%2Fnews%2B1%40example.com/topics',
      '[{"id":"{topic}","subscription":"opt_out"}]',
    ],
    'contacts.topics.list': ['GET', '/contacts/ada%2Fnews%2B1%40example.com/topics?limit=1'],
  },
  read({ statusCode, headers, text }) {
    if (statusCode === 429) {
      const limit = `${String(headers['ratelimit-limit'])} per ${String(headers['ratelimit-reset'])} seconds`;
      throw new ClientError('RateLimit', `Too many requests. Limit is ${limit}.`);
    }
    if (statusCode >= 400) {
      const { name, message } = JSON.parse(text);
      throw new ClientError(name, message);
    }
    return JSON.parse(text, checkTypes);
  },
};
