import type { AdditionCapability, ListCapability } from '../provider.js';

const API = 'https://www.twilio.com/docs/sendgrid/api-reference';
const GLOBAL = `${API}/suppressions-global-suppressions/add-recipient-addresses-to-the-global-suppression-group`;

/** Blocks are left out: SendGrid itself keeps sending to blocked addresses. So are groups, which stop one kind of mail. */
export const SENDGRID_LISTS: readonly ListCapability[] = [
  {
    list: 'bounces',
    format: 'sendgrid-bounces',
    address: 'email',
    permission: 'suppression.bounces.read',
    source: `${API}/bounces-api/retrieve-all-bounces`,
  },
  {
    list: 'invalid_emails',
    format: 'sendgrid-invalid',
    address: 'email',
    permission: 'suppression.invalid_emails.read',
    source: `${API}/invalid-e-mails-api/retrieve-all-invalid-emails`,
  },
  {
    list: 'spam_reports',
    format: 'sendgrid-spam-reports',
    address: 'email',
    permission: 'suppression.spam_reports.read',
    source: `${API}/spam-reports-api/retrieve-all-spam-reports`,
  },
  {
    list: 'unsubscribes',
    format: 'sendgrid-global-unsubscribes',
    address: 'email',
    permission: 'suppression.unsubscribes.read',
    source: `${API}/suppressions-global-suppressions/retrieve-all-global-suppressions`,
  },
];

/** Only global unsubscribes can be added, whatever the cause. */
export const SENDGRID_ADDITIONS: readonly AdditionCapability[] = [
  { cause: 'bounce', list: 'unsubscribes', source: GLOBAL },
  { cause: 'complaint', list: 'unsubscribes', source: GLOBAL },
  { cause: 'manual', list: 'unsubscribes', source: GLOBAL },
];
