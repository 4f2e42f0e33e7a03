import { causeNamed, readEntry, type CauseNames, type Format } from './format.js';

/** https://developers.sparkpost.com/api/suppression-list: `source`. */
const CAUSES: CauseNames = {
  'bounce rule': 'bounce',
  'spam complaint': 'complaint',
  'list unsubscribe': 'unsubscribe',
  'unsubscribe link': 'unsubscribe',
  'manually added': 'manual',
  compliance: 'manual',
};

export const SPARKPOST: Format = {
  name: 'sparkpost',
  meaning: 'the suppression list of SparkPost',
  // With these dates, the type is the cause in the `csv` of another system.
  columns: [{ has: ['recipient', 'type'], lacks: ['createdat', 'date'] }],
  read: (row, { defaultCause }) => {
    if (row.get('listid') !== '') {
      return { skip: 'one_group' };
    }
    const source = row.get('source');
    const cause = source === '' ? defaultCause : causeNamed(CAUSES, source);
    return readEntry(row, cause, {
      email: 'recipient',
      createdAt: ['created', 'updated'],
      note: row.get('description'),
    });
  },
};
