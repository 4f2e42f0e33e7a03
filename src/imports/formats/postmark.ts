import type { Cause } from '../../ledger/cause.js';
import type { Format } from './format.js';

/** https://postmarkapp.com/developer/api/suppressions-api: `SuppressionReason`, and `Origin` for the manual ones. */
const CAUSES = new Map<string, Cause>(
  Object.entries({
    hardbounce: 'bounce',
    spamcomplaint: 'complaint',
    manualsuppression: 'manual',
  } satisfies Record<string, Cause>),
);

const dump: Format = {
  name: 'postmark',
  meaning: 'the suppressions of a message stream of Postmark',
  columns: [{ has: ['emailaddress', 'suppressionreason'] }],
  read: (row) => {
    const reason = row.get('suppressionreason');
    const cause = CAUSES.get(reason.toLowerCase());
    if (!cause) {
      return { error: 'unknown_cause', value: reason };
    }
    const isByRecipient = cause === 'manual' && row.get('origin').toLowerCase() === 'recipient';
    return {
      email: row.get('emailaddress'),
      cause: isByRecipient ? 'unsubscribe' : cause,
      createdAt: row.get('createdat'),
      note: '',
    };
  },
};

export const POSTMARK_FORMATS = [dump];
