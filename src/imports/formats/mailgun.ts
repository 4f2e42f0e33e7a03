import type { Columns, Format, Refusal } from './format.js';

/** The header that Mailgun's script `get_suppressions.py` gives to the CSV files of all three lists. */
const ANY_LIST: Columns = {
  kind: 'columns',
  has: ['address', 'code', 'error', 'createdat', 'messagehash'],
  may: [],
};
/** Fields of other lists, besides `address` and `created_at`. */
const FIELDS_OF_OTHER_LISTS = ['code', 'error', 'tags', 'tag', 'type', 'value'];

/** https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/bounces: soft bounces are never listed. */
const bounces: Format = {
  name: 'mailgun-bounces',
  meaning: 'bounces of Mailgun',
  columns: [{ has: ['address', 'code', 'error'] }],
  filename: /_bounces\.csv$/i,
  read: (row) => ({
    email: row.get('address'),
    cause: 'bounce',
    createdAt: row.get('createdat'),
    note: [row.get('code'), row.get('error')].filter(Boolean).join(' '),
  }),
};

const complaints: Format = {
  name: 'mailgun-complaints',
  meaning: 'complaints of Mailgun',
  columns: [{ has: ['address', 'createdat'], lacks: FIELDS_OF_OTHER_LISTS }, ANY_LIST],
  filename: /_complaints\.csv$/i,
  read: (row) => ({
    email: row.get('address'),
    cause: 'complaint',
    createdAt: row.get('createdat'),
    note: '',
  }),
};

/** An opt-out of one tag does not stop other mail; `*` stands for all mail. */
const unsubscribes: Format = {
  name: 'mailgun-unsubscribes',
  meaning: 'unsubscribes of Mailgun',
  columns: [{ has: ['address', 'tags'] }, { has: ['address', 'tag'] }, ANY_LIST],
  filename: /_unsubscribes\.csv$/i,
  read: (row) =>
    isAllTags(row.get('tags') || row.get('tag'))
      ? { email: row.get('address'), cause: 'unsubscribe', createdAt: row.get('createdat'), note: '' }
      : { skip: 'one_group' },
};

/** As a CSV has them, and as JSON has them: `*`, `["*"]`. An entry without a tag is for all mail. */
function isAllTags(tags: string): boolean {
  return tags === '' || tags.split(/[\s,;"'[\]]+/).includes('*');
}

export const MAILGUN_FORMATS = [bounces, complaints, unsubscribes];

export const MAILGUN_REFUSALS: Refusal[] = [
  {
    columns: [{ has: ['type', 'value', 'createdat'], lacks: ['email', 'address'] }],
    reason: 'This is an allowlist of Mailgun: its addresses are to be mailed. To allow some, create rules.',
  },
];
