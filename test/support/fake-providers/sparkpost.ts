import { NOT_FOUND, startFakeProvider, type FakeProvider } from './fake-provider.js';

export interface SparkPostEntry {
  recipient: string;
  type: 'transactional' | 'non_transactional';
  source: string;
  description?: string;
  created: string;
  updated: string;
  subaccount_id?: string;
  list_id?: string;
}

export interface FakeSparkPost extends FakeProvider {
  entries: SparkPostEntry[];
}

const PATH = '/api/v1/suppression-list';

/**
 * Pages by cursor. Without a subaccount, the entries of all come; 0 is the master account. Without a `list_id`, a request is about
 * all entries; with an empty one, only about those of no single list.
 */
export async function startFakeSparkPost(): Promise<FakeSparkPost> {
  const entries: SparkPostEntry[] = [];
  const fake = await startFakeProvider((url, headers, { method, body }) => {
    if (headers.authorization !== 'sp-key-1') {
      return { status: 401, body: { errors: [{ message: 'Unauthorized.' }] } };
    }
    const subaccount = headers['x-msys-subaccount'];
    const isIn = ({ subaccount_id: id = '0' }: SparkPostEntry) =>
      subaccount === undefined || id === subaccount;
    const recipient = decodeURIComponent(url.pathname.slice(PATH.length + 1));
    const ofList = url.searchParams.get('list_id');
    const found = entries.filter(
      (entry) =>
        isIn(entry) &&
        (!recipient || entry.recipient === recipient) &&
        (ofList === null || ofList === (entry.list_id ?? '')),
    );
    if (!url.pathname.startsWith(PATH)) {
      return NOT_FOUND;
    }
    if (method === 'PUT') {
      const now = new Date().toISOString();
      const owner =
        subaccount === undefined || subaccount === '0' ? {} : { subaccount_id: String(subaccount) };
      const { recipients } = JSON.parse(body) as { recipients: Pick<SparkPostEntry, 'recipient' | 'type'>[] };
      entries.push(
        ...recipients.map((added) => ({
          ...added,
          ...owner,
          source: 'Manually Added',
          created: now,
          updated: now,
        })),
      );
      return { status: 200, body: { results: { message: 'Suppression List successfully updated' } } };
    }
    if (recipient && found.length === 0) {
      return { status: 404, body: { errors: [{ message: 'Recipient could not be found' }] } };
    }
    if (method === 'DELETE') {
      if (found.some(({ source }) => source === 'Compliance')) {
        return {
          status: 403,
          body: { errors: [{ message: 'Recipient could not be removed - Compliance' }] },
        };
      }
      entries.splice(0, entries.length, ...entries.filter((entry) => !found.includes(entry)));
      return { status: 204, body: null };
    }
    const size = Number(url.searchParams.get('per_page') ?? 1_000);
    const cursor = url.searchParams.get('cursor');
    const start = cursor === 'initial' || cursor === null ? 0 : Number(cursor);
    const next = start + size;
    const href = `${PATH}?cursor=${next}&per_page=${size}`;
    return {
      status: 200,
      body: {
        results: found.slice(start, next),
        links: next < found.length ? [{ href, rel: 'next', method: ['GET'] }] : [],
        total_count: found.length,
      },
    };
  });
  return Object.assign(fake, { entries });
}
