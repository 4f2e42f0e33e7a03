import type { Cause } from '../../ledger/cause.js';
import { commonCause } from './csv.js';
import { readEntry, type Format, type Mistake, type Reading, type Row, type Skipped } from './format.js';

/** Bounces and blocks have the same columns. */
const BOUNCES = [{ has: ['status', 'reason', 'email', 'created'], may: [] }];
const UNSUBSCRIBES = [{ has: ['email', 'created'], lacks: ['reason', 'ip'], may: [] }];

function read(row: Row, cause: Cause | Skipped | Mistake): Reading {
  const note = [row.get('status'), row.get('reason')].filter(Boolean).join(' ');
  return readEntry(row, cause, { createdAt: ['created'], note });
}

/** SendGrid describes what is wrong with an address. The file of another system may have a cause as the reason. */
function readInvalid(row: Row): Reading {
  const reason = row.get('reason');
  const cause = commonCause(reason) ?? 'bounce';
  const isOther = typeof cause === 'string' && cause !== 'bounce';
  return read(row, isOther ? { error: 'unknown_cause', value: reason } : cause);
}

/** https://www.twilio.com/docs/sendgrid/ui/sending-email/bounces, and its siblings. */
export const SENDGRID: Format[] = [
  {
    name: 'sendgrid-bounces',
    meaning: 'bounces of SendGrid',
    columns: BOUNCES,
    filename: /suppression_bounces/i,
    read: (row) => (row.get('status').startsWith('4') ? { skip: 'soft_bounce' } : read(row, 'bounce')),
  },
  {
    /** SendGrid itself keeps sending to blocked addresses: a block rejects one email, or the sending server. */
    name: 'sendgrid-blocks',
    meaning: 'blocks of SendGrid, all of which are skipped',
    columns: BOUNCES,
    filename: /suppression_blocks/i,
    read: () => ({ skip: 'block' }),
  },
  {
    name: 'sendgrid-invalid',
    meaning: 'invalid emails of SendGrid',
    columns: [{ has: ['reason', 'email', 'created'], lacks: ['status'], may: [] }],
    read: readInvalid,
  },
  {
    name: 'sendgrid-spam-reports',
    meaning: 'spam reports of SendGrid',
    columns: [{ has: ['ip', 'email', 'created'], may: [] }],
    read: (row) => read(row, 'complaint'),
  },
  {
    name: 'sendgrid-global-unsubscribes',
    meaning: 'global unsubscribes of SendGrid',
    columns: UNSUBSCRIBES,
    filename: /suppression_unsubscribes/i,
    read: (row) => read(row, 'unsubscribe'),
  },
  {
    /** An opt-out of one group does not stop other mail. */
    name: 'sendgrid-group-unsubscribes',
    meaning: 'group unsubscribes of SendGrid, skipped unless `topic` is given',
    columns: [...UNSUBSCRIBES, { has: ['email', 'groupid'] }],
    filename: /asm_groups?_/i,
    read: () => ({ skip: 'one_group' }),
  },
];
