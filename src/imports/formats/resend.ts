import { causeNamed, readEntry, type CauseNames, type Format } from './format.js';

const CAUSES: CauseNames = { bounce: 'bounce', complaint: 'complaint', manual: 'manual' };

/** https://resend.com/docs/api-reference/suppressions/list-suppressions, also as CSV with the same columns. */
export const RESEND: Format = {
  name: 'resend',
  meaning: 'the suppressions of Resend',
  columns: [{ has: ['id', 'email', 'origin', 'createdat'], lacks: ['cause'] }],
  read: (row) =>
    readEntry(row, causeNamed(CAUSES, row.get('origin')), {
      createdAt: ['createdat'],
      emailId: row.get('sourceid'),
    }),
};
