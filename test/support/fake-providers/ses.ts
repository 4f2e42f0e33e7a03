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
  /** The only access key that it accepts; null if it accepts all. */
  keyId: string | null;
  /** Entries with other reasons have no effect. */
  suppressedReasons: string[];
  /** The `SuppressionAttributes` of the tenants, by their names. */
  tenants: Map<string, { SuppressionScope?: 'ACCOUNT' | 'TENANT'; SuppressedReasons?: string[] }>;
  list(address: string, reason?: SesEntry['Reason'], at?: string): void;
}

const PATH = '/v2/email/suppression/addresses';

export async function startFakeSes(): Promise<FakeSes> {
  const fake = await startFakeProvider((url, { authorization = '' }, { method, body }) => {
    const [, keyId] =
      /^AWS4-HMAC-SHA256 Credential=(AKIDEXAMPLE\d*)\/\d{8}\/[\w-]+\/ses\/aws4_request, /.exec(
        authorization,
      ) ?? [];
    if (!keyId || (ses.keyId !== null && keyId !== ses.keyId)) {
      return { status: 403, body: { message: 'The security token included in the request is invalid.' } };
    }
    const { entries } = ses;
    if (url.pathname === '/v2/email/account') {
      return { status: 200, body: { SuppressionAttributes: { SuppressedReasons: ses.suppressedReasons } } };
    }
    if (method === 'POST' && url.pathname === '/v2/email/tenants/get') {
      const { TenantName } = JSON.parse(body) as { TenantName: string };
      const SuppressionAttributes = ses.tenants.get(TenantName);
      return SuppressionAttributes
        ? { status: 200, body: { Tenant: { TenantName, SuppressionAttributes } } }
        : { status: 404, body: { message: 'The tenant does not exist.' } };
    }
    if (method === 'PUT' && url.pathname === PATH) {
      const { EmailAddress, Reason } = JSON.parse(body) as SesEntry;
      entries.set(EmailAddress, { EmailAddress, Reason, LastUpdateTime: Date.now() / 1_000 });
      return { status: 200, body: {} };
    }
    if (url.pathname.startsWith(`${PATH}/`)) {
      const address = decodeURIComponent(url.pathname.slice(PATH.length + 1));
      const SuppressedDestination = entries.get(address);
      if (method === 'DELETE') {
        entries.delete(address);
      }
      return SuppressedDestination
        ? { status: 200, body: method === 'DELETE' ? {} : { SuppressedDestination } }
        : { status: 404, body: { message: 'Email address does not exist on your suppression list.' } };
    }
    if (url.pathname !== PATH) {
      return NOT_FOUND;
    }
    const limit = Math.min(Number(url.searchParams.get('PageSize')), ses.pageSize);
    const start = Number(url.searchParams.get('NextToken') ?? 0);
    const all = [...entries.values()];
    const next = start + limit < all.length ? { NextToken: String(start + limit) } : {};
    return {
      status: 200,
      body: { SuppressedDestinationSummaries: all.slice(start, start + limit), ...next },
    };
  }, 'ses');
  const ses: FakeSes = Object.assign(fake, {
    entries: new Map<string, SesEntry>(),
    pageSize: 1_000,
    keyId: null,
    suppressedReasons: ['BOUNCE', 'COMPLAINT'],
    tenants: new Map(),
    list(address: string, reason: SesEntry['Reason'] = 'BOUNCE', at = '2026-01-10T08:00:00Z') {
      ses.entries.set(address, {
        EmailAddress: address,
        Reason: reason,
        LastUpdateTime: Date.parse(at) / 1_000 + 0.25,
      });
    },
  });
  return ses;
}
