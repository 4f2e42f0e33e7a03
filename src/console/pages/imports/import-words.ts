import { DATE_FORMATS } from '../../../imports/dates.js';
import type { RowError, SkipReason } from '../../../imports/formats/format.js';
import { FORMAT_NAMES } from '../../../imports/formats/formats.js';
import type { FoundImport } from '../../../imports/imports.repository.js';
import type { JobStatus } from '../../../jobs/job.entity.js';

const PROVIDERS: Record<string, string> = {
  brevo: 'Brevo',
  listmonk: 'listmonk',
  mailchimp: 'Mailchimp',
  mailgun: 'Mailgun',
  mailjet: 'Mailjet',
  mandrill: 'Mandrill',
  postmark: 'Postmark',
  resend: 'Resend',
  sendgrid: 'SendGrid',
  ses: 'Amazon SES',
  sparkpost: 'SparkPost',
};

const GENERIC: Record<string, string> = {
  csv: 'CSV with a column of addresses',
  plain: 'One address on each line',
};

/** `SendGrid: bounces` */
export function formatName(format: string): string {
  const [provider = '', ...rest] = format.split('-');
  const name = PROVIDERS[provider];
  return GENERIC[format] ?? (name ? [name, rest.join(' ')].filter(Boolean).join(': ') : format);
}

export const FORMAT_CHOICES = Object.fromEntries(FORMAT_NAMES.map((name) => [name, formatName(name)]));

export const DATE_FORMAT_CHOICES = Object.fromEntries(DATE_FORMATS.map((format) => [format, format]));

export const SKIP_NAMES: Record<SkipReason, string> = {
  block: 'the sender was blocked, which says nothing about the address',
  soft_bounce: 'the bounce was temporary',
  expired: 'the entry has expired',
  one_group: 'the recipient left one group only',
  one_sender: 'the entry applies to one sender only',
  not_suppressed: 'the entry is not a suppression',
  removed_since: 'the address was removed, or opted in, after the date of the entry',
};

export const ROW_ERROR_NAMES: Record<RowError, string> = {
  invalid_email: 'Not an address',
  unknown_cause: 'Unknown cause',
  invalid_date: 'Not a date',
  ambiguous_date: 'A date whose format must be chosen',
  malformed_row: 'Malformed row',
};

export function isUnderWay({ status }: FoundImport): boolean {
  return status === 'queued' || status === 'running';
}

export function canBeReverted(job: FoundImport): boolean {
  return !job.dryRun && !isUnderWay(job) && job.status !== 'reverted';
}

export const TONES: Record<JobStatus, string> = {
  uploading: 'plain',
  queued: 'warn',
  running: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: 'plain',
  reverted: 'plain',
};
