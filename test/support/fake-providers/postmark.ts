import { NOT_FOUND, startFakeProvider, type FakeProvider } from './fake-provider.js';

export interface FakePostmark extends FakeProvider {
  suppressions: object[];
}

/** One response has the whole list. */
export async function startFakePostmark(stream: string): Promise<FakePostmark> {
  const suppressions: object[] = [];
  const fake = await startFakeProvider((url, headers) => {
    if (headers['x-postmark-server-token'] !== 'token-1') {
      return { status: 401, body: { ErrorCode: 10, Message: 'Bad or missing Server API token.' } };
    }
    return url.pathname === `/message-streams/${stream}/suppressions/dump`
      ? { status: 200, body: { Suppressions: suppressions } }
      : NOT_FOUND;
  });
  return Object.assign(fake, { suppressions });
}
