import { readEntry, type Columns, type Format, type Refusal } from './format.js';

/** The header that Mailgun's script `get_suppressions.py` gives to the CSV files of all three lists. */
const ANY_LIST: Columns = {
  kind: 'columns',
  has: ['address', 'code', 'error', 'createdat', 'messagehash'],
};
const ENTRY = { email: 'address', createdAt: ['createdat'] };

/** Reads tags from CSV (`*`) and from JSON (`["*"]`). An entry without a tag is for all mail. */
function isAllTags(tags: string): boolean {
  return tags === '' || tags.split(/[\s,;"'[\]]+/).includes('*');
}

/**
 * With other columns, a list of complaints or unsubscribes may be one of subscribers, whose addresses are called `address`. Each
 * domain has its own lists, so programs that join them add `domain`.
 */
export const MAILGUN: (Format | Refusal)[] = [
  {
    /** https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/bounces: soft bounces are never listed. */
    name: 'mailgun-bounces',
    meaning: 'bounces of Mailgun',
    columns: [{ has: ['address', 'code', 'error'] }],
    filename: /_bounces\.csv(?:\.gz)?$/i,
    read: (row) => {
      const note = [row.get('code'), row.get('error')].filter(Boolean).join(' ');
      return readEntry(row, 'bounce', { ...ENTRY, note });
    },
  },
  {
    name: 'mailgun-complaints',
    meaning: 'complaints of Mailgun',
    columns: [
      {
        has: ['address', 'createdat'],
        lacks: ['code', 'error', 'tags', 'tag'],
        may: ['count', 'domain', 'messagehash'],
      },
      ANY_LIST,
    ],
    filename: /_complaints\.csv(?:\.gz)?$/i,
    read: (row) => readEntry(row, 'complaint', ENTRY),
  },
  {
    /** An opt-out of one tag does not stop other mail; `*` stands for all mail. */
    name: 'mailgun-unsubscribes',
    meaning: 'unsubscribes of Mailgun',
    columns: [
      { has: ['address', 'tags'], may: ['createdat', 'domain', 'id'] },
      { has: ['address', 'tag'], may: ['createdat', 'domain', 'id'] },
      ANY_LIST,
    ],
    filename: /_unsubscribes\.csv(?:\.gz)?$/i,
    read: (row) =>
      readEntry(
        row,
        isAllTags(row.get('tags') || row.get('tag')) ? 'unsubscribe' : { skip: 'one_group' },
        ENTRY,
      ),
  },
  {
    columns: [{ has: ['type', 'value', 'createdat'], lacks: ['email', 'address'] }],
    reason: 'This is an allowlist of Mailgun: its addresses are to be mailed. To allow some, create rules.',
  },
];
