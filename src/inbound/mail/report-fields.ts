import type { EmailAddress } from '../../email-address/email-address.js';
import { clip, decodeXtext, readTypedAddress } from './address-text.js';

/** A header field, or a field of a report part, which has the same syntax (RFC 5322, section 2.2). */
export interface Field {
  /** The name in lower case. */
  name: string;
  /** Unfolded, without white space around it. */
  value: string;
}

const MAX_FIELDS = 20_000;
const MAX_VALUE_LENGTH = 4_000;
const MAX_NAME_LENGTH = 77;
const FIELD_NAME = /^[!-9;-~]+$/;

/** Reads groups of fields that blank lines separate (RFC 3464, section 2.1). Folds may lack their white space. */
export function readFieldGroups(text: string): Field[][] {
  const groups: Field[][] = [];
  let group: Field[] = [];
  let count = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') {
      if (group.length > 0) {
        groups.push(group);
        group = [];
      }
      continue;
    }
    const field = /^\s/.test(line) ? undefined : readField(line);
    const last = group.at(-1);
    if (field) {
      count += 1;
      if (count > MAX_FIELDS) {
        break;
      }
      group.push(field);
    } else if (last && last.value.length < MAX_VALUE_LENGTH) {
      last.value = `${last.value} ${line.trim()}`.trim();
    }
  }
  groups.push(group);
  groups.flat().forEach((field) => (field.value = clip(field.value, MAX_VALUE_LENGTH)));
  return groups.filter(({ length }) => length > 0);
}

/** The first value of each field by its name. */
export function byName(fields: Field[]): Map<string, string> {
  const map = new Map<string, string>();
  for (const { name, value } of fields) {
    if (!map.has(name)) {
      map.set(name, value);
    }
  }
  return map;
}

function readField(line: string): Field | undefined {
  const colon = line.slice(0, MAX_NAME_LENGTH + 1).indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trimEnd();
  return FIELD_NAME.test(name)
    ? { name: name.toLowerCase(), value: line.slice(colon + 1).trim() }
    : undefined;
}

export interface DeliveryStatus {
  /** RFC 3464, section 2.2.1, decoded from xtext. */
  envelopeId: string | undefined;
  /** How many recipients it reports on, failed or not. */
  recipients: number;
  failures: FailedRecipient[];
}

export interface FailedRecipient {
  original: EmailAddress | undefined;
  /** The address at the mail server that failed: behind a forwarding, a different one. */
  final: EmailAddress | undefined;
  status: string | null;
  diagnostic: string | null;
}

/** The fields that begin the report on a recipient (RFC 3464, section 2.3). */
const RECIPIENT_FIELDS = new Set(['original-recipient', 'final-recipient', 'x-actual-recipient']);

/** `failed`, and the words that servers use instead. */
const FAILED = /^(?:fail|expired|error|undeliver)/;

/** Reads a `message/delivery-status` part (RFC 3464), without recipients that were delayed, delivered or relayed. */
export function readDeliveryStatus(text: string): DeliveryStatus {
  const groups = readFieldGroups(text);
  const envelopeId = groups.flat().find(({ name }) => name === 'original-envelope-id')?.value;
  const recipients = groups
    .flatMap(splitByRecipient)
    .reduce(joinStrays, [])
    .filter(namesRecipient)
    .map(byName);
  return {
    envelopeId: envelopeId && decodeXtext(envelopeId),
    recipients: recipients.length,
    failures: recipients.filter(isFailure).map(toFailedRecipient),
  };
}

/** Some servers omit the blank line between two recipients: a field that is repeated begins the next one. */
function splitByRecipient(group: Field[]): Field[][] {
  const recipients: Field[][] = [[]];
  const seen = new Set<string>();
  for (const field of group) {
    if (RECIPIENT_FIELDS.has(field.name) && seen.has(field.name)) {
      recipients.push([]);
      seen.clear();
    }
    seen.add(field.name);
    recipients.at(-1)!.push(field);
  }
  return recipients;
}

/** Some servers add blank lines. Fields that name no recipient belong to the preceding one. */
function joinStrays(groups: Field[][], group: Field[]): Field[][] {
  const last = groups.at(-1);
  if (last && namesRecipient(last) && !namesRecipient(group)) {
    last.push(...group);
  } else {
    groups.push([...group]);
  }
  return groups;
}

function namesRecipient(fields: Field[]): boolean {
  return fields.some(({ name }) => RECIPIENT_FIELDS.has(name));
}

/** RFC 3464, section 2.3.3; servers add comments and capitals, or omit fields that must be there. */
function isFailure(fields: Map<string, string>): boolean {
  const action = fields.get('action')?.toLowerCase();
  const status = fields.get('status') || diagnosticOf(fields);
  return action ? FAILED.test(action) : status.startsWith('5');
}

function diagnosticOf(fields: Map<string, string>): string {
  return fields.get('diagnostic-code')?.replace(/^[\w-]{1,40}\s*;\s*/, '') ?? '';
}

function toFailedRecipient(fields: Map<string, string>): FailedRecipient {
  return {
    original: readTypedAddress(fields.get('original-recipient')),
    final:
      readTypedAddress(fields.get('final-recipient')) ?? readTypedAddress(fields.get('x-actual-recipient')),
    status: /[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0] ?? null,
    diagnostic: diagnosticOf(fields) || null,
  };
}

/** A `message/feedback-report` part (RFC 5965). */
export interface FeedbackReport {
  /** The type in lower case. */
  feedbackType: string | undefined;
  recipients: EmailAddress[];
  /** The return path of the reported mail (RFC 5965, section 3.2). */
  mailFrom: EmailAddress | undefined;
}

/** At most this many recipients of a report are read. */
export const MAX_RECIPIENTS = 100;

export function readFeedbackReport(text: string): FeedbackReport {
  const fields = readFieldGroups(text).flat();
  const named = byName(fields);
  const feedbackType = /[\w-]{1,40}/.exec(named.get('feedback-type') ?? '')?.[0].toLowerCase();
  const recipients = fields
    .filter(({ name }) => name === 'original-rcpt-to' || name === 'removal-recipient')
    .slice(0, MAX_RECIPIENTS)
    .map(({ value }) => readTypedAddress(value))
    .filter((address) => address !== undefined);
  const mailFrom = readTypedAddress(named.get('original-mail-from'));
  return { feedbackType, recipients: [...new Set(recipients)], mailFrom };
}
