import { startProxy, type Proxy } from '../support/servers/proxy.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { createKey, createWorld, type World } from '../support/world.js';
import { dotnet } from './wires/dotnet.js';
import { go } from './wires/go.js';
import { java } from './wires/java.js';
import { php } from './wires/php.js';
import { python } from './wires/python.js';
import { ruby } from './wires/ruby.js';
import { rust } from './wires/rust.js';
import {
  ClientError,
  replay,
  send,
  STEPS,
  type Received,
  type Result,
  type Step,
  type Wire,
} from './wires/wire.js';

const WIRES = [python, php, ruby, go, rust, dotnet, java];
const OTHER = "o'brien&co@xn--exmple-cua.com";

let world: World;
beforeAll(async () => (world = await createWorld()));
afterAll(() => world.close());

/** The requests of each client as it sends them, and our responses as it reads them. */
describe.each(WIRES)('$client', (wire: Wire) => {
  const results: Partial<Record<Step, Result>> = {};
  beforeAll(async () => {
    const alice = await createKey(world);
    const ids = { id: '', topic: '', contact: '' };
    for (const step of STEPS) {
      const result = wire.read(await replay(world.url, alice, wire, step, ids));
      results[step] = result;
      ids.id ||= step === 'suppressions.add' ? result.id : '';
      ids.contact ||= step === 'contacts.create' ? result.id : '';
      ids.topic ||= step === 'topics.create' ? result.id : '';
    }
  });

  it('adds an address, and a batch that contains it', () => {
    expect(results['suppressions.add']).toEqual({ object: 'suppression', id: expect.any(String) });
    const { data } = results['suppressions.batch.add']!;
    expect(data).toHaveLength(3);
    expect(data[0]).toEqual(results['suppressions.add']);
  });

  it('gets a record by an id and by any address, however it encodes them', () => {
    const plus = results['suppressions.get plus']!;
    expect(plus).toMatchObject({
      object: 'suppression',
      id: results['suppressions.add']!.id,
      email: 'ada+news@example.com',
      origin: 'manual',
      source_id: null,
      created_at: expect.any(String),
    });
    expect(results['suppressions.get id']).toEqual(plus);
    expect(results['suppressions.get slash']).toMatchObject({ email: 'a/b@example.com' });
    expect(results['suppressions.get other']).toMatchObject({ email: OTHER });
  });

  it('lists a page with a filter and a cursor', () => {
    const { data, ...page } = results['suppressions.list']!;
    expect(page).toEqual({ object: 'list', has_more: false });
    expect(data.map(({ email }) => email).toSorted()).toEqual(['a/b@example.com', OTHER]);
    expect(data).toContainEqual(results['suppressions.get slash']);
  });

  it('removes a record, and a batch by addresses and by ids', () => {
    const removed = (id: string) => ({ object: 'suppression', id, deleted: true });
    const [plus, slash, other] = results['suppressions.batch.add']!.data;
    expect(results['suppressions.remove']).toEqual(removed(slash!.id));
    expect(results['suppressions.batch.remove emails']!.data).toEqual([removed(other!.id)]);
    expect(results['suppressions.batch.remove ids']!.data).toEqual([removed(plus!.id)]);
  });

  it('creates, updates, and gets a contact', () => {
    const { id } = results['contacts.create']!;
    expect(results['contacts.update']).toEqual({ object: 'contact', id });
    expect(results['contacts.get']).toMatchObject({
      id,
      email: 'ada/news+1@example.com',
      unsubscribed: false,
      created_at: expect.any(String),
    });
  });

  it('creates, updates, gets, lists, and removes a topic', () => {
    const { id } = results['topics.create']!;
    expect(results['topics.update']).toEqual({ object: 'topic', id });
    const topic = { id, name: 'Letter', default_subscription: 'opt_in', created_at: expect.any(String) };
    expect(results['topics.get']).toMatchObject(topic);
    expect(results['topics.list']!.data[0]).toMatchObject(topic);
    expect(results['topics.remove']).toEqual({ object: 'topic', id, deleted: true });
  });

  it('creates a webhook', () => {
    expect(results['webhooks.create']).toMatchObject({ signing_secret: expect.stringMatching(/^whsec_/) });
  });

  it('sets and lists the topics of a contact', () => {
    expect(results['contacts.topics.update']).toMatchObject({ id: expect.any(String) });
    expect(results['contacts.topics.list']!.data[0]).toMatchObject({
      id: results['topics.create']!.id,
      name: 'Letter',
      subscription: 'opt_out',
      created_at: expect.any(String),
    });
  });
});

