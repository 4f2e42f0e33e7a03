import type { Cause } from '../../ledger/cause.js';
import { parseDate } from '../dates.js';
import { isTrue, type Format, type Refusal } from './format.js';

/** https://mailchimp.com/developer/transactional/api/rejects/list-rejected-addresses/: `reason`. */
const CAUSES = new Map<string, Cause>(
  Object.entries({
    'hard-bounce': 'bounce',
    spam: 'complaint',
    unsub: 'unsubscribe',
    custom: 'manual',
  } satisfies Record<string, Cause>),
);
const SOFT_BOUNCE = 'soft-bounce';

const rejects: Format = {
  name: 'mandrill',
  meaning: 'the rejection denylist of Mandrill',
  columns: [{ has: ['email', 'reason', 'detail', 'createdat', 'expiresat'] }],
  read: (row, { now }) => {
    const reason = row.get('reason');
    if (reason === SOFT_BOUNCE) {
      return { skip: 'soft_bounce' };
    }
    const expiresAt = parseDate(row.get('expiresat'));
    if (!expiresAt && row.get('expiresat') !== '') {
      return { error: 'invalid_date', value: row.get('expiresat') };
    }
    if (isTrue(row.get('expired')) || (expiresAt && expiresAt < now)) {
      return { skip: 'expired' };
    }
    const cause = CAUSES.get(reason);
    return cause
      ? { email: row.get('email'), cause, createdAt: row.get('createdat'), note: row.get('detail') }
      : { error: 'unknown_cause', value: reason };
  },
};

export const MANDRILL_FORMATS = [rejects];

export const MANDRILL_REFUSALS: Refusal[] = [
  {
    columns: [{ has: ['email', 'detail', 'createdat'], may: [] }],
    reason: 'This is an allowlist of Mandrill: its addresses are to be mailed. To allow some, create rules.',
  },
];
