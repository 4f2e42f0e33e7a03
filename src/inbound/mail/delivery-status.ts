import type { EmailAddress } from '../../email-address/email-address.js';
import { decodeXtext, readTypedAddress } from './address-text.js';
import { byName, readFieldGroups, type Field } from './header-fields.js';

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

/** `failed`, and what servers write in its place. */
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

/** Some add blank lines: fields that name no recipient belong to the preceding one. */
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
