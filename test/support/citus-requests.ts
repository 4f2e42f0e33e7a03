import { AccountsService } from '../../src/accounts/accounts.service.js';
import { ApiKeysService } from '../../src/api-keys/api-keys.service.js';
import { SCOPES } from '../../src/api-keys/caller.js';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { OPERATOR } from './operator.js';
import type { TestApp } from './test-app.js';
import { until } from './until.js';

/** The parts of a response that the script uses. */
interface Body {
  id: string;
  status: string;
  total: number | null;
  has_more: boolean;
  cursor: string;
  rules_version: string | null;
  data: { email: string; type: string; verdict: string }[];
}

interface Response {
  status: number;
  body: Body;
}

export async function send(
  url: string,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const isText = typeof body === 'string';
  const response = await fetch(url + path, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...headers,
      ...(body !== undefined && { 'Content-Type': isText ? 'text/csv' : 'application/json' }),
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
  };
}

export async function createAccount({ app }: TestApp): Promise<{ accountId: number; key: string }> {
  const { id: accountId } = await app.get(AccountsService).create(OPERATOR, `account-${randomUUID()}`, true);
  const settings = { name: 'default', scopes: [...SCOPES], expiresAt: null };
  const context = { accountId, actor: OPERATOR, deadline: Infinity };
  return { accountId, key: (await app.get(ApiKeysService).create(context, settings)).secret };
}

/** What an account gets when it uses every part of the API, without the ids and times. */
export async function requestsOfEveryKind(app: TestApp): Promise<unknown[]> {
  const { key } = await createAccount(app);
  const answers: unknown[] = [];
  const ask = async (method: string, path: string, body?: unknown): Promise<Body> => {
    const response = await send(app.url, key, method, path, body);
    answers.push([`${method} ${path.replace(UUID, '<id>')}`, response.status, withoutIds(response.body)]);
    return response.body;
  };
  const done = async (path: string, isDone: (body: Body) => boolean) => {
    await until(async () => isDone((await send(app.url, key, 'GET', path)).body));
    await ask('GET', path);
  };
  await ask('POST', '/suppressions', { email: 'ada@example.com' });
  await ask('POST', '/suppressions', { email: 'ada@example.com', cause: 'complaint' });
  await ask('POST', '/suppressions', { email: 'no address' });
  await ask('POST', '/suppressions/batch/add', {
    emails: ['b@example.com', 'c@example.com', 'd@example.net'],
  });
  await ask('POST', '/suppressions/batch/remove', { emails: ['c@example.com', 'unknown@example.com'] });
  await ask('DELETE', '/suppressions/b@example.com');
  await ask('DELETE', '/suppressions/b@example.com');
  await ask('POST', '/suppressions/check', { emails: ['ada@example.com', 'c@example.com', 'wrong'] });
  await ask('GET', '/suppressions/ada@example.com?include=causes');
  await ask('GET', '/suppressions/b@example.com/history');
  await ask('GET', '/suppressions?limit=2');
  await ask('GET', '/suppressions?domain=example.net');
  const topic = await ask('POST', '/topics', { name: 'News', key: 'news', default_subscription: 'opt_in' });
  await ask('POST', '/topics', { name: 'News', key: 'news', default_subscription: 'opt_in' });
  await ask('PATCH', `/topics/${topic.id}`, { name: 'Our news' });
  await ask('PATCH', '/contacts/erin@example.com/topics', [{ id: topic.id, subscription: 'opt_out' }]);
  await ask('GET', '/contacts/erin@example.com/topics');
  await ask('POST', '/contacts', { email: 'fred@example.com' });
  await ask('PATCH', '/contacts/fred@example.com', { unsubscribed: true });
  await ask('POST', '/suppressions/check', {
    emails: ['erin@example.com', 'fred@example.com'],
    topic: 'news',
  });
  await ask('POST', '/suppressions/check', {
    emails: ['erin@example.com', 'fred@example.com'],
    transactional: true,
  });
  const rule = await ask('POST', '/rules', { pattern: '*.bad.example', effect: 'block', note: 'A trap' });
  await ask('PATCH', `/rules/${rule.id}`, { note: 'A spam trap' });
  await ask('POST', '/suppressions/check', { emails: ['x@very.bad.example'] });
  await ask('GET', '/rules');
  await ask('DELETE', `/rules/${rule.id}`);
  const bounce = {
    type: 'bounce',
    email: 'gone@example.com',
    status: '5.1.1',
    diagnostic: '550 user unknown',
  };
  await ask('POST', '/events', bounce);
  await ask('POST', '/events', { ...bounce, type: 'complaint', status: undefined, diagnostic: undefined });
  await ask('POST', '/events', {
    type: 'bounce',
    email: 'full@example.com',
    status: '4.2.2',
    diagnostic: '452 mailbox full',
  });
  await ask('GET', '/events');
  await ask('POST', '/unsubscribe-links', { emails: ['gina@example.com'], topic: 'news' });
  const imported = await ask(
    'POST',
    '/imports',
    'email,reason\nh@example.com,bounce\ni@example.com,complaint\nwrong,bounce\n',
  );
  await done(`/imports/${imported.id}`, ({ status }) => status === 'completed');
  await ask('GET', `/imports/${imported.id}/errors`);
  await ask('GET', '/imports');
  await ask('POST', `/imports/${imported.id}/revert`);
  await done(`/imports/${imported.id}`, ({ status }) => status === 'reverted');
  await ask('GET', '/exports');
  await ask('POST', '/scrubs', 'email\nada@example.com\nnew@example.com\n');
  await ask('GET', '/scrubs');
  const lift = await ask('POST', '/lifts', { cause: 'bounce', created_after: '2020-01-01' });
  await done(`/lifts/${lift.id}`, ({ status }) => status === 'ready');
  await ask('POST', `/lifts/${lift.id}/apply`, {});
  await done(`/lifts/${lift.id}`, ({ status }) => status === 'applied');
  await ask('POST', `/lifts/${lift.id}/revert`, {});
  await done(`/lifts/${lift.id}`, ({ status }) => status === 'reverted');
  await ask('GET', '/lifts');
  await ask('GET', '/webhooks');
  await ask('GET', '/incidents');
  await ask('GET', '/provider-lists');
  await ask('GET', '/account');
  await ask('PATCH', '/account', {
    removal: 'guarded',
    complaint_reach: 'marketing',
    inbox_retention: '30d',
  });
  await ask('GET', '/account');
  await ask('GET', '/contacts/erin@example.com/data');
  await done('/suppressions/count', ({ total }) => total !== null);
  await done('/suppressions/summary', ({ total }) => total !== null);
  await ask('POST', '/contacts/erin@example.com/erase', { reference: 'Case 1', keep_block: true });
  await ask('GET', '/changes?limit=1000');
  await ask('POST', '/suppressions/check', { emails: ['ada@example.com'], as_of: new Date().toISOString() });
  await ask('GET', '/audit-log');
  return answers;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)/g;
