import { FORMAT_NAMES } from './formats.js';

const MEANINGS: Readonly<Record<string, string>> = {
  'ses-list': 'the JSON of `aws sesv2 list-suppressed-destinations`',
  'ses-import': 'the file of an import job of Amazon SES',
  'sendgrid-bounces': 'bounces of SendGrid',
  'sendgrid-blocks': 'blocks of SendGrid, all of which are skipped',
  'sendgrid-invalid': 'invalid emails of SendGrid',
  'sendgrid-spam-reports': 'spam reports of SendGrid',
  'sendgrid-global-unsubscribes': 'global unsubscribes of SendGrid',
  'sendgrid-group-unsubscribes': 'group unsubscribes of SendGrid, all of which are skipped',
  'mailgun-bounces': 'bounces of Mailgun',
  'mailgun-complaints': 'complaints of Mailgun',
  'mailgun-unsubscribes': 'unsubscribes of Mailgun',
  postmark: 'the suppressions of a message stream of Postmark',
  sparkpost: 'the suppression list of SparkPost',
  brevo: 'blocked contacts of Brevo',
  mailjet: 'contacts of Mailjet',
  mandrill: 'the rejection denylist of Mandrill',
  'mailchimp-cleaned': 'cleaned contacts of Mailchimp',
  'mailchimp-unsubscribed': 'unsubscribed contacts of Mailchimp',
  resend: 'the suppressions of Resend',
  listmonk: 'subscribers of listmonk',
  export: 'an export of this service',
  'topic-export': 'an export of the preferences for a topic',
  csv: 'any other CSV with a column of addresses',
  plain: 'one address per line',
};

export const FORMAT_MEANINGS = Object.fromEntries(FORMAT_NAMES.map((name) => [name, MEANINGS[name]!]));
