import type { Format } from './format.js';

/** https://listmonk.app/docs/apis/subscribers/: the export of subscribers, whose status says who is blocked. */
const subscribers: Format = {
  name: 'listmonk',
  meaning: 'subscribers of listmonk',
  columns: [{ has: ['uuid', 'email', 'status'] }],
  read: (row, { defaultCause }) =>
    row.get('status') === 'blocklisted'
      ? {
          email: row.get('email'),
          cause: defaultCause,
          createdAt: row.get('updatedat') || row.get('createdat'),
          note: '',
        }
      : { skip: 'not_suppressed' },
};

export const LISTMONK_FORMATS = [subscribers];
