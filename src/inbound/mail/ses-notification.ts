import { toAddress } from './address-text.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { FailedRecipient } from './delivery-status.js';
import { header, type Message } from './message.js';

/** What Amazon SES tells through SNS, which can send it on by mail: JSON as the text of a message. */
export interface SesNotification {
  failures: FailedRecipient[];
  complained: EmailAddress[];
}

const MAX_LENGTH = 256 * 1024;
const MAX_RECIPIENTS = 100;

const NOTHING: SesNotification = { failures: [], complained: [] };

/** Reads the JSON at the beginning of the text, which SNS follows with a note of its own. */
export function readSesNotification(message: Message): SesNotification {
  if (header(message, 'x-amz-sns-message-id') === '') {
    return NOTHING;
  }
  const notification = parse(message.text.slice(0, MAX_LENGTH));
  const bounce = field(notification, 'bounce');
  const complaint = field(notification, 'complaint');
  return {
    failures: list(bounce, 'bouncedRecipients').filter(isFailure).map(toFailure),
    complained: list(complaint, 'complainedRecipients')
      .map(addressOf)
      .filter((address) => address !== undefined),
  };
}

/** Long lines are folded under way, and white space between words of JSON says nothing. */
function parse(text: string): unknown {
  const json = text.split('\n--', 1)[0]!.replaceAll('\n', '').trim();
  try {
    return json.startsWith('{') ? JSON.parse(json) : undefined;
  } catch {
    return undefined;
  }
}

function field(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null
    ? (object as Record<string, unknown>)[name]
    : undefined;
}

function list(object: unknown, name: string): unknown[] {
  const value = field(object, name);
  return Array.isArray(value) ? value.slice(0, MAX_RECIPIENTS) : [];
}

function stringIn(object: unknown, name: string): string | null {
  const value = field(object, name);
  return typeof value === 'string' ? value : null;
}

function addressOf(recipient: unknown): EmailAddress | undefined {
  return toAddress(stringIn(recipient, 'emailAddress') ?? undefined);
}

function isFailure(recipient: unknown): boolean {
  return (stringIn(recipient, 'action') ?? 'failed') === 'failed';
}

function toFailure(recipient: unknown): FailedRecipient {
  return {
    original: addressOf(recipient),
    final: undefined,
    status: stringIn(recipient, 'status'),
    diagnostic: stringIn(recipient, 'diagnosticCode')?.replace(/^smtp;\s*/, '') ?? null,
  };
}
