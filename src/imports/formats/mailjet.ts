import { isTrue, readEntry, type Format } from './format.js';

/** https://dev.mailjet.com/email/reference/contacts/: the contacts that are excluded from campaigns. */
export const MAILJET: Format = {
  name: 'mailjet',
  meaning: 'contacts of Mailjet',
  columns: [{ has: ['email', 'isexcludedfromcampaigns'] }],
  read: (row) => {
    const isExcluded = isTrue(row.get('isexcludedfromcampaigns'));
    const cause = isTrue(row.get('isspamcomplaining')) ? 'complaint' : 'unsubscribe';
    return readEntry(row, isExcluded || cause === 'complaint' ? cause : { skip: 'not_suppressed' }, {
      createdAt: ['exclusionfromcampaignsupdatedat', 'unsubscribedat'],
    });
  },
};
