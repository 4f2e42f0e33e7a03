import { arrayIn, type ListProvider, type Scope } from '../provider.js';
import { SES_ADDITIONS, SES_LISTS } from './capabilities.js';
import { signGet } from './signature.js';

const MAX_ENTRIES = 1_000;
const PATH = '/v2/email/suppression/addresses';

/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_ListSuppressedDestinations.html */
export const ses: ListProvider = {
  scope: [
    {
      name: 'region',
      meaning: 'The region of AWS, such as `eu-west-1`.',
      pattern: /^[a-z]{2}(?:-[a-z]{2,10}){1,2}-\d$/,
      problem: 'must be a region of AWS, such as eu-west-1',
    },
    {
      name: 'tenant',
      meaning: 'The name of a tenant. Without it, the list is the one of the account.',
      pattern: /^[A-Za-z0-9_-]{1,64}$/,
      problem: 'must be the name of a tenant: up to 64 letters, digits, hyphens, and underscores',
      default: null,
    },
  ],
  credentials: [
    { name: 'access_key_id', meaning: 'The id of an access key of IAM.' },
    { name: 'secret_access_key', meaning: 'The secret of that key.' },
  ],
  lists: SES_LISTS,
  additions: SES_ADDITIONS,
  pace: { ms: 200, source: 'AWS publishes no rate; a request that is too early gets 429' },
  identityOf: () => null,
  ownerIn: ({ access_key_id: id }) => id!,
  originOf: (scope) => `https://${hostOf(scope)}`,
  request({ scope, credentials }, _list, position, now, limit = MAX_ENTRIES) {
    return signGet({
      host: hostOf(scope),
      path: PATH,
      query: {
        PageSize: String(limit),
        ...(position !== null && { NextToken: position }),
        ...(scope.tenant !== undefined && { TenantName: scope.tenant }),
      },
      region: scope.region!,
      service: 'ses',
      accessKeyId: credentials.access_key_id!,
      secretAccessKey: credentials.secret_access_key!,
      now,
    });
  },
  read(body) {
    const items = arrayIn(body, 'SuppressedDestinationSummaries');
    const { NextToken: next } = (body ?? {}) as { NextToken?: unknown };
    return items && { items, next: typeof next === 'string' && next !== '' ? next : null };
  },
};

/** https://docs.aws.amazon.com/general/latest/gr/ses.html; the regions of China have a domain of their own. */
function hostOf({ region }: Scope): string {
  return `email.${region}.amazonaws.com${region!.startsWith('cn-') ? '.cn' : ''}`;
}
