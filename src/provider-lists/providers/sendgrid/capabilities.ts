import type { AdditionCapability, ListCapability, RemovalCapability } from '../provider.js';

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

const ADD = {
  list: 'unsubscribes',
  becomes: 'unsubscribe',
  permission: 'asm.groups.suppressions.create',
  source: GLOBAL,
} as const;

/** Only global unsubscribes can be added, whatever the cause. */
export const SENDGRID_ADDITIONS: readonly AdditionCapability[] = [
  { cause: 'bounce', ...ADD },
  { cause: 'complaint', ...ADD },
  { cause: 'manual', ...ADD },
  { cause: 'unsubscribe', ...ADD },
];

export const SENDGRID_REMOVALS: readonly RemovalCapability[] = [
  {
    list: 'bounces',
    permission: 'suppression.bounces.delete',
    hasBounces: true,
    refuses: [],
    source: `${API}/bounces-api/delete-a-bounce`,
  },
  {
    list: 'invalid_emails',
    permission: 'suppression.invalid_emails.delete',
    hasBounces: true,
    refuses: [],
    source: `${API}/invalid-e-mails-api/delete-a-specific-invalid-email`,
  },
  {
    list: 'spam_reports',
    permission: 'suppression.spam_reports.delete',
    refuses: [],
    source: `${API}/spam-reports-api/delete-a-specific-spam-report`,
  },
  {
    list: 'unsubscribes',
    permission: 'asm.groups.suppressions.delete',
    refuses: [],
    source: `${API}/suppressions-global-suppressions/delete-a-global-suppression`,
  },
];
