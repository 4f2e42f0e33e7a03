import { NOT_FOUND, startFakeProvider, type FakeProvider } from './fake-provider.js';

interface MailgunEntry {
  address: string;
  created_at?: string;
  tags?: string[];
}

export interface FakeMailgun extends FakeProvider {
  /** The only API key that it accepts. */
  key: string;
  lists: Record<string, MailgunEntry[]>;
}

/** Every page has the URL of a next one, also the last, after which an empty page comes. */
export async function startFakeMailgun(domain: string): Promise<FakeMailgun> {
  const lists: FakeMailgun['lists'] = { bounces: [], complaints: [], unsubscribes: [] };
  const fake = await startFakeProvider((url, { authorization, host }, { method, body }) => {
    const [, , ofDomain, name, segment] = url.pathname.split('/');
    const list = lists[name!];
    if (authorization !== `Basic ${Buffer.from(`api:${mailgun.key}`).toString('base64')}`) {
      return { status: 401, body: 'Forbidden' };
    }
    if (ofDomain !== domain || !list) {
      return NOT_FOUND;
    }
    if (method === 'POST') {
      const added = JSON.parse(body) as MailgunEntry[];
      if (added.length >= 1_000) {
        return { status: 400, body: { message: 'Batch size should be less than 1000' } };
      }
      const addresses = new Set(added.map(({ address }) => address));
      const created_at = new Date().toUTCString().replace('GMT', 'UTC');
      lists[name!] = [
        ...list.filter(({ address }) => !addresses.has(address)),
        ...added.map((entry) => ({ created_at, ...entry })),
      ];
      return {
        status: 200,
        body: { message: `${added.length} addresses have been added to the ${name} table` },
      };
    }
    if (method === 'DELETE') {
      const address = decodeURIComponent(segment ?? '');
      lists[name!] = segment === undefined ? [] : list.filter((entry) => entry.address !== address);
      return lists[name!]!.length < list.length
        ? { status: 200, body: { message: 'Address has been removed', address } }
        : { status: 404, body: { message: 'Address not found' } };
    }
    if (segment !== undefined) {
      const entry = list.find(({ address }) => address === decodeURIComponent(segment));
      return entry ? { status: 200, body: entry } : { status: 404, body: { message: 'Address not found' } };
    }
    const limit = Math.min(Number(url.searchParams.get('limit') ?? 100), 1_000);
    const after = url.searchParams.get('address') ?? '';
    const items = list
      .toSorted((one, other) => (one.address < other.address ? -1 : 1))
      .filter(({ address }) => address > after)
      .slice(0, limit);
    const last = encodeURIComponent(items.at(-1)?.address ?? after);
    const next = `https://${host}${url.pathname}?page=next&address=${last}&limit=${limit}`;
    return { status: 200, body: { items, paging: { next, previous: next, first: next, last: next } } };
  });
  const mailgun: FakeMailgun = Object.assign(fake, { key: 'key-1', lists });
  return mailgun;
}
