import {
  causeNamed,
  readEntry,
  type CauseNames,
  type Format,
  type Reading,
  type Refusal,
  type Row,
} from './format.js';

const CAUSES: CauseNames = { bounce: 'bounce', complaint: 'complaint' };

function readDestination(row: Row): Reading {
  return readEntry(row, causeNamed(CAUSES, row.get('reason')), {
    email: 'emailaddress',
    createdAt: ['lastupdatetime'],
  });
}

export const SES: (Format | Refusal)[] = [
  {
    /** `ListSuppressedDestinations` of the SES v2 API, and `aws sesv2 list-suppressed-destinations`. */
    name: 'ses-list',
    meaning: 'the JSON of `aws sesv2 list-suppressed-destinations`',
    columns: [{ has: ['emailaddress', 'reason', 'lastupdatetime'] }],
    read: readDestination,
  },
  {
    /** The file of an SES import job: NDJSON, or CSV, to which only other programs add a header. It has no dates. */
    name: 'ses-import',
    meaning: 'the file of an import job of Amazon SES',
    columns: [
      { kind: 'keys', has: ['emailaddress', 'reason'], may: [] },
      { kind: 'columns', has: ['emailaddress', 'reason'], mustBeNamed: true },
    ],
    read: readDestination,
  },
  {
    columns: [{ has: ['emailaddress', 'unsubscribeall'] }],
    reason:
      'This is a contact list of Amazon SES: it also holds people who want mail. Import the suppression list.',
  },
];
