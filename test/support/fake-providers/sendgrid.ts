import { NOT_FOUND, startFakeProvider, type Answer, type FakeProvider } from './fake-provider.js';

interface SendGridEntry {
  email: string;
  created: number;
  reason?: string;
  status?: string;
  ip?: string;
}

export interface FakeSendGrid extends FakeProvider {
  /** The only API key that it accepts. */
  key: string;
  /** By list, the newest first. */
  lists: Record<string, SendGridEntry[]>;
  /** The most entries of a page, whatever the limit of the request. */
  pageSize: number;
  /** Removes all entries, and restores the size of pages. */
  clear(): void;
  /** Whether mail to an address would be sent. */
  accepts(email: string): boolean;
}

const GLOBAL = '/v3/asm/suppressions/global';

/** Pages by offset; at most 500 entries. Only global unsubscribes can be added. */
export async function startFakeSendGrid(): Promise<FakeSendGrid> {
  const lists: FakeSendGrid['lists'] = {
    bounces: [],
    blocks: [],
    invalid_emails: [],
    spam_reports: [],
    unsubscribes: [],
  };
  const remove = (name: string, segment: string | undefined, body: string): Answer => {
    const list = lists[name]!;
    const isWhole = body.includes('"delete_all":true');
    const address = decodeURIComponent(segment ?? '');
    lists[name] = isWhole ? [] : list.filter(({ email }) => email !== address);
    return lists[name].length < list.length ? { status: 204, body: null } : NOT_FOUND;
  };
  const fake = await startFakeProvider((url, { authorization }, { method, body }) => {
    if (authorization !== `Bearer ${sendgrid.key}`) {
      return { status: 401, body: { errors: [{ message: 'authorization required' }] } };
    }
    if (url.pathname.startsWith(GLOBAL)) {
      if (method === 'DELETE') {
        return remove('unsubscribes', url.pathname.split('/')[5], body);
      }
      const { recipient_emails: emails } = JSON.parse(body) as { recipient_emails: string[] };
      const known = new Set(lists.unsubscribes!.map(({ email }) => email));
      const created = Math.floor(Date.now() / 1_000);
      lists.unsubscribes!.unshift(
        ...emails.filter((email) => !known.has(email)).map((email) => ({ email, created })),
      );
      return { status: 201, body: { recipient_emails: emails } };
    }
    const [, , , name, segment] = url.pathname.split('/');
    const list = lists[name!];
    if (!list) {
      return NOT_FOUND;
    }
    if (method === 'DELETE') {
      return remove(name!, segment, body);
    }
    const limit = Math.min(Number(url.searchParams.get('limit') ?? 500), sendgrid.pageSize);
    const offset = Number(url.searchParams.get('offset') ?? 0);
    const prefix = url.searchParams.get('email') ?? '';
    const filtered = list.filter(({ email }) => email.startsWith(prefix));
    return { status: 200, body: filtered.slice(offset, offset + limit) };
  });
  const accepts = (address: string) =>
    ['bounces', 'invalid_emails', 'spam_reports', 'unsubscribes'].every((name) =>
      lists[name]!.every(({ email }) => email !== address),
    );
  const clear = () => {
    Object.keys(lists).forEach((name) => (lists[name] = []));
    sendgrid.pageSize = 500;
  };
  const sendgrid: FakeSendGrid = Object.assign(fake, { key: 'SG.key', pageSize: 500, lists, clear, accepts });
  return sendgrid;
}
