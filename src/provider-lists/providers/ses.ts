import { isObject, stringAt, valueAt } from '../../inbound/parsing/json.js';
import type { Cause } from '../../ledger/cause.js';
import { addressOf, percentEncode, segmentOf } from './addresses.js';
import { arrayIn, type FindEffect, type ListProvider, type Scope } from './provider.js';
import { sign } from './ses-signature.js';

const API = 'https://docs.aws.amazon.com/ses/latest/APIReference-V2';

const ADDITION = {
  list: 'suppressions',
  permission: 'ses:PutSuppressedDestination',
  source: `${API}/API_PutSuppressedDestination.html`,
} as const;
const MAX_ENTRIES = 1_000;
const PATH = '/v2/email/suppression/addresses';
const PACE = { ms: 1_000, source: 'AWS publishes no rate; about one request a second gets no 429' };

/**
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_ListSuppressedDestinations.html. Requests about one address find it
 * by its exact case. Adding an address again replaces its reason, so it is looked up first.
 */
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
      meaning: 'The name of a tenant. Without it, the list belongs to the account.',
      pattern: /^[A-Za-z0-9_-]{1,64}$/,
      problem: 'must be the name of a tenant: up to 64 letters, digits, hyphens, and underscores',
      default: null,
    },
  ],
  credentials: [
    { name: 'access_key_id', meaning: 'The id of an access key of IAM.' },
    { name: 'secret_access_key', meaning: 'The secret of that key.' },
  ],
  lists: [
    {
      list: 'suppressions',
      format: 'ses-list',
      address: 'emailaddress',
      permission: 'ses:ListSuppressedDestinations',
      source: `${API}/API_ListSuppressedDestinations.html`,
    },
  ],
  /** SES knows only the reasons BOUNCE and COMPLAINT. Other causes become COMPLAINT, as in exports. */
  additions: [
    { cause: 'bounce', becomes: 'bounce', ...ADDITION },
    { cause: 'complaint', becomes: 'complaint', ...ADDITION },
    { cause: 'manual', becomes: 'complaint', ...ADDITION },
    { cause: 'unsubscribe', becomes: 'complaint', ...ADDITION },
  ],
  removals: [
    {
      list: 'suppressions',
      permission: 'ses:DeleteSuppressedDestination',
      hasBounces: true,
      source: `${API}/API_DeleteSuppressedDestination.html`,
    },
  ],
  pace: { ms: 200, source: 'AWS publishes no rate; a request that is too early gets 429' },
  owner: 'access_key_id',
  originOf: (scope) => `https://${hostOf(scope)}`,
  headersOf({ scope, credentials }, { path, ...request }, now) {
    const { host, pathname, searchParams } = new URL(path, `https://${hostOf(scope)}`);
    return sign({
      ...request,
      host,
      path: pathname,
      query: Object.fromEntries(searchParams),
      region: scope.region!,
      service: 'ses',
      accessKeyId: credentials.access_key_id!,
      secretAccessKey: credentials.secret_access_key!,
      now,
    });
  },
  request: ({ position, limit = MAX_ENTRIES }, _list, { scope }) => ({
    method: 'GET',
    path: `${PATH}${queryOf(scope, { PageSize: String(limit), ...(position !== null && { NextToken: position }) })}`,
  }),
  read(body) {
    const items = arrayIn(body, 'SuppressedDestinationSummaries');
    return items && { items, next: stringAt(body, 'NextToken') || null };
  },
  add: {
    pace: PACE,
    request(entry, { scope }) {
      const EmailAddress = addressOf(entry);
      const Reason = entry.cause === 'bounce' ? 'BOUNCE' : 'COMPLAINT';
      return {
        method: 'PUT',
        path: PATH,
        body: JSON.stringify({ EmailAddress, Reason, ...tenantIn(scope) }),
      };
    },
  },
  remove: {
    pace: PACE,
    request: (entry, { scope }) => ({
      method: 'DELETE',
      path: `${PATH}/${segmentOf(entry)}${queryOf(scope)}`,
    }),
  },
  find: {
    isCaseExact: true,
    permission: 'ses:GetSuppressedDestination',
    request: (entry, { scope }) => ({ method: 'GET', path: `${PATH}/${segmentOf(entry)}${queryOf(scope)}` }),
    read: (body) => valueAt(body, 'SuppressedDestination'),
  },
  effect: ({ tenant }) => (tenant === undefined ? EFFECT_IN_ACCOUNT : effectInTenant(tenant)),
};

/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetAccount.html */
const EFFECT_IN_ACCOUNT: FindEffect = {
  permission: 'ses:GetAccount',
  request: { method: 'GET', path: '/v2/email/account' },
  read: (body) => causesIn(valueAt(body, 'SuppressionAttributes')),
};

/**
 * A tenant uses the list of the account unless its scope is TENANT:
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_TenantSuppressionAttributes.html
 */
function effectInTenant(name: string): FindEffect {
  return {
    permission: 'ses:GetTenant',
    request: { method: 'POST', path: '/v2/email/tenants/get', body: JSON.stringify({ TenantName: name }) },
    read(body) {
      const tenant = valueAt(body, 'Tenant');
      if (!isObject(tenant)) {
        return null;
      }
      const attributes = valueAt(tenant, 'SuppressionAttributes');
      return isObject(attributes) && attributes.SuppressionScope === 'TENANT'
        ? causesIn({ SuppressedReasons: [], ...attributes })
        : [];
    },
  };
}

/** The causes whose reason is one of the `SuppressedReasons`. */
function causesIn(attributes: unknown): Cause[] | null {
  const reasons = arrayIn(attributes, 'SuppressedReasons');
  return (
    reasons &&
    ses.additions.flatMap((addition) =>
      addition.list !== null && reasons.includes(addition.becomes.toUpperCase()) ? [addition.cause] : [],
    )
  );
}

function tenantIn({ tenant }: Scope): Record<string, string> {
  return tenant === undefined ? {} : { TenantName: tenant };
}

/** The query of a request about the list of a scope. */
function queryOf(scope: Scope, query: Readonly<Record<string, string>> = {}): string {
  const parameters = Object.entries({ ...query, ...tenantIn(scope) });
  const encoded = parameters.map(([name, value]) => `${name}=${percentEncode(value)}`).join('&');
  return encoded && `?${encoded}`;
}

/** https://docs.aws.amazon.com/general/latest/gr/ses.html; the regions of China have a domain of their own. */
function hostOf({ region }: Scope): string {
  return `email.${region}.amazonaws.com${region!.startsWith('cn-') ? '.cn' : ''}`;
}
