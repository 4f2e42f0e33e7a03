import { causeNamed, readEntry, type CauseNames, type Format } from './format.js';

/** https://postmarkapp.com/developer/api/suppressions-api: `SuppressionReason`, and `Origin` for the manual ones. */
const CAUSES: CauseNames = { hardbounce: 'bounce', spamcomplaint: 'complaint', manualsuppression: 'manual' };

export const POSTMARK: Format = {
  name: 'postmark',
  meaning: 'the suppressions of a message stream of Postmark',
  columns: [{ has: ['emailaddress', 'suppressionreason'] }],
  read: (row) => {
    const cause = causeNamed(CAUSES, row.get('suppressionreason'));
    const isByRecipient = cause === 'manual' && row.get('origin').toLowerCase() === 'recipient';
    return readEntry(row, isByRecipient ? 'unsubscribe' : cause, {
      email: 'emailaddress',
      createdAt: ['createdat'],
    });
  },
};
