import { NOT_FOUND, startFakeProvider, type FakeProvider } from './fake-provider.js';

interface BlockedContact {
  email: string;
  senderEmail: string;
  reason: { code: string; message: string };
  blockedAt: string;
}

export interface FakeBrevo extends FakeProvider {
  /** Oldest first. */
  contacts: BlockedContact[];
  /** The most entries of a page, whatever the limit of the request. */
  pageSize: number;
}

const PATH = '/v3/smtp/blockedContacts';

/** Pages by offset; at most 100 entries, and an empty page has no contacts. Unblocking removes all entries of an address. */
export async function startFakeBrevo(): Promise<FakeBrevo> {
  const contacts: BlockedContact[] = [];
  const fake = await startFakeProvider((url, headers, { method }) => {
    if (!String(headers['api-key']).startsWith('xkeysib-')) {
      return { status: 401, body: { code: 'unauthorized', message: 'Key not found' } };
    }
    if (method === 'DELETE' && url.pathname.startsWith(`${PATH}/`)) {
      const email = decodeURIComponent(url.pathname.slice(PATH.length + 1));
      const kept = contacts.filter((contact) => contact.email !== email);
      const found = kept.length < contacts.length;
      contacts.splice(0, contacts.length, ...kept);
      return found ? { status: 204, body: null } : { status: 404, body: { code: 'document_not_found' } };
    }
    if (method !== 'GET' || url.pathname !== PATH) {
      return NOT_FOUND;
    }
    const limit = Number(url.searchParams.get('limit') ?? 50);
    if (limit > 100) {
      return { status: 400, body: { code: 'out_of_range', message: 'Limit exceeds max value' } };
    }
    const offset = Number(url.searchParams.get('offset') ?? 0);
    const sorted = url.searchParams.get('sort') === 'asc' ? contacts : contacts.toReversed();
    const count = contacts.length;
    const page = sorted.slice(offset, offset + Math.min(limit, brevo.pageSize));
    return {
      status: 200,
      body: page.length === 0 ? { count } : { count, contacts: page },
    };
  });
  const brevo: FakeBrevo = Object.assign(fake, { contacts, pageSize: 100 });
  return brevo;
}
