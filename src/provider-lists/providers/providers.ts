import { brevo } from './brevo.js';
import { mailgun } from './mailgun.js';
import { mailjet } from './mailjet.js';
import { mandrill } from './mandrill.js';
import { postmark } from './postmark.js';
import type { ListProvider } from './provider.js';
import { resend } from './resend.js';
import { sendgrid } from './sendgrid.js';
import { ses } from './ses.js';
import { sparkpost } from './sparkpost.js';

export const LIST_PROVIDERS = {
  ses,
  sendgrid,
  mailgun,
  postmark,
  resend,
  brevo,
  sparkpost,
  mailjet,
  mandrill,
} satisfies Record<string, ListProvider>;

export type ListProviderName = keyof typeof LIST_PROVIDERS;

export const LIST_PROVIDER_NAMES = Object.keys(LIST_PROVIDERS) as ListProviderName[];

export const LIST_PROVIDER_MEANINGS: Readonly<Record<ListProviderName, string>> = {
  ses: 'Amazon SES, by account and region, or by tenant',
  sendgrid: 'SendGrid, by account or subuser',
  mailgun: 'Mailgun, by domain',
  postmark: 'Postmark, by server and message stream',
  resend: 'Resend, by team',
  brevo: 'Brevo, by account',
  sparkpost: 'SparkPost, by account or subaccount',
  mailjet: 'Mailjet, by account: only contacts that are excluded from campaigns',
  mandrill: 'Mandrill (Mailchimp Transactional), by account or subaccount: at most 999 entries',
};

export function listProviderOf(name: ListProviderName): ListProvider {
  return LIST_PROVIDERS[name];
}