describe('webhooks', () => {
  const listedWith = async (events: string[]): Promise<Received> => {
    const alice = await createKey(world);
    await world.as(alice).post('/webhooks').send({ endpoint: 'https://example.com', events }).expect(201);
    return send(world.url, 'GET', '/webhooks', { Authorization: `Bearer ${alice}` });
  };
  const readersOf = (list: Received): string[] =>
    WIRES.filter((wire) => {
      try {
        return wire.read(list).data.length === 1;
      } catch {
        return false;
      }
    }).map(({ client }) => client);

  it('are readable by all clients but those that do not know the names of their events', async () => {
    const readers = async (...events: string[]) => readersOf(await listedWith(events));
    const all = WIRES.map(({ client }) => client);
    expect(await readers('email.bounced', 'contact.created')).toEqual(all);
    const knowSuppressions = all.filter((client) => client !== dotnet.client);
    expect(await readers('suppression.added')).toEqual(knowSuppressions);
    const lenient = knowSuppressions.filter((client) => client !== rust.client);
    expect(await readers('suppression.changed')).toEqual(lenient);
  });
});

const NAMES = {
  'a bad address': 'validation_error',
  'no key': 'missing_api_key',
  'a key without the scope': 'restricted_api_key',
  'an unknown key': 'invalid_api_key',
  'an account outside the beta': 'restricted_api_key',
  'an address that is not listed': 'not_found',
  'an unknown path': 'validation_error',
  'a base URL with a prefix': 'validation_error',
  'another method': 'method_not_allowed',
  'a body that is too large': 'validation_error',
  'another media type': 'validation_error',
  'an unreadable file': 'validation_error',
  'the rate limit': 'rate_limit_exceeded',
  'a database that does not respond': 'application_error',
} as const;
type Reason = keyof typeof NAMES;

/** What the clients that do not throw by our name throw instead. */
const OTHER_NAMES: Record<string, Record<Reason, string>> = {
  [python.client]: {
    'a bad address': 'ValidationError',
    'no key': 'MissingApiKeyError',
    'a key without the scope': 'ResendError',
    'an unknown key': 'InvalidApiKeyError',
    'an account outside the beta': 'ResendError',
    'an address that is not listed': 'ResendError',
    'an unknown path': 'ResendError',
    'a base URL with a prefix': 'ValidationError',
    'another method': 'ResendError',
    'a body that is too large': 'ResendError',
    'another media type': 'ResendError',
    'an unreadable file': 'ValidationError',
    'the rate limit': 'RateLimitError',
    'a database that does not respond': 'ResendError',
  },
  [rust.client]: { ...NAMES, 'the rate limit': 'RateLimit' },
  [ruby.client]: {
    'a bad address': 'InvalidRequestError',
    'no key': 'InvalidRequestError',
    'a key without the scope': 'InvalidRequestError',
    'an unknown key': 'Error',
    'an account outside the beta': 'Error',
    'an address that is not listed': 'NotFoundError',
    'an unknown path': 'NotFoundError',
    'a base URL with a prefix': 'InvalidRequestError',
    'another method': 'Error',
    'a body that is too large': 'Error',
    'another media type': 'Error',
    'an unreadable file': 'InvalidRequestError',
    'the rate limit': 'RateLimitExceededError',
    'a database that does not respond': 'Error',
  },
};

