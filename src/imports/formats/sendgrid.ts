import type { Cause } from '../../ledger/cause.js';
import type { Format, Reading, Row } from './format.js';

/** https://www.twilio.com/docs/sendgrid/ui/sending-email/bounces: bounces and blocks have the same columns. */
const bounces: Format = {
  name: 'sendgrid-bounces',
  meaning: 'bounces of SendGrid',
  columns: [{ has: ['status', 'reason', 'email', 'created'], may: [] }],
  filename: /suppression_bounces/i,
  read: (row) => (row.get('status').startsWith('4') ? { skip: 'soft_bounce' } : readEntry(row, 'bounce')),
};

/** SendGrid itself keeps sending to blocked addresses: a block rejects one email, or the sending server. */
const blocks: Format = {
  name: 'sendgrid-blocks',
  meaning: 'blocks of SendGrid, all of which are skipped',
  columns: bounces.columns,
  filename: /suppression_blocks/i,
  read: () => ({ skip: 'block' }),
};

const invalid: Format = {
  name: 'sendgrid-invalid',
  meaning: 'invalid emails of SendGrid',
  columns: [{ has: ['reason', 'email', 'created'], may: [] }],
  read: (row) => readEntry(row, 'bounce'),
};

const spamReports: Format = {
  name: 'sendgrid-spam-reports',
  meaning: 'spam reports of SendGrid',
  columns: [{ has: ['ip', 'email', 'created'], may: [] }],
  read: (row) => readEntry(row, 'complaint'),
};

const globalUnsubscribes: Format = {
  name: 'sendgrid-global-unsubscribes',
  meaning: 'global unsubscribes of SendGrid',
  columns: [{ has: ['email', 'created'], may: [] }],
  filename: /suppression_unsubscribes/i,
  read: (row) => readEntry(row, 'unsubscribe'),
};

/** An opt-out of one group does not stop other mail. */
const groupUnsubscribes: Format = {
  name: 'sendgrid-group-unsubscribes',
  meaning: 'group unsubscribes of SendGrid, all of which are skipped',
  columns: [...globalUnsubscribes.columns, { has: ['email', 'groupid'] }],
  filename: /asm_groups?_/i,
  read: () => ({ skip: 'one_group' }),
};

function readEntry(row: Row, cause: Cause): Reading {
  const note = [row.get('status'), row.get('reason')].filter(Boolean).join(' ');
  return { email: row.get('email'), cause, createdAt: row.get('created'), note };
}

export const SENDGRID_FORMATS = [
  bounces,
  blocks,
  invalid,
  spamReports,
  globalUnsubscribes,
  groupUnsubscribes,
];
