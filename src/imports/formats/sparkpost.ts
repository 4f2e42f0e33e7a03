import type { Cause } from '../../ledger/cause.js';
import type { Format } from './format.js';

/** https://developers.sparkpost.com/api/suppression-list: `source`. */
const CAUSES = new Map<string, Cause>(
  Object.entries({
    'bounce rule': 'bounce',
    'spam complaint': 'complaint',
    'list unsubscribe': 'unsubscribe',
    'unsubscribe link': 'unsubscribe',
    'manually added': 'manual',
    compliance: 'manual',
  } satisfies Record<string, Cause>),
);

const list: Format = {
  name: 'sparkpost',
  meaning: 'the suppression list of SparkPost',
  columns: [{ has: ['recipient', 'type'] }],
  read: (row, { defaultCause }) => {
    if (row.get('listid') !== '') {
      return { skip: 'one_group' };
    }
    const source = row.get('source');
    const cause = source === '' ? defaultCause : CAUSES.get(source.toLowerCase());
    return cause
      ? {
          email: row.get('recipient'),
          cause,
          createdAt: row.get('created') || row.get('updated'),
          note: row.get('description'),
        }
      : { error: 'unknown_cause', value: source };
  },
};

export const SPARKPOST_FORMATS = [list];
