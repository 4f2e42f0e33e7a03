import type { Cause } from '../../ledger/cause.js';
import type { Format } from './format.js';

const CAUSES = new Map<string, Cause>(
  Object.entries({ bounce: 'bounce', complaint: 'complaint', manual: 'manual' } satisfies Record<
    string,
    Cause
  >),
);

/** https://resend.com/docs/api-reference/suppressions/list-suppressions, also as CSV with the same columns. */
const list: Format = {
  name: 'resend',
  meaning: 'the suppressions of Resend',
  columns: [{ has: ['id', 'email', 'origin', 'createdat'], lacks: ['cause'] }],
  read: (row) => {
    const origin = row.get('origin');
    const cause = CAUSES.get(origin);
    return cause
      ? {
          email: row.get('email'),
          cause,
          createdAt: row.get('createdat'),
          note: '',
          emailId: row.get('sourceid'),
        }
      : { error: 'unknown_cause', value: origin };
  },
};

export const RESEND_FORMATS = [list];
