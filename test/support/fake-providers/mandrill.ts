import { NOT_FOUND, startFakeProvider, type FakeProvider } from './fake-provider.js';

export interface FakeMandrill extends FakeProvider {
  rejects: {
    email: string;
    reason: string;
    created_at: string;
    subaccount: string | null;
    [field: string]: unknown;
  }[];
}

/** Lists at most 1,000 entries, without a next page. The key is in the body. */
export async function startFakeMandrill(): Promise<FakeMandrill> {
  const rejects: FakeMandrill['rejects'] = [];
  const fake = await startFakeProvider((url, _headers, { method, body }) => {
    if (method !== 'POST' || url.pathname !== '/api/1.0/rejects/list.json') {
      return NOT_FOUND;
    }
    const { key, subaccount } = JSON.parse(body) as { key: string; subaccount?: string };
    if (key !== 'md-1') {
      return {
        status: 401,
        body: { status: 'error', code: -1, name: 'Invalid_Key', message: 'Invalid API key' },
      };
    }
    const found = rejects.filter((reject) => subaccount === undefined || reject.subaccount === subaccount);
    return { status: 200, body: found.slice(0, 1_000) };
  });
  return Object.assign(fake, { rejects });
}
