import { readEntry, type Format, type Refusal } from './format.js';

/** https://mailchimp.com/help/export-contacts/: a file for each status; only the last columns differ. */
export const MAILCHIMP: (Format | Refusal)[] = [
  {
    name: 'mailchimp-cleaned',
    meaning: 'cleaned contacts of Mailchimp',
    columns: [{ has: ['emailaddress', 'cleantime'], hasCustomNames: true }],
    read: (row) =>
      readEntry(row, 'bounce', {
        email: 'emailaddress',
        createdAt: ['cleantime'],
        note: row.get('cleancampaigntitle'),
      }),
  },
  {
    name: 'mailchimp-unsubscribed',
    meaning: 'unsubscribed contacts of Mailchimp',
    columns: [{ has: ['emailaddress', 'unsubtime'], hasCustomNames: true }],
    read: (row) => {
      const cause = /abuse|spam/i.test(row.get('unsubreason')) ? 'complaint' : 'unsubscribe';
      const note = [row.get('unsubreason'), row.get('unsubreasonother')].filter(Boolean).join(': ');
      return readEntry(row, cause, { email: 'emailaddress', createdAt: ['unsubtime'], note });
    },
  },
  {
    columns: ['memberrating', 'leid', 'euid'].map((column) => ({
      has: ['emailaddress', column],
      lacks: ['cleantime', 'unsubtime'],
    })),
    reason:
      'This is a list of subscribers of Mailchimp: its addresses are to be mailed. Import the files of unsubscribed and cleaned members.',
  },
];