const SECRET = /^(?:id|cursor|revision|key|prefix|file_hash|url|one_click_url|pseudonym|name|link|token)$/;

function withoutIds(body: unknown): unknown {
  if (typeof body === 'string') {
    return body
      .replaceAll(UUID, '<id>')
      .replaceAll(TIME, '<time>')
      .replaceAll(/[\w-]{40,}/g, '<secret>');
  }
  if (Array.isArray(body)) {
    return body.map(withoutIds);
  }
  if (typeof body === 'object' && body !== null) {
    return Object.fromEntries(
      Object.entries(body).map(([name, value]) => [
        name,
        SECRET.test(name) ? typeof value : withoutIds(value),
      ]),
    );
  }
  return body;
}

interface Address {
  key: string;
  email: string;
  changes: string[];
  /** A request was refused or lost, so its change may be there. */
  isOpen?: boolean;
}

/** Add and remove addresses of several accounts, each request through another instance, and read each change at once. */
export class ListWriters {
  acknowledged = 0;
  readonly refusals: number[] = [];
  private readonly addresses: Address[] = [];
  private isStopping = false;
  private readonly running: Promise<void>[];

  constructor(
    private readonly instances: readonly { url: string }[],
    private readonly keys: readonly string[],
    private readonly pauseMs = 0,
  ) {
    this.running = keys.map((key, number) => this.write(key, number));
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.running);
  }

  /** The addresses whose changes in the feed are not the acknowledged ones, in their order. */
  async differencesFromFeed(): Promise<string[]> {
    const differences: string[] = [];
    for (const key of this.keys) {
      const changes = await this.readFeed(key);
      for (const { email, changes: acknowledged, isOpen } of this.addresses.filter(
        (address) => address.key === key,
      )) {
        const got = changes.filter((change) => change.email === email).map(({ type }) => type);
        const expected = isOpen ? got.slice(0, acknowledged.length) : got;
        if (expected.join() !== acknowledged.join() || got.length > acknowledged.length + 1) {
          differences.push(`${email}: ${got.join()} instead of ${acknowledged.join()}`);
        }
      }
    }
    return differences;
  }

  private async write(key: string, writer: number): Promise<void> {
    const run = randomUUID().slice(0, 8);
    for (let step = 0; !this.isStopping; step++) {
      const address = this.addressOf(key, `user${step % 10}.${writer}@${run}.example`);
      if (address.isOpen) {
        await this.change(this.addressOf(key, `other${step}.${writer}@${run}.example`), step, true);
      } else {
        await this.change(address, step, address.changes.length % 2 === 0);
      }
      await delay(this.pauseMs);
    }
  }

  private async change(address: Address, step: number, isAddition: boolean): Promise<void> {
    const { key, email } = address;
    /** The instances may have been replaced meanwhile. */
    const urlOf = (number: number) => this.instances[number % this.instances.length]!.url;
    const { status } = isAddition
      ? await send(urlOf(step), key, 'POST', '/suppressions', { email })
      : await send(urlOf(step), key, 'DELETE', `/suppressions/${email}`);
    if (status !== 200 && status !== 201) {
      this.refusals.push(status);
      address.isOpen = true;
      return;
    }
    this.acknowledged++;
    address.changes.push(isAddition ? 'suppression.added' : 'suppression.removed');
    const { status: checked, body } = await send(urlOf(step + 1), key, 'POST', '/suppressions/check', {
      emails: [email],
    });
    if (checked !== 200) {
      this.refusals.push(checked);
    } else if ((body.data[0]!.verdict === 'suppressed') !== isAddition) {
      throw new Error(`A check after an acknowledged change returned ${JSON.stringify(body)}`);
    }
  }

  private addressOf(key: string, email: string): Address {
    const known = this.addresses.find((address) => address.email === email);
    const address = known ?? { key, email, changes: [] };
    if (!known) {
      this.addresses.push(address);
    }
    return address;
  }

  private async readFeed(key: string): Promise<{ email: string; type: string }[]> {
    const changes = [];
    for (let after = ''; ;) {
      const { body } = await send(this.instances[0]!.url, key, 'GET', `/changes?limit=1000${after}`);
      changes.push(...body.data);
      if (!body.has_more) {
        return changes;
      }
      after = `&after=${encodeURIComponent(body.cursor)}`;
    }
  }
}
