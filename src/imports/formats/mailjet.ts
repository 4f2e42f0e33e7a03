import { isTrue, type Format } from './format.js';

/** https://dev.mailjet.com/email/reference/contacts/: the contacts that are excluded from campaigns. */
const contacts: Format = {
  name: 'mailjet',
  meaning: 'contacts of Mailjet',
  columns: [{ has: ['email', 'isexcludedfromcampaigns'] }],
  read: (row) => {
    const isComplaint = isTrue(row.get('isspamcomplaining'));
    return isComplaint || isTrue(row.get('isexcludedfromcampaigns'))
      ? {
          email: row.get('email'),
          cause: isComplaint ? 'complaint' : 'unsubscribe',
          createdAt: row.get('exclusionfromcampaignsupdatedat') || row.get('unsubscribedat'),
          note: '',
        }
      : { skip: 'not_suppressed' };
  },
};

export const MAILJET_FORMATS = [contacts];
