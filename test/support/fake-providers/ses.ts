import { NOT_FOUND, startFakeProvider, type FakeProvider } from './fake-provider.js';

export interface SesEntry {
  EmailAddress: string;
  Reason: 'BOUNCE' | 'COMPLAINT';
  /** Seconds since 1970. */
  LastUpdateTime: number;
}

/** Keeps addresses by their exact case, and pages with tokens; the last page has no token. */
export interface FakeSes extends FakeProvider {
  entries: Map<string, SesEntry>;
  pageSize: number;
  list(address: string, reason?: SesEntry['Reason'], at?: string): void;
}

export async function startFakeSes(): Promise<FakeSes> {
  const entries = new Map<string, SesEntry>();
  const fake = await startFakeProvider((url, { authorization = '' }) => {
    if (url.pathname !== '/v2/email/suppression/addresses') {
      return NOT_FOUND;
    }
    if (
      !/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\d*\/\d{8}\/[\w-]+\/ses\/aws4_request, /.test(authorization)
    ) {
      return { status: 403, body: { message: 'The security token included in the request is invalid.' } };
    }
    const limit = Math.min(Number(url.searchParams.get('PageSize')), ses.pageSize);
    const start = Number(url.searchParams.get('NextToken') ?? 0);
    const all = [...entries.values()];
    const next = start + limit < all.length ? { NextToken: String(start + limit) } : {};
    return {
      status: 200,
      body: { SuppressedDestinationSummaries: all.slice(start, start + limit), ...next },
    };
  });
  const ses: FakeSes = Object.assign(fake, {
    entries,
    pageSize: 1_000,
    list(address: string, reason: SesEntry['Reason'] = 'BOUNCE', at = '2026-01-10T08:00:00Z') {
      entries.set(address, {
        EmailAddress: address,
        Reason: reason,
        LastUpdateTime: Date.parse(at) / 1_000 + 0.25,
      });
    },
  });
  return ses;
}
