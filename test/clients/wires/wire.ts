import { request, type IncomingHttpHeaders } from 'node:http';

/** The requests that the test sends, in this order. */
export const STEPS = [
  'suppressions.add',
  'suppressions.batch.add',
  'suppressions.get plus',
  'suppressions.get slash',
  'suppressions.get other',
  'suppressions.get id',
  'suppressions.list',
  'suppressions.remove',
  'suppressions.batch.remove emails',
  'suppressions.batch.remove ids',
  'contacts.create',
  'contacts.update',
  'contacts.get',
  'topics.create',
  'topics.update',
  'topics.get',
  'topics.list',
  'contacts.topics.update',
  'contacts.topics.list',
  'topics.remove',
  'webhooks.create',
] as const;
export type Step = (typeof STEPS)[number];

/** Method, path and body, in which `{id}`, `{topic}` and `{contact}` are the ids of earlier responses. */
type Request = [method: string, path: string, body?: string];

/** What most clients send. The others replace the requests in which they differ. */
export const USUAL_REQUESTS: Record<Step, Request> = {
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
  'contacts.create': ['POST', '/contacts', '{"email":"ada/news+1@example.com","unsubscribed":true}'],
  'contacts.update': ['PATCH', '/contacts/ada/news+1@example.com', '{"unsubscribed":false}'],
  'contacts.get': ['GET', '/contacts/ada/news+1@example.com'],
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
  'webhooks.create': [
    'POST',
    '/webhooks',
    '{"endpoint":"https://example.com/webhooks","events":["suppression.added","suppression.removed"]}',
  ],
};

export interface Wire {
  /** The version whose source was read, or that was recorded. */
  client: string;
  headers: Record<string, string>;
  /** Further headers of requests that have a body. */
  bodyHeaders: Record<string, string>;
  requests: Record<Step, Request>;
  /** Returns what the client returns, by the client's own rules. @throws {ClientError} */
  read(response: Received): Result;
}

/** The fields of responses that the test uses; a response has some of them. */
export interface Result {
  id: string;
  data: { id: string; email: string }[];
  signing_secret: string;
}

export interface Received {
  statusCode: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** The exception that a client throws: its class or name there, and its message. */
export class ClientError extends Error {
  constructor(
    override readonly name: string,
    message: string,
  ) {
    super(message);
  }
}

export function isJson({ headers }: Received): boolean {
  return (headers['content-type'] ?? '').startsWith('application/json');
}

/** Sends a recorded request with an API key. */
export function replay(
  url: string,
  apiKey: string,
  wire: Wire,
  step: Step,
  ids: Record<string, string>,
): Promise<Received> {
  const fillIn = (text: string) => text.replace(/\{(\w+)\}/g, (_, id: string) => ids[id]!);
  const [method, path, template] = wire.requests[step];
  const body = template && fillIn(template);
  const headers: Record<string, string> = {
    ...wire.headers,
    ...(body && wire.bodyHeaders),
    Authorization: `Bearer ${apiKey}`,
  };
  if (body && !headers['Transfer-Encoding']) {
    headers['Content-Length'] = String(Buffer.byteLength(body));
  }
  return send(url, method, fillIn(path), headers, body);
}

export function send(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () =>
        resolve({ statusCode: response.statusCode!, headers: response.headers, text }),
      );
      response.on('error', reject);
    });
    outgoing.on('error', reject).end(body);
  });
}
