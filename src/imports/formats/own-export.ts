import { CAUSES, NEVER_EXPIRES, type Cause } from '../../ledger/cause.js';
import { parseDate } from './dates.js';
import type { Format } from './format.js';

/** What `GET /exports` writes, as CSV or NDJSON. */
const ownExport: Format = {
  name: 'export',
  columns: [{ has: ['email', 'origin', 'sourceid', 'createdat', 'cause', 'expiresat'] }],
  read: (row, { now }) => {
    const cause = row.get('cause');
    if (!CAUSES.includes(cause as Cause)) {
      return { error: 'unknown_cause', value: cause };
    }
    const canExpire = !NEVER_EXPIRES.includes(cause as Cause);
    const expiresAt = canExpire ? (parseDate(row.get('expiresat')) ?? null) : null;
    return expiresAt && expiresAt <= now
      ? { skip: 'expired' }
      : {
          email: row.get('email'),
          cause: cause as Cause,
          createdAt: row.get('createdat'),
          note: row.get('note'),
          emailId: row.get('sourceid'),
          ...(expiresAt && { expiresAt }),
        };
  },
};

export const OWN_FORMATS = [ownExport];
