import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { ListReader } from '../../src/provider-lists/client/list-reader.js';
import { ProviderClient } from '../../src/provider-lists/client/provider-client.js';
import { ProviderResponse } from '../../src/provider-lists/client/provider-response.js';
import { MissingAddressError } from '../../src/provider-lists/providers/addresses.js';
import type { ChangedEntry, Connection } from '../../src/provider-lists/providers/provider.js';
import {
  LIST_PROVIDER_NAMES,
  listProviderOf,
  type ListProviderName,
} from '../../src/provider-lists/providers/providers.js';
import { PushSender } from '../../src/provider-lists/push/push-sender.js';
import { leftIn } from '../support/left-in-signal.js';

const NOW = new Date('2026-01-15T09:30:00Z');
const WITHOUT_ADDRESS = ['', ' ', '.', '..', '*', 'ada', '@', '@example.com', 'ada@', 'a\n@b', 'a@b\0'];

const CONNECTIONS: Record<string, Connection> = {
  ses: {
    scope: { region: 'eu-west-1', tenant: 'shop' },
    credentials: { access_key_id: 'AKID', secret_access_key: 'secret' },
  },
  sendgrid: { scope: { region: 'eu', subuser: 'shop' }, credentials: { api_key: 'SG.key' } },
  mailgun: { scope: { domain: 'mg.example.com', region: 'us' }, credentials: { api_key: 'key-1' } },
  postmark: { scope: { stream: 'outbound' }, credentials: { server_token: 'token-1' } },
  resend: { scope: {}, credentials: { api_key: 're_1' } },
  brevo: { scope: {}, credentials: { api_key: 'xkeysib-1' } },
  sparkpost: { scope: { region: 'us' }, credentials: { api_key: 'sp-key-1' } },
  mailjet: { scope: {}, credentials: { api_key: 'public-1', secret_key: 'private-1' } },
  mandrill: { scope: {}, credentials: { api_key: 'md-1' } },
};

const entry = (list: string, address: string, cause: ChangedEntry['cause'] = 'bounce'): ChangedEntry => ({
  list,
  address,
  cause,
  since: NOW,
});

/** Every request about entries that a provider can get, for each of its lists. */
function requestsOf(name: ListProviderName): ((address: string) => unknown)[] {
  const { add, remove, find, additions, removals } = listProviderOf(name);
  const connection = CONNECTIONS[name]!;
  const added = additions.flatMap(({ cause, list }) => (list === null ? [] : [[list, cause] as const]));
  return [
    ...added.map(
      ([list, cause]) =>
        (address: string) =>
          add!.request(entry(list, address, cause), connection),
    ),
    ...removals.map(
      ({ list }) =>
        (address: string) =>
          remove!.request(entry(list, address), connection),
    ),
    ...(find ? [(address: string) => find.request(entry('', address), connection)] : []),
  ];
}

describe.each(LIST_PROVIDER_NAMES)('the requests to %s', (name) => {
  const { add, remove, find, additions, removals, lists } = listProviderOf(name);

  it('cannot be about no address, or about all', () => {
    for (const request of requestsOf(name)) {
      WITHOUT_ADDRESS.forEach((address) => expect(() => request(address)).toThrow(MissingAddressError));
    }
  });

  it('never say that everything is to be deleted', () => {
    const texts = requestsOf(name).map((request) => JSON.stringify(request('ada@example.com')));
    texts.forEach((text) => expect(text).toMatch(/ada(?:@|%40)example\.com/));
    expect(texts.join()).not.toMatch(/delete_?all/i);
  });

  it('are as the tables say: lists, permissions, and a source on every line', () => {
    const names = lists.map(({ list }) => list);
    const lines = [...additions.filter(({ list }) => list !== null), ...removals];
    lines.forEach((line) => expect(names).toContain(line.list));
    lines.forEach((line) => expect(line).toMatchObject({ permission: expect.stringMatching(/./) }));
    [...additions, ...removals].forEach(({ source }) => expect(source).not.toBe(''));
    expect(add === undefined).toBe(additions.every(({ list }) => list === null));
    expect(remove === undefined).toBe(removals.length === 0);
    expect(add !== undefined && !find).toBe(false);
  });
});

