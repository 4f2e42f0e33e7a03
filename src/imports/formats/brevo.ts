import { causeNamed, isTrue, property, readEntry, type CauseNames, type Format } from './format.js';

/** https://developers.brevo.com/reference/get-transac-blocked-contacts: `reason.code`. */
const CAUSES: CauseNames = {
  hardbounce: 'bounce',
  adminblocked: 'manual',
  contactflaggedasspam: 'complaint',
  unsubscribedviama: 'unsubscribe',
  unsubscribedviaemail: 'unsubscribe',
  unsubscribedviaapi: 'unsubscribe',
};
/** If the entry names a sender, these apply only to that sender: others may still mail the address. */
const SENDER_SPECIFIC: unknown[] = ['complaint', 'unsubscribe'];

const BLACKLISTED = ['emailblacklisted', 'blacklisted', 'emailblocklisted', 'blocklisted'];

/** `GET /smtp/blockedContacts`, and the CSV export of all contacts, whose column says who is blocked but not why. */
export const BREVO: Format = {
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
    if (row.get('blockedat') === '' && row.get('reason') === '') {
      const isBlocked = BLACKLISTED.some((column) => isTrue(row.get(column)));
      return readEntry(row, isBlocked ? defaultCause : { skip: 'not_suppressed' }, {});
    }
    const code = property(row.get('reason'), 'code');
    const cause = causeNamed(CAUSES, code);
    if (SENDER_SPECIFIC.includes(cause) && row.get('senderemail') !== '') {
      return { skip: 'one_sender' };
    }
    return readEntry(row, cause, { createdAt: ['blockedat'], note: property(row.get('reason'), 'message') });
  },
};
