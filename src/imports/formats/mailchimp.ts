import type { Format, Refusal } from './format.js';

/** https://mailchimp.com/help/export-contacts/: a file for each status; only the last columns differ. */
const cleaned: Format = {
  name: 'mailchimp-cleaned',
  meaning: 'cleaned contacts of Mailchimp',
  columns: [{ has: ['emailaddress', 'cleantime'], hasCustomNames: true }],
  read: (row) => ({
    email: row.get('emailaddress'),
    cause: 'bounce',
    createdAt: row.get('cleantime'),
    note: row.get('cleancampaigntitle'),
  }),
};

const unsubscribed: Format = {
  name: 'mailchimp-unsubscribed',
  meaning: 'unsubscribed contacts of Mailchimp',
  columns: [{ has: ['emailaddress', 'unsubtime'], hasCustomNames: true }],
  read: (row) => {
    const reason = [row.get('unsubreason'), row.get('unsubreasonother')].filter(Boolean).join(': ');
    return {
      email: row.get('emailaddress'),
      cause: /abuse|spam/i.test(row.get('unsubreason')) ? 'complaint' : 'unsubscribe',
      createdAt: row.get('unsubtime'),
      note: reason,
    };
  },
};

export const MAILCHIMP_FORMATS = [cleaned, unsubscribed];

export const MAILCHIMP_REFUSALS: Refusal[] = [
  {
    columns: ['memberrating', 'leid', 'euid'].map((column) => ({
      has: ['emailaddress', column],
      lacks: ['cleantime', 'unsubtime'],
    })),
    reason:
      'This is a list of subscribers of Mailchimp: its addresses are to be mailed. Import the files of unsubscribed and cleaned members.',
  },
];
