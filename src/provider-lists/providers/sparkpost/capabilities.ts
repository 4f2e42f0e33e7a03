import type { AdditionCapability, ListCapability, RemovalCapability } from '../provider.js';

const API = 'https://developers.sparkpost.com/api/suppression-list';
const LIST = 'suppression-list';

/** SparkPost keeps an entry for transactional and one for other mail; together, they are one line of a plan. */
export const SPARKPOST_LISTS: readonly ListCapability[] = [
  {
    list: LIST,
    format: 'sparkpost',
    address: 'recipient',
    permission: 'Suppression Lists: Read-only',
    source: `${API}/#suppression-list-get-search-suppressions`,
  },
];

const ADD = {
  list: LIST,
  becomes: 'manual',
  permission: 'Suppression Lists: Read/Write',
  source: `${API}/#suppression-list-put-bulk-create-or-update-suppressions`,
} as const;

/** All entries that are added have the source Manually Added. */
export const SPARKPOST_ADDITIONS: readonly AdditionCapability[] = [
  { cause: 'bounce', ...ADD },
  { cause: 'complaint', ...ADD },
  { cause: 'manual', ...ADD },
  { cause: 'unsubscribe', ...ADD },
];

/** Entries of the source Compliance cannot be removed; a request gets 403. */
export const SPARKPOST_REMOVALS: readonly RemovalCapability[] = [
  {
    list: LIST,
    permission: 'Suppression Lists: Read/Write',
    refuses: [],
    source: `${API}/#suppression-list-delete-delete-a-suppression`,
  },
];
