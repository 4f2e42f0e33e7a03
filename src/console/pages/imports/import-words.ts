import { DATE_FORMATS } from '../../../imports/dates.js';
import type { RowError, SkipReason } from '../../../imports/formats/format.js';
import { FORMAT_NAMES } from '../../../imports/formats/formats.js';
import type { FoundImport, StoredError } from '../../../imports/imports.repository.js';
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

const SHOWN_GROUPS = 20;
const SHOWN_LINES = 5;

/** Rows that could not be read for the same reason, since they have the same value. */
export interface AlikeRows {
  code: string;
  value: string;
  /** `3, 7 and 12 more`, or `3, 7 and more` if not all are known */
  lines: string;
}

export interface RefusedRows {
  groups: AlikeRows[];
  /** Whether these are all refused rows of the file. */
  areAll: boolean;
}

/**
 * Groups the first refused rows of a file by their problem and value.
 *
 * @param total - how many rows of the file were refused
 */
export function groupRefused(errors: readonly StoredError[], total: number): RefusedRows {
  const groups = new Map<string, StoredError[]>();
  for (const error of errors) {
    const key = JSON.stringify([error.code, error.value]);
    groups.set(key, [...(groups.get(key) ?? []), error]);
  }
  const areKnown = errors.length === total;
  const shown = [...groups.values()].slice(0, SHOWN_GROUPS).map((alike) => {
    const { code, value } = alike[0]!;
    return { code, value, lines: linesOf(alike, areKnown) };
  });
  return { groups: shown, areAll: areKnown && groups.size <= SHOWN_GROUPS };
}

function linesOf(errors: readonly StoredError[], areKnown: boolean): string {
  const lines = [...new Set(errors.map(({ line }) => line))];
  const shown = lines.slice(0, SHOWN_LINES).join(', ');
  const more = areKnown ? `${lines.length - SHOWN_LINES} more` : 'more';
  return lines.length > SHOWN_LINES ? `${shown} and ${more}` : shown;
}
