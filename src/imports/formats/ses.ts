import type { Cause } from '../../ledger/cause.js';
import type { Format, Reading, Refusal, Row } from './format.js';

const CAUSES = new Map<string, Cause>(
  Object.entries({ BOUNCE: 'bounce', COMPLAINT: 'complaint' } satisfies Record<string, Cause>),
);

/** `ListSuppressedDestinations` of the SES v2 API, and `aws sesv2 list-suppressed-destinations`. */
const list: Format = {
  name: 'ses-list',
  meaning: 'the JSON of `aws sesv2 list-suppressed-destinations`',
  columns: [{ has: ['emailaddress', 'reason', 'lastupdatetime'] }],
  read: readDestination,
};

/** The file of an SES import job: CSV without a header, or NDJSON. It has no dates. */
const importJob: Format = {
  name: 'ses-import',
  meaning: 'the file of an import job of Amazon SES',
  columns: [{ has: ['emailaddress', 'reason'], may: [] }],
  read: readDestination,
};

function readDestination(row: Row): Reading {
  const reason = row.get('reason');
  const cause = CAUSES.get(reason.toUpperCase());
  return cause
    ? { email: row.get('emailaddress'), cause, createdAt: row.get('lastupdatetime'), note: '' }
    : { error: 'unknown_cause', value: reason };
}

export const SES_FORMATS = [list, importJob];

export const SES_REFUSALS: Refusal[] = [
  {
    columns: [{ has: ['emailaddress', 'unsubscribeall'] }],
    reason:
      'This is a contact list of Amazon SES: it also holds people who want mail. Import the suppression list.',
  },
];