describe('the settings of a tenant of SES', () => {
  const { read } = listProviderOf('ses').effect!(CONNECTIONS.ses!.scope);

  it('leave the list of the account in effect unless the scope is the tenant', () => {
    expect(read({ Tenant: { TenantName: 'shop' } })).toEqual([]);
  });

  it.each([null, {}, { Tenant: 'shop' }])('are not known from %j', (body) => {
    expect(read(body)).toBeNull();
  });
});

describe('the requests to', () => {
  const addition = (name: ListProviderName, one: ChangedEntry) =>
    listProviderOf(name).add!.request(one, CONNECTIONS[name]!);
  const removal = (name: ListProviderName, one: ChangedEntry) =>
    listProviderOf(name).remove!.request(one, CONNECTIONS[name]!);

  it('SES name the tenant and the reason, and escape the address', () => {
    const added = addition('ses', entry('suppressions', 'Ada@example.com', 'manual'));
    expect(added).toMatchObject({ method: 'PUT', path: '/v2/email/suppression/addresses' });
    expect(JSON.parse(added.body!)).toEqual({
      EmailAddress: 'Ada@example.com',
      Reason: 'COMPLAINT',
      TenantName: 'shop',
    });
    const removed = removal('ses', entry('suppressions', "O'Neil/x@example.com"));
    expect(removed).toMatchObject({
      method: 'DELETE',
      path: '/v2/email/suppression/addresses/O%27Neil%2Fx%40example.com?TenantName=shop',
    });
  });

  it('SendGrid add global unsubscribes only, and remove from the list that has the entry', () => {
    const added = addition('sendgrid', entry('unsubscribes', 'a@example.com'));
    expect(added).toMatchObject({ method: 'POST', path: '/v3/asm/suppressions/global' });
    expect(JSON.parse(added.body!)).toEqual({ recipient_emails: ['a@example.com'] });
    const headers = listProviderOf('sendgrid').headersOf!(CONNECTIONS.sendgrid!, added, NOW);
    expect(headers).toMatchObject({ 'on-behalf-of': 'shop' });
    const paths = ['bounces', 'unsubscribes'].map(
      (list) => removal('sendgrid', entry(list, 'a@example.com')).path,
    );
    expect(paths).toEqual([
      '/v3/suppression/bounces/a%40example.com',
      '/v3/asm/suppressions/global/a%40example.com',
    ]);
  });

  it('Mailgun keep the cause, and leave the date to it', () => {
    const added = addition('mailgun', entry('unsubscribes', 'a@example.com', 'unsubscribe'));
    expect(added).toMatchObject({ method: 'POST', path: '/v3/mg.example.com/unsubscribes' });
    expect(JSON.parse(added.body!)).toEqual([{ address: 'a@example.com', tags: ['*'] }]);
    const bounce = addition('mailgun', entry('bounces', 'a@example.com'));
    expect(JSON.parse(bounce.body!)).toMatchObject([{ address: 'a@example.com', code: '550', error: '' }]);
    expect(removal('mailgun', entry('complaints', 'a+b@example.com'))).toMatchObject({
      method: 'DELETE',
      path: '/v3/mg.example.com/complaints/a%2Bb%40example.com',
    });
    expect(removal('mailgun', entry('unsubscribes', 'a@example.com')).path).toMatch(/\?tag=\*$/);
  });

  it('SparkPost find the strongest entry, and the latest with the same cause', () => {
    const { read } = listProviderOf('sparkpost').find!;
    const results = [
      { source: 'Bounce Rule', created: '2026-01-12T08:00:00+00:00' },
      { source: 'Unsubscribe Link', created: '2026-01-10T08:00:00+00:00' },
      { source: 'List Unsubscribe', created: '2026-01-11T08:00:00+00:00' },
    ];
    expect(read({ results }, entry('suppression-list', 'a@example.com'))).toBe(results[2]);
  });

  it('Postmark are answered about the address', () => {
    const { read } = listProviderOf('postmark').add!;
    const answer = (Status: string, address = 'B@example.com') =>
      read!({ Suppressions: [{ EmailAddress: 'b@example.com', Status }] }, entry('suppressions', address));
    expect(answer('Suppressed')).toBe('done');
    expect(answer('Failed')).toBe('refused');
    expect(answer('Other')).toBeNull();
    expect(answer('Suppressed', 'a@example.com')).toBeNull();
    expect(read!({}, entry('suppressions', 'a@example.com'))).toBeNull();
  });

  it('any provider are not sent if they would delete more than one entry', async () => {
    const client = new ProviderClient([], {});
    const request = { method: 'DELETE', path: '/v3/suppression/bounces' } as const;
    const list = { provider: 'sendgrid', ...CONNECTIONS.sendgrid! } as const;
    await expect(client.request(list, request, new AbortController().signal)).rejects.toThrow(
      MissingAddressError,
    );
    client.beforeApplicationShutdown();
  });

  it('SES succeed together although each was refused because of the clock', async () => {
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 3_600_000);
    const early: http.ServerResponse[] = [];
    const server = http.createServer((request, response) => {
      if (request.headers['x-amz-date'] === new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')) {
        response.end('{}');
      } else if (early.push(response) === 2) {
        early.forEach((each) => each.writeHead(403, { date: new Date(now).toUTCString() }).end('{}'));
      }
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const client = new ProviderClient(['127.0.0.0/8'], { ses: `http://127.0.0.1:${port}` });
    const list = { provider: 'ses', ...CONNECTIONS.ses! } as const;
    const send = () =>
      client.request(list, { method: 'GET', path: '/v2/email/account' }, new AbortController().signal);
    try {
      const responses = await Promise.all([send(), send()]);
      expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    } finally {
      clock.mockRestore();
      client.beforeApplicationShutdown();
      server.close();
    }
  });

  it.each([
    ['resend', 400, '{"statusCode":400,"name":"validation_error","message":"API key is invalid"}'],
    ['mandrill', 500, '{"status":"error","code":-1,"name":"Invalid_Key","message":"Invalid API key"}'],
  ] as const)(
    '%s are refused with invalid credentials, although the status is %i',
    async (name, status, body) => {
      const bodies = [body, '{"name":"another error"}'];
      const server = http.createServer((_request, response) =>
        response.writeHead(status).end(bodies.shift()),
      );
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const client = new ProviderClient(['127.0.0.0/8'], { [name]: `http://127.0.0.1:${port}` });
      const { lists, request } = listProviderOf(name);
      const list = { provider: name, ...CONNECTIONS[name]! };
      const send = () =>
        client.request(list, request({ position: null }, lists[0]!, list), new AbortController().signal);
      try {
        await expect(send()).rejects.toMatchObject({
          kind: 'refused',
          message: `The provider refused the credentials (${status}).`,
        });
        expect(await send()).toMatchObject({ status });
      } finally {
        client.beforeApplicationShutdown();
        server.close();
      }
    },
  );

  it('any provider leave nothing in the signal that stops the service', async () => {
    /** A client that always gets this body. */
    const clientOf = (body: string) => {
      const message = Object.assign(Readable.from([Buffer.from(body)]), { statusCode: 200, headers: {} });
      const request = async () => new ProviderResponse(message as unknown as IncomingMessage);
      return { request } as unknown as ProviderClient;
    };
    const stopping = new AbortController().signal;
    const connection = { provider: 'ses', ...CONNECTIONS.ses! } as const;
    const sending = { connection, stopping, requests: 0 };
    const scope =
      '{"Tenant":{"SuppressionAttributes":{"SuppressionScope":"TENANT","SuppressedReasons":["BOUNCE"]}}}';
    expect(await new PushSender(clientOf(scope)).effectiveCauses(sending)).toEqual(['bounce']);
    const [list] = listProviderOf('ses').lists;
    const reader = new ListReader(clientOf('{"SuppressedDestinationSummaries":[]}'));
    expect(await reader.readPage(connection, list!, null, undefined, stopping)).toMatchObject({ items: [] });
    const { lists, streams } = listProviderOf('postmark');
    const streaming = new ListReader(clientOf('{"Suppressions":[]}'));
    const postmark = { provider: 'postmark', ...CONNECTIONS.postmark! } as const;
    await streaming.stream(postmark, lists[0]!, streams!, stopping, async () => undefined);
    expect(leftIn(stopping)).toEqual([]);
  });
});
