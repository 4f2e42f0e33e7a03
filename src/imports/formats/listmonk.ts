import { readEntry, type Format } from './format.js';

/** https://listmonk.app/docs/apis/subscribers/: the export of subscribers, whose status says who is blocked. */
export const LISTMONK: Format = {
  name: 'listmonk',
  meaning: 'subscribers of listmonk',
  columns: [{ has: ['uuid', 'email', 'status'] }],
  read: (row, { defaultCause }) =>
    readEntry(row, row.get('status') === 'blocklisted' ? defaultCause : { skip: 'not_suppressed' }, {
      createdAt: ['updatedat', 'createdat'],
    }),
};
