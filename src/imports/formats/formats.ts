import { BREVO_FORMATS } from './brevo.js';
import { matches, type FileNames, type Format, type Refusal } from './format.js';
import { csv, plain } from './generic.js';
import { LISTMONK_FORMATS } from './listmonk.js';
import { MAILCHIMP_FORMATS, MAILCHIMP_REFUSALS } from './mailchimp.js';
import { MAILGUN_FORMATS, MAILGUN_REFUSALS } from './mailgun.js';
import { MAILJET_FORMATS } from './mailjet.js';
import { MANDRILL_FORMATS, MANDRILL_REFUSALS } from './mandrill.js';
import { OWN_FORMATS } from './own-export.js';
import { POSTMARK_FORMATS } from './postmark.js';
import { RESEND_FORMATS } from './resend.js';
import { SENDGRID_FORMATS } from './sendgrid.js';
import { SES_FORMATS, SES_REFUSALS } from './ses.js';
import { SPARKPOST_FORMATS } from './sparkpost.js';

const PROVIDER_FORMATS: Format[] = [
  ...SES_FORMATS,
  ...SENDGRID_FORMATS,
  ...MAILGUN_FORMATS,
  ...POSTMARK_FORMATS,
  ...SPARKPOST_FORMATS,
  ...BREVO_FORMATS,
  ...MAILJET_FORMATS,
  ...MANDRILL_FORMATS,
  ...MAILCHIMP_FORMATS,
  ...RESEND_FORMATS,
  ...LISTMONK_FORMATS,
  ...OWN_FORMATS,
];

const FORMATS = new Map([...PROVIDER_FORMATS, csv, plain].map((format) => [format.name, format]));

const REFUSALS: Refusal[] = [
  ...SES_REFUSALS,
  ...MAILGUN_REFUSALS,
  ...MANDRILL_REFUSALS,
  ...MAILCHIMP_REFUSALS,
];

export const FORMAT_NAMES = [...FORMATS.keys()];

/** @param name - one of {@link FORMAT_NAMES} */
export function getFormat(name: string): Format {
  return FORMATS.get(name)!;
}

/**
 * The formats that a file may have: those whose files have custom names first, because these may be any, and `csv` only if no
 * provider's fits.
 */
export function matchingFormats(file: FileNames): Format[] {
  const isMatch = ({ columns }: Format) => columns.some((variant) => matches(variant, file));
  const found = [customFormats(file), PROVIDER_FORMATS.filter(isMatch)].find(({ length }) => length > 0);
  return found ?? [csv].filter(isMatch);
}

function customFormats(file: FileNames): Format[] {
  return PROVIDER_FORMATS.filter(({ columns }) =>
    columns.some((variant) => variant.hasCustomNames && matches(variant, file)),
  );
}

export function findRefusal(file: FileNames): Refusal | undefined {
  return customFormats(file).length > 0
    ? undefined
    : REFUSALS.find(({ columns }) => columns.some((variant) => matches(variant, file)));
}
