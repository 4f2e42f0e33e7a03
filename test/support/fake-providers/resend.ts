import { NOT_FOUND, startFakeProvider, type FakeProvider } from './fake-provider.js';

export interface FakeResend extends FakeProvider {
  suppressions: { id: string; email: string; origin: string; created_at: string }[];
}

/** Pages by the id of the last entry. A request without a user agent is refused. */
export async function startFakeResend(): Promise<FakeResend> {
  const suppressions: FakeResend['suppressions'] = [];
  const fake = await startFakeProvider((url, headers) => {
    if (headers.authorization !== 'Bearer re_1' || !headers['user-agent']) {
      return { status: 403, body: { name: 'invalid_api_key' } };
    }
    if (url.pathname !== '/suppressions') {
      return NOT_FOUND;
    }
    const limit = Math.min(Number(url.searchParams.get('limit') ?? 20), 100);
    const after = url.searchParams.get('after');
    const start = after === null ? 0 : suppressions.findIndex(({ id }) => id === after) + 1;
    const data = suppressions.slice(start, start + limit);
    return { status: 200, body: { object: 'list', has_more: start + limit < suppressions.length, data } };
  });
  return Object.assign(fake, { suppressions });
}
