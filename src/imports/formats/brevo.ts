import type { Cause } from '../../ledger/cause.js';
import { isTrue, property, type Format } from './format.js';

/** https://developers.brevo.com/reference/get-transac-blocked-contacts: `reason.code`. */
const CAUSES = new Map<string, Cause>(
  Object.entries({
    hardbounce: 'bounce',
    adminblocked: 'manual',
    contactflaggedasspam: 'complaint',
    unsubscribedviama: 'unsubscribe',
    unsubscribedviaemail: 'unsubscribe',
    unsubscribedviaapi: 'unsubscribe',
  } satisfies Record<string, Cause>),
);
/** If the entry names a sender, these apply only to that sender: others may still mail the address. */
const SENDER_SPECIFIC: Cause[] = ['complaint', 'unsubscribe'];

const BLACKLISTED = ['emailblacklisted', 'blacklisted', 'emailblocklisted', 'blocklisted'];

/** `GET /smtp/blockedContacts`, and the CSV export of all contacts, whose column says who is blocked but not why. */
const contacts: Format = {
  name: 'brevo',
  meaning: 'blocked contacts of Brevo',
  columns: [
    { has: ['email', 'blockedat'] },
    ...BLACKLISTED.map((column) => ({
      has: ['email', column],
      lacks: ['blockedat'],
      hasCustomNames: true as const,
    })),
  ],
  read: (row, { defaultCause }) => {
    const email = row.get('email');
    if (row.get('blockedat') === '' && row.get('reason') === '') {
      return BLACKLISTED.some((column) => isTrue(row.get(column)))
        ? { email, cause: defaultCause, createdAt: '', note: '' }
        : { skip: 'not_suppressed' };
    }
    const code = property(row.get('reason'), 'code');
    const cause = CAUSES.get(code.toLowerCase());
    if (!cause) {
      return { error: 'unknown_cause', value: code };
    }
    if (SENDER_SPECIFIC.includes(cause) && row.get('senderemail') !== '') {
      return { skip: 'one_sender' };
    }
    return { email, cause, createdAt: row.get('blockedat'), note: property(row.get('reason'), 'message') };
  },
};

export const BREVO_FORMATS = [contacts];
