import { NOT_FOUND, startFakeProvider, type FakeProvider } from './fake-provider.js';

export interface FakeMailgun extends FakeProvider {
  lists: Record<string, { address: string }[]>;
}

/** Every page has the URL of a next one, also the last, after which an empty page comes. */
export async function startFakeMailgun(domain: string): Promise<FakeMailgun> {
  const lists: FakeMailgun['lists'] = { bounces: [], complaints: [], unsubscribes: [] };
  const fake = await startFakeProvider((url, { authorization, host }) => {
    const [, , ofDomain, name] = url.pathname.split('/');
    const list = lists[name!];
    if (authorization !== `Basic ${Buffer.from('api:key-1').toString('base64')}`) {
      return { status: 401, body: 'Forbidden' };
    }
    if (ofDomain !== domain || !list) {
      return NOT_FOUND;
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
  return Object.assign(fake, { lists });
}
