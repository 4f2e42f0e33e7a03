import { foldName } from '../../files/csv-text.js';
import type { Cause } from '../../ledger/cause.js';
import { causeNamed, readEntry, type CauseNames, type Format, type Mistake, type Row } from './format.js';

/** https://developers.sparkpost.com/api/suppression-list: `source`. */
const CAUSES: CauseNames = {
  'bounce rule': 'bounce',
  'spam complaint': 'complaint',
  'list unsubscribe': 'unsubscribe',
  'unsubscribe link': 'unsubscribe',
  'manually added': 'manual',
  compliance: 'manual',
};

/** In the form of `foldName`. */
const TYPES = ['', 'transactional', 'nontransactional'];

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
    const cause = source === '' ? causeWithoutSource(row, defaultCause) : causeNamed(CAUSES, source);
    return readEntry(row, cause, {
      email: 'recipient',
      createdAt: ['created', 'updated'],
      note: row.get('description'),
    });
  },
};

/** The file of another system may have the same columns, and a cause as the type. */
function causeWithoutSource(row: Row, defaultCause: Cause): Cause | Mistake {
  const type = row.get('type');
  return TYPES.includes(foldName(type)) ? defaultCause : { error: 'unknown_cause', value: type };
}
