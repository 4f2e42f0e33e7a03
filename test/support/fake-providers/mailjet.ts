import { NOT_FOUND, startFakeProvider, type FakeProvider } from './fake-provider.js';

export interface FakeMailjet extends FakeProvider {
  contacts: {
    ID: number;
    Email: string;
    IsExcludedFromCampaigns: boolean;
    IsSpamComplaining: boolean;
    ExclusionFromCampaignsUpdatedAt: string;
  }[];
  /** The most entries of a page, whatever the limit of the request. */
  pageSize: number;
}

/** Pages by offset; at most 1,000 entries. */
export async function startFakeMailjet(): Promise<FakeMailjet> {
  const contacts: FakeMailjet['contacts'] = [];
  const fake = await startFakeProvider((url, { authorization }) => {
    if (authorization !== `Basic ${Buffer.from('public-1:private-1').toString('base64')}`) {
      return {
        status: 401,
        body: { StatusCode: 401, ErrorMessage: 'API key authentication/authorization failure.' },
      };
    }
    if (url.pathname !== '/v3/REST/contact') {
      return NOT_FOUND;
    }
    const limit = Math.min(Number(url.searchParams.get('Limit') ?? 10), mailjet.pageSize);
    const offset = Number(url.searchParams.get('Offset') ?? 0);
    const isExcluded = url.searchParams.get('IsExcludedFromCampaigns') === 'true';
    const Data = contacts
      .filter((contact) => !isExcluded || contact.IsExcludedFromCampaigns)
      .slice(offset, offset + limit);
    return { status: 200, body: { Count: Data.length, Data, Total: Data.length } };
  });
  const mailjet: FakeMailjet = Object.assign(fake, { contacts, pageSize: 1_000 });
  return mailjet;
}
