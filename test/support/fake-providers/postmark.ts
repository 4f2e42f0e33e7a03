import { NOT_FOUND, startFakeProvider, type FakeProvider } from './fake-provider.js';

export interface PostmarkEntry {
  EmailAddress: string;
  SuppressionReason: string;
  Origin: string;
  CreatedAt: string;
}

export interface FakePostmark extends FakeProvider {
  suppressions: PostmarkEntry[];
}

/**
 * One response has the whole list. Changes are answered for each address; only hard bounces and entries of the customer can be
 * removed.
 */
export async function startFakePostmark(stream: string): Promise<FakePostmark> {
  const path = `/message-streams/${stream}/suppressions`;
  const indexOf = (address: string) =>
    postmark.suppressions.findIndex(
      ({ EmailAddress }) => EmailAddress.toLowerCase() === address.toLowerCase(),
    );
  const add = (address: string): string => {
    if (!address.includes('@') || address.startsWith('refused')) {
      return 'Failed';
    }
    if (indexOf(address) < 0) {
      postmark.suppressions.push({
        EmailAddress: address,
        SuppressionReason: 'ManualSuppression',
        Origin: 'Customer',
        CreatedAt: new Date().toISOString(),
      });
    }
    return 'Suppressed';
  };
  const remove = (address: string): string => {
    const index = indexOf(address);
    const entry = postmark.suppressions[index];
    if (entry && entry.SuppressionReason !== 'HardBounce' && entry.Origin !== 'Customer') {
      return 'Failed';
    }
    if (entry) {
      postmark.suppressions.splice(index, 1);
    }
    return 'Deleted';
  };
  const fake = await startFakeProvider((url, headers, { method, body }) => {
    if (headers['x-postmark-server-token'] !== 'token-1') {
      return { status: 401, body: { ErrorCode: 10, Message: 'Bad or missing Server API token.' } };
    }
    if (method === 'GET' && url.pathname === `${path}/dump`) {
      const address = url.searchParams.get('EmailAddress');
      const index = address === null ? -1 : indexOf(address);
      const all =
        address === null ? postmark.suppressions : postmark.suppressions.filter((_, at) => at === index);
      return { status: 200, body: { Suppressions: all } };
    }
    const change = { [path]: add, [`${path}/delete`]: remove }[url.pathname];
    if (method !== 'POST' || !change) {
      return NOT_FOUND;
    }
    const { Suppressions } = JSON.parse(body) as { Suppressions: { EmailAddress: string }[] };
    if (Suppressions.length > 50) {
      return { status: 422, body: { ErrorCode: 1, Message: 'Too many.' } };
    }
    const answers = Suppressions.map(({ EmailAddress }) => {
      const Status = change(EmailAddress);
      return {
        EmailAddress,
        Status,
        Message: Status === 'Failed' ? 'You cannot change this suppression.' : null,
      };
    });
    return { status: 200, body: { Suppressions: answers } };
  });
  const postmark: FakePostmark = Object.assign(fake, { suppressions: [] });
  return postmark;
}
