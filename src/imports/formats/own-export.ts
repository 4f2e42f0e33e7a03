import { unescapeSpreadsheetField } from '../../files/csv-text.js';
import { CAUSES, causesIn, maskOf, NEVER_EXPIRES, type Cause } from '../../ledger/cause.js';
import { parseDate } from '../dates.js';
import type { Format, Row } from './format.js';

export const TOPIC_EXPORT = 'topic-export';

/** Removes the quotation that an export adds for spreadsheets. */
function textReader(row: Row): (name: string) => string {
  return row.get('spreadsheet') ? (name) => unescapeSpreadsheetField(row.get(name)) : (name) => row.get(name);
}

/** The format of `GET /exports`, as CSV or NDJSON. */
const ownExport: Format = {
  name: 'export',
  meaning: 'an export of this service',
  columns: [{ has: ['email', 'origin', 'sourceid', 'createdat', 'cause', 'expiresat'] }],
  read: (row, { now }) => {
    const textOf = textReader(row);
    const named = [row.get('cause'), ...row.get('causes').split(/[\s,;"[\]]+/)].filter(Boolean) as Cause[];
    const unknown = named.find((name) => !CAUSES.includes(name));
    if (unknown !== undefined || named.length === 0) {
      return { error: 'unknown_cause', value: unknown ?? '' };
    }
    const expiresAt = parseDate(row.get('expiresat'));
    if (!expiresAt && row.get('expiresat') !== '') {
      return { error: 'invalid_date', value: row.get('expiresat') };
    }
    const hasExpired = expiresAt !== null && expiresAt <= now;
    const [cause, ...weakerCauses] = causesIn(maskOf(named)).filter(
      (name) => !hasExpired || NEVER_EXPIRES.includes(name),
    );
    return cause
      ? {
          email: textOf('email'),
          cause,
          ...(weakerCauses.length > 0 && { weakerCauses }),
          ...(!hasExpired && expiresAt && { expiresAt }),
          createdAt: row.get('createdat'),
          note: textOf('note'),
          emailId: row.get('sourceid'),
        }
      : { skip: 'expired' };
  },
};

/** The format of `GET /exports?topic=`. An opt-in does not lift a suppression. */
const topicExport: Format = {
  name: TOPIC_EXPORT,
  meaning: 'an export of the preferences for a topic',
  columns: [{ has: ['email', 'topic', 'subscription', 'createdat'] }],
  read: (row) =>
    row.get('subscription') === 'opt_out'
      ? { email: textReader(row)('email'), cause: 'unsubscribe', createdAt: row.get('createdat'), note: '' }
      : { skip: 'not_suppressed' },
};

export const OWN_EXPORTS = [ownExport, topicExport];
