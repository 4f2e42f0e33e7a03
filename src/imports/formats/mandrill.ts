import { parseDate } from '../dates.js';
import { causeNamed, isTrue, readEntry, type CauseNames, type Format, type Refusal } from './format.js';

/** https://mailchimp.com/developer/transactional/api/rejects/list-rejected-addresses/: `reason`. */
const CAUSES: CauseNames = {
  'hard-bounce': 'bounce',
  spam: 'complaint',
  unsub: 'unsubscribe',
  custom: 'manual',
};
const SOFT_BOUNCE = 'soft-bounce';

export const MANDRILL: (Format | Refusal)[] = [
  {
    name: 'mandrill',
    meaning: 'the rejection denylist of Mandrill',
    columns: [{ has: ['email', 'reason', 'detail', 'createdat', 'expiresat'] }],
    read: (row, { now }) => {
      if (row.get('reason') === SOFT_BOUNCE) {
        return { skip: 'soft_bounce' };
      }
      const expiresAt = parseDate(row.get('expiresat'));
      if (!expiresAt && row.get('expiresat') !== '') {
        return { error: 'invalid_date', value: row.get('expiresat') };
      }
      if (isTrue(row.get('expired')) || (expiresAt && expiresAt < now)) {
        return { skip: 'expired' };
      }
      const cause = causeNamed(CAUSES, row.get('reason'));
      return readEntry(row, cause, { createdAt: ['createdat'], note: row.get('detail') });
    },
  },
  {
    columns: [{ has: ['email', 'detail', 'createdat'], may: [] }],
    reason: 'This is an allowlist of Mandrill: its addresses are to be mailed. To allow some, create rules.',
  },
];
