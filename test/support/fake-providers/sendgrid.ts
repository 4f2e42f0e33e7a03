import { NOT_FOUND, startFakeProvider, type FakeProvider } from './fake-provider.js';

export interface FakeSendGrid extends FakeProvider {
  /** By list, the newest first. */
  lists: Record<string, object[]>;
}

/** Pages by offset; at most 500 entries, and an empty page after a full one. */
export async function startFakeSendGrid(): Promise<FakeSendGrid> {
  const lists: Record<string, object[]> = {
    bounces: [],
    blocks: [],
    invalid_emails: [],
    spam_reports: [],
    unsubscribes: [],
  };
  const fake = await startFakeProvider((url, { authorization }) => {
    const list = lists[url.pathname.replace('/v3/suppression/', '')];
    if (authorization !== 'Bearer SG.key') {
      return { status: 401, body: { errors: [{ message: 'authorization required' }] } };
    }
    if (!list) {
      return NOT_FOUND;
    }
    const limit = Math.min(Number(url.searchParams.get('limit') ?? 500), 500);
    const offset = Number(url.searchParams.get('offset') ?? 0);
    return { status: 200, body: list.slice(offset, offset + limit) };
  });
  return Object.assign(fake, { lists });
}
