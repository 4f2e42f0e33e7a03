import type { ListProvider } from '../provider.js';
import { POSTMARK_ADDITIONS, POSTMARK_LISTS } from './capabilities.js';

const ITEMS = 'Suppressions';

/** https://postmarkapp.com/developer/api/suppressions-api: the dump has all entries in one response. */
export const postmark: ListProvider = {
  scope: [
    {
      name: 'stream',
      meaning: 'The id of a message stream, such as `outbound`.',
      pattern: /^[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?$/,
      problem: 'must be the id of a message stream, such as outbound',
    },
  ],
  credentials: [{ name: 'server_token', meaning: 'The API token of the server.' }],
  lists: POSTMARK_LISTS,
  additions: POSTMARK_ADDITIONS,
  pace: { ms: 0, source: 'one request reads the list' },
  identityOf: () => null,
  ownerIn: ({ server_token: token }) => token!,
  originOf: () => 'https://api.postmarkapp.com',
  request({ scope, credentials }) {
    return {
      path: `/message-streams/${scope.stream}/suppressions/dump`,
      headers: { 'x-postmark-server-token': credentials.server_token! },
    };
  },
  read: () => null,
  streams: ITEMS,
};
