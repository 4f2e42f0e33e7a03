import { readFileSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { send, type Body, type Response, type TestAccount } from './citus-requests.js';
import { basic } from './deliveries.js';
import { startFakeSes, type FakeSes } from './fake-providers/ses.js';
import { OPERATOR } from './operator.js';
import { listen, type Endpoint } from './servers/endpoint.js';
import type { TestApp } from './test-app.js';
import { until } from './until.js';
import { LOOPBACK } from './webhooks.js';

const NOBODY = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11';
const RECEIPT = {
  pseudonym: 'erased-mfrggzdfmztwq2lknnwg23tpoa@erased.invalid',
  keep_block: true,
  reference: 'Case 4712',
  created_at: '2026-01-15T09:30:00.000Z',
  key: 'q83vEjRWeJCrze8SNFZ4kA==',
};

/** The servers on loopback that instances send to. */
export class Outside {
  private constructor(
    readonly ses: FakeSes,
    readonly endpoint: Endpoint,
  ) {}

  static async start(): Promise<Outside> {
    return new Outside(await startFakeSes(), await listen());
  }

  /** Of the instances. */
  get settings(): Record<string, string> {
    return { ...LOOPBACK, PROVIDER_API_URL_SES: this.ses.url };
  }

  async close(): Promise<void> {
    await Promise.all([this.ses.close(), this.endpoint.close()]);
  }
}

/** The result of a request, without ids and times. */
export type Answer = [request: string, status: number, body: unknown];

/**
 * What an account gets when it uses every operation of the API, a source, and a link.
 *
 * @param app - an instance that creates the source
 * @param options.url - of the instance that gets the requests
 * @param options.list - a list of the account that has been compared; by default, a new one
 */
export async function requestsOfEveryKind(
  app: TestApp,
  account: TestAccount,
  outside: Outside,
  { url = app.url, list }: { url?: string; list?: Response } = {},
): Promise<Answer[]> {
  const { accountId, key } = account;
  const providerList = list ?? (await addComparedList(url, account, outside));
  const answers: Answer[] = [['POST /provider-lists', providerList.status, withoutIds(providerList.body)]];
  const ask = async (method: string, path: string, body?: unknown): Promise<Body> => {
    const response = await send(url, key, method, path, body);
    answers.push([`${method} ${path.replaceAll(UUID, '<id>')}`, response.status, withoutIds(response.body)]);
    return response.body;
  };
  /** For responses that depend on how far background work is. */
  const askForStatus = async (method: string, path: string, body?: unknown): Promise<Body> => {
    const result = await ask(method, path, body);
    answers.at(-1)![2] = null;
    return result;
  };
  const done = async (path: string, isDone: (body: Body) => boolean) => {
    await until(async () => isDone((await send(url, key, 'GET', path)).body));
    await ask('GET', path);
  };
  const post = async (target: string, body: unknown, headers = {}) => {
    const { status } = await fetch(target, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return status;
  };
  /** Delivers an event of Postmark to a new source, the first time with a wrong password. */
  const receive = async (event: unknown) => {
    const { source, generatedSecrets } = await app.app
      .get(SourcesService)
      .create({ accountId, actor: OPERATOR, deadline: Infinity }, 'postmark', {
        name: 'Postmark',
        options: {},
        secrets: {},
      });
    for (const password of ['wrong', generatedSecrets.password!]) {
      const credential = basic(generatedSecrets.username!, password);
      const status = await post(`${url}/inbound/${source.urlId}`, event, credential);
      answers.push(['POST /inbound/<source>', status, null]);
    }
  };
  const follow = async (link: string) => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const status = await post(url + new URL(link).pathname, 'List-Unsubscribe=One-Click', headers);
    answers.push(['POST /u/<token>', status, null]);
  };
  const useWebhook = async () => {
    const { id } = await ask('POST', '/webhooks', {
      endpoint: outside.endpoint.url,
      events: ['suppression.added'],
    });
    const path = `/webhooks/${id}`;
    await ask('PATCH', path, { events: ['suppression.added', 'suppression.removed'] });
    await askForStatus('POST', `${path}/test`);
    await ask('POST', `${path}/signing-secret/rotate`);
    await ask('POST', '/suppressions', { email: 'k@example.com' });
    await until(async () => (await send(url, key, 'GET', `${path}/deliveries`)).body.data.length > 0);
    await askForStatus('GET', `${path}/deliveries`);
    const events = await askForStatus('GET', `${path}/events`);
    const event = `${path}/events/${events.data[0]!.id}`;
    await askForStatus('GET', event);
    await askForStatus('GET', `${event}/attempts`);
    await askForStatus('POST', `${event}/replay`);
    await askForStatus('POST', `${path}/replay`, { since: new Date(Date.now() - 60_000).toISOString() });
    await askForStatus('GET', path);
    await askForStatus('GET', '/webhooks');
    await ask('DELETE', path);
  };
  const useProviderList = async () => {
    const path = `/provider-lists/${providerList.body.id}`;
    await ask('POST', `${path}/test`);
    await ask('PATCH', path, { name: 'SES' });
    const { id: planId } = await askForStatus('POST', `${path}/plans`);
    const plan = `${path}/plans/${planId}`;
    await until(async () => (await send(url, key, 'GET', plan)).body.status === 'ready');
    await askForStatus('GET', plan);
    await askForStatus('GET', `${plan}/lines`);
    await askForStatus('POST', `${plan}/apply`, {});
    await until(async () => (await send(url, key, 'GET', plan)).body.status === 'applied');
    await askForStatus('DELETE', plan);
    await askForStatus('GET', `${path}/plans`);
    await askForStatus('GET', `${path}/pushes`);
    await askForStatus('POST', `${path}/pushes/retry`);
    await askForStatus('POST', `${path}/removals`, {
      emails: ['zoe@example.com'],
      consent: { kind: 'recipient_request', reference: 'Case 1' },
    });
    await askForStatus('GET', path);
    await askForStatus('GET', '/provider-lists');
    await ask('DELETE', path);
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
  await ask('POST', '/mta-hooks', {
    context: { stage: 'rcpt' },
    envelope: { from: { address: 'shop@example.org' }, to: [{ address: 'ada@example.com' }] },
  });
  await ask('GET', '/suppressions?domain=example.net');
  const topic = await ask('POST', '/topics', { name: 'News', key: 'news', default_subscription: 'opt_in' });
  await ask('POST', '/topics', { name: 'News', key: 'news', default_subscription: 'opt_in' });
  await ask('PATCH', `/topics/${topic.id}`, { name: 'Our news' });
  await ask('GET', `/topics/${topic.id}`);
  await ask('GET', '/topics');
  const old = await ask('POST', '/topics', { name: 'Old', key: 'old', default_subscription: 'opt_in' });
  await ask('DELETE', `/topics/${old.id}`);
  await ask('POST', `/topics/${old.id}/restore`);
  await ask('PATCH', '/contacts/erin@example.com/topics', [{ id: topic.id, subscription: 'opt_out' }]);
  await ask('GET', '/contacts/erin@example.com/topics');
  await ask('POST', '/contacts', { email: 'fred@example.com' });
  await ask('PATCH', '/contacts/fred@example.com', { unsubscribed: true });
  await ask('GET', '/contacts/fred@example.com');
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
  await ask('GET', `/rules/${rule.id}`);
  await ask('GET', `/rules/${rule.id}/history`);
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
  await receive({ RecordType: 'Bounce', ID: 42, Type: 'HardBounce', Email: 'p@example.com' });
  await ask('GET', '/events');
  const links = await ask('POST', '/unsubscribe-links', { emails: ['gina@example.com'], topic: 'news' });
  await follow(links.data[0]!.url);
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
  await ask('POST', `/imports/${imported.id}/cancel`);
  await ask('POST', '/scrubs', 'email\nada@example.com\nnew@example.com\n');
  await ask('GET', `/scrubs/${NOBODY}`);
  const lift = await ask('POST', '/lifts', { cause: 'bounce', created_after: '2020-01-01' });
  await done(`/lifts/${lift.id}`, ({ status }) => status === 'ready');
  await ask('GET', `/lifts/${lift.id}/lines`);
  await ask('POST', `/lifts/${lift.id}/apply`, {});
  await done(`/lifts/${lift.id}`, ({ status }) => status === 'applied');
  await ask('POST', `/lifts/${lift.id}/revert`, {});
  await done(`/lifts/${lift.id}`, ({ status }) => status === 'reverted');
  await ask('GET', '/lifts');
  await useWebhook();
  await ask('GET', '/incidents');
  await ask('GET', `/incidents/${NOBODY}`);
  await ask('POST', `/incidents/${NOBODY}/decide`, { decision: 'lift' });
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
  await ask('POST', '/erasures/repeat', { receipts: [RECEIPT] });
  await ask('GET', '/pseudonym-key');
  await ask('GET', '/changes?limit=1000');
  await ask('POST', '/suppressions/check', { emails: ['ada@example.com'], as_of: new Date().toISOString() });
  await ask('GET', '/audit-log');
  await useProviderList();
  return answers;
}

/** Creates a list of a provider. */
export async function addList(url: string, { key }: TestAccount, { ses }: Outside): Promise<Response> {
  ses.entries.clear();
  ses.list('q@example.com');
  return send(url, key, 'POST', '/provider-lists', {
    provider: 'ses',
    name: 'SES in Ireland',
    scope: { region: 'eu-west-1' },
    credentials: { access_key_id: `AKIDEXAMPLE${randomInt(1e12)}`, secret_access_key: 'secret' },
  });
}

/** Creates a list of a provider, and compares it for the first time. Both need all nodes. */
export async function addComparedList(
  url: string,
  account: TestAccount,
  outside: Outside,
): Promise<Response> {
  const list = await addList(url, account, outside);
  const plans = `/provider-lists/${list.body.id}/plans`;
  const { body: plan } = await send(url, account.key, 'POST', plans);
  await until(
    async () => (await send(url, account.key, 'GET', `${plans}/${plan.id}`)).body.status === 'ready',
  );
  return list;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)/g;
const SECRET =
  /^(?:id|cursor|revision|key|prefix|file_hash|url|List-Id|signing_secret|filters|position|pseudonym|name|link|token)$/;

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

const API: { paths: Record<string, Record<string, unknown>> } = JSON.parse(
  readFileSync('openapi.json', 'utf8'),
);

/** The operations of accounts that no request was sent to. */
export function operationsNotIn(answers: readonly Answer[]): string[] {
  const sent = answers.map(([request]) => request.replace(/\?.*/, ''));
  return Object.entries(API.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((operation) => !/\/(?:healthz|readyz)$/.test(operation))
    .filter((operation) => {
      const pattern = new RegExp(`^${operation.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      return !sent.some((request) => pattern.test(request));
    });
}