const messageOf = (wire: Wire, reason: Reason, message: string): string => {
  if (reason === 'the rate limit') {
    return wire === rust ? 'Too many requests. Limit is 1 per 1 seconds.' : message;
  }
  return wire === go ? `[ERROR]: ${message}` : message;
};

describe('an error', () => {
  let limited: TestApp;
  let proxy: Proxy;
  let cutOff: TestApp;
  const responses = {} as Record<Reason, Received>;
  beforeAll(async () => {
    limited = await startTestApp(world.database.url, { RATE_LIMIT: '1' });
    proxy = await startProxy(world.database.url);
    cutOff = await startTestApp(proxy.url);
    const call = (method: string, path: string, body?: string, headers = {}, url = world.url) => {
      const all = { Authorization: `Bearer ${world.alice}`, 'Content-Type': 'application/json', ...headers };
      return send(url, method, path, all, body);
    };
    const add = '{"email":"ada@example.com"}';
    const key = (apiKey: string) => ({ Authorization: `Bearer ${apiKey}` });
    responses['a bad address'] = await call('POST', '/suppressions', '{"email":"nobody"}');
    responses['no key'] = await send(world.url, 'GET', '/suppressions', {});
    responses['a key without the scope'] = await call('POST', '/suppressions', add, key(world.bob));
    responses['an unknown key'] = await call('GET', '/suppressions', undefined, key('re_123'));
    responses['an address that is not listed'] = await call('GET', '/suppressions/nobody@example.com');
    responses['an unknown path'] = await call('GET', '/emails');
    responses['a base URL with a prefix'] = await call('GET', '/v1/suppressions/nobody@example.com');
    responses['another method'] = await call('PUT', '/suppressions', add);
    responses['a body that is too large'] = await call('POST', '/suppressions', ' '.repeat(2 ** 20) + add);
    responses['another media type'] = await call('POST', '/suppressions', add, {
      'Content-Type': 'text/plain',
    });
    responses['an unreadable file'] = await call('POST', '/scrubs', '\xff\xfe\xff', {
      'Content-Type': 'text/csv',
    });
    responses['an account outside the beta'] = await call(
      'GET',
      '/suppressions',
      undefined,
      key(await outsider()),
    );
    do {
      responses['the rate limit'] = await call('GET', '/suppressions', undefined, {}, limited.url);
    } while (responses['the rate limit'].statusCode === 200);
    proxy.cut();
    responses['a database that does not respond'] = await call('POST', '/suppressions', add, {}, cutOff.url);
  });
  afterAll(async () => {
    await Promise.all([limited.close(), cutOff.close()]);
    await proxy.close();
  });

  const outsider = async (): Promise<string> => {
    const apiKey = await createKey(world, ['suppressions:read'], 'outsider');
    await world.database.query(`UPDATE accounts SET beta_admitted_at = NULL WHERE name = 'outsider'`);
    return apiKey;
  };
  const errorOf = (wire: Wire, response: Received): ClientError => {
    try {
      wire.read(response);
    } catch (error) {
      if (error instanceof ClientError) {
        return error;
      }
      throw error;
    }
    throw new Error(`${wire.client} takes the response for a success.`);
  };

  it.each(Object.keys(NAMES) as Reason[])('by %s is an error with its message for every client', (reason) => {
    const { message } = JSON.parse(responses[reason].text);
    for (const wire of WIRES) {
      const { name, message: read } = errorOf(wire, responses[reason]);
      const expected = wire === go ? name : (OTHER_NAMES[wire.client] ?? NAMES)[reason];
      expect({ client: wire.client, name, message: read }).toEqual({
        client: wire.client,
        name: expected,
        message: messageOf(wire, reason, message),
      });
    }
  });

  it('by the rate limit has the headers that the Ruby, Go and .NET clients read as integers', () => {
    expect(responses['the rate limit'].headers).toMatchObject({
      'ratelimit-limit': '1',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '1',
      'retry-after': '1',
    });
  });
});
