import type { FakeProvider, FakeRequest } from '../fake-providers/fake-provider.js';
import { startFakeMailgun } from '../fake-providers/mailgun.js';
import { startFakeSendGrid } from '../fake-providers/sendgrid.js';
import { startFakeSes } from '../fake-providers/ses.js';

export type SiteName = 'ses' | 'sendgrid' | 'mailgun';
export type SiteCause = 'bounce' | 'complaint' | 'unsubscribe';

export interface Entry {
  list: string;
  address: string;
}

/** A provider as its own users and its API see it. */
export interface Site {
  name: SiteName;
  fake: FakeProvider;
  /** The fields of the provider list. */
  connection: { scope: object; credentials: object };
  pushesUnsubscribes: boolean;
  /** Whether it has no list for entries that were made by hand here. */
  lacksManual: boolean;
  /** The causes that its users can have, and on which lists it keeps them. */
  lists: Partial<Record<SiteCause, string>>;
  entries(): Entry[];
  put(entry: Entry, cause: SiteCause, at: Date): void;
  take(entry: Entry): void;
  /** Makes all entries older. */
  age(ms: number): void;
  /** Accepts nothing but new credentials from now on, which it returns. */
  rotate(): object;
  /** What a request adds or removes. */
  changeOf(request: FakeRequest): (Entry & { action: 'add' | 'remove' }) | undefined;
  /** The entry that a request looks up. */
  lookedUp(request: FakeRequest): Entry | undefined;
  /** Whether a request reads a page of a list. */
  isPage(request: FakeRequest): boolean;
}

export const DOMAIN = 'mg.example.com';

function segmentsOf({ url }: FakeRequest): string[] {
  return url.pathname.split('/').map(decodeURIComponent);
}

export async function startSes(): Promise<Site> {
  const fake = await startFakeSes();
  let rotations = 1;
  const list = 'suppressions';
  const credentialsOf = (keyId: string) => ({ access_key_id: keyId, secret_access_key: 'a-secret' });
  fake.keyId = 'AKIDEXAMPLE1';
  fake.pageSize = 250;
  return {
    name: 'ses',
    fake,
    connection: { scope: { region: 'eu-west-1' }, credentials: credentialsOf(fake.keyId) },
    pushesUnsubscribes: false,
    lacksManual: false,
    lists: { bounce: list, complaint: list },
    entries: () => [...fake.entries.keys()].map((address) => ({ list, address })),
    put: ({ address }, cause, at) =>
      fake.list(address, cause === 'bounce' ? 'BOUNCE' : 'COMPLAINT', at.toISOString()),
    take: ({ address }) => void fake.entries.delete(address),
    age: (ms) => fake.entries.forEach((entry) => (entry.LastUpdateTime -= ms / 1_000)),
    rotate: () => {
      fake.keyId = `AKIDEXAMPLE${++rotations}`;
      return credentialsOf(fake.keyId);
    },
    changeOf: (request) => {
      const address = segmentsOf(request)[5];
      if (request.method === 'PUT') {
        return { action: 'add', list, address: JSON.parse(request.body).EmailAddress };
      }
      return request.method === 'DELETE' && address ? { action: 'remove', list, address } : undefined;
    },
    lookedUp: (request) => {
      const address = segmentsOf(request)[5];
      return request.method === 'GET' && address ? { list, address } : undefined;
    },
    isPage: ({ method, url }) => method === 'GET' && url.pathname.endsWith('/addresses'),
  };
}

export async function startSendGrid(): Promise<Site> {
  const fake = await startFakeSendGrid();
  let rotations = 1;
  const listIn = ([, , kind, name]: string[]) => (kind === 'asm' ? 'unsubscribes' : name!);
  return {
    name: 'sendgrid',
    fake,
    connection: { scope: { subuser: 'shop' }, credentials: { api_key: fake.key } },
    pushesUnsubscribes: true,
    lacksManual: false,
    lists: { bounce: 'bounces', complaint: 'spam_reports', unsubscribe: 'unsubscribes' },
    entries: () =>
      Object.entries(fake.lists).flatMap(([list, entries]) =>
        entries.map(({ email: address }) => ({ list, address })),
      ),
    put: ({ list, address }, _cause, at) =>
      void fake.lists[list]!.unshift({
        email: address,
        created: Math.floor(at.getTime() / 1_000),
        status: '5.1.1',
      }),
    take: ({ list, address }) => {
      fake.lists[list] = fake.lists[list]!.filter(({ email }) => email !== address);
    },
    age: (ms) =>
      Object.values(fake.lists)
        .flat()
        .forEach((entry) => (entry.created -= ms / 1_000)),
    rotate: () => {
      fake.key = `SG.key${++rotations}`;
      return { api_key: fake.key };
    },
    changeOf: (request) => {
      const segments = segmentsOf(request);
      if (request.method === 'POST') {
        return { action: 'add', list: 'unsubscribes', address: JSON.parse(request.body).recipient_emails[0] };
      }
      const address = segments.at(-1)!;
      return request.method === 'DELETE' ? { action: 'remove', list: listIn(segments), address } : undefined;
    },
    lookedUp: (request) => {
      const address = request.url.searchParams.get('email');
      return address === null ? undefined : { list: listIn(segmentsOf(request)), address };
    },
    isPage: ({ method, url }) => method === 'GET' && !url.searchParams.has('email'),
  };
}

export async function startMailgun(): Promise<Site> {
  const fake = await startFakeMailgun(DOMAIN);
  let rotations = 1;
  const format = (at: Date) => at.toUTCString().replace('GMT', 'UTC');
  return {
    name: 'mailgun',
    fake,
    connection: { scope: { domain: DOMAIN }, credentials: { api_key: fake.key } },
    pushesUnsubscribes: false,
    lacksManual: true,
    lists: { bounce: 'bounces', complaint: 'complaints', unsubscribe: 'unsubscribes' },
    entries: () =>
      Object.entries(fake.lists).flatMap(([list, entries]) =>
        entries.map(({ address }) => ({ list, address })),
      ),
    put: ({ list, address }, cause, at) =>
      void fake.lists[list]!.push({
        address,
        created_at: format(at),
        ...(cause === 'unsubscribe' && { tags: ['*'] }),
      }),
    take: ({ list, address }) => {
      fake.lists[list] = fake.lists[list]!.filter((entry) => entry.address !== address);
    },
    age: (ms) =>
      Object.values(fake.lists)
        .flat()
        .forEach((entry) => (entry.created_at = format(new Date(Date.parse(entry.created_at!) - ms)))),
    rotate: () => {
      fake.key = `key-${++rotations}`;
      return { api_key: fake.key };
    },
    changeOf: (request) => {
      const [, , , list, segment] = segmentsOf(request) as [string, string, string, string, string];
      if (request.method === 'POST') {
        return { action: 'add', list, address: JSON.parse(request.body)[0].address };
      }
      return request.method === 'DELETE' ? { action: 'remove', list, address: segment } : undefined;
    },
    lookedUp: (request) => {
      const [, , , list, segment] = segmentsOf(request);
      return request.method === 'GET' && segment ? { list: list!, address: segment } : undefined;
    },
    isPage: (request) => request.method === 'GET' && segmentsOf(request)[4] === undefined,
  };
}
