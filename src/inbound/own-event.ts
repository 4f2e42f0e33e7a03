import { randomUUID } from 'node:crypto';
import { parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import type { FieldError } from '../http/error-body.js';
import { ValidationError } from '../http/errors.js';
import { Invalid } from '../validation/invalid.js';
import { parseInstant } from '../validation/timestamp.js';
import { parseId } from '../validation/id.js';
import { contentKey, deliveryEvent, eventKey, type DeliveryEvent } from './parsing/delivery-event.js';
import { isObject } from './parsing/json.js';
import type { Classification } from './policy/classify.js';
import { byDiagnostic } from './policy/mapping.js';

export const OWN_EVENT_TYPES = ['bounce', 'complaint', 'unsubscribe'] as const;

export type OwnEventType = (typeof OWN_EVENT_TYPES)[number];

/** More than one, in an array, up to so many. */
export const MAX_OWN_EVENTS = 100;
const MAX_STATUS_LENGTH = 32;
const MAX_DIAGNOSTIC_LENGTH = 2_000;

const SAID_SO = 'The mailer that sent the message says so.';

/** What a mailer of the account's own tells. */
export interface OwnEvent {
  type: OwnEventType;
  email: EmailAddress;
  emailId: string | null;
  occurredAt: Date | null;
  status: string | null;
  diagnostic: string | null;
}

/**
 * Reads one event, or an array of them.
 *
 * @throws {ValidationError} naming every field that is wrong; then none is taken
 */
export function parseOwnEvents(body: unknown): OwnEvent[] {
  if (!Array.isArray(body)) {
    return parseAll([body], () => '');
  }
  if (body.length < 1 || body.length > MAX_OWN_EVENTS) {
    throw ValidationError.ofRequest(
      `The body must be an event, or an array of 1 to ${MAX_OWN_EVENTS} events.`,
    );
  }
  return parseAll(body, (index) => `[${index}].`);
}

/**
 * As the inbox takes it. The same event told again is known by the caller's key for the request, else by its content where
 * that names a mail or a moment; an event with neither is a new one each time.
 */
export function ownDeliveryEvent(
  event: OwnEvent,
  index: number,
  requestKey: string | undefined,
): DeliveryEvent {
  const { type, email, emailId, occurredAt, status, diagnostic } = event;
  const content = contentKey([type, email, emailId, occurredAt, status, diagnostic]);
  const isNamed = emailId !== null || occurredAt !== null;
  const key = isNamed ? content : randomUUID();
  return deliveryEvent({
    key: requestKey === undefined ? key : eventKey('key', requestKey, String(index), content),
    recipient: email,
    emailId,
    occurredAt,
    status,
    diagnostic,
    ...classificationOf(event),
  });
}

/** A bounce without a word is believed; one with words is judged by them, as everybody's. */
function classificationOf({ type, status, diagnostic }: OwnEvent): Classification {
  return type === 'bounce' && (status ?? diagnostic) !== null
    ? byDiagnostic({ status, diagnostic })
    : { kind: type, effect: 'suppress', reason: SAID_SO };
}

function parseAll(elements: unknown[], prefixOf: (index: number) => string): OwnEvent[] {
  const errors: FieldError[] = [];
  const events = elements.map((element, index) => {
    const fields = isObject(element) ? element : {};
    const read = <T>(field: string, parse: (value: unknown) => T | Invalid): T => {
      const value = parse(fields[field]);
      if (value instanceof Invalid) {
        errors.push({ path: `${prefixOf(index)}${field}`, message: value.problem });
      }
      return value as T;
    };
    return {
      type: read('type', parseType),
      email: read('email', (value): EmailAddress | Invalid => parseEmailAddress(value)),
      emailId: read('source_id', optional(parseId)),
      occurredAt: read('occurred_at', optional(parseMoment)),
      status: read('status', optional(textOf(MAX_STATUS_LENGTH))),
      diagnostic: read('diagnostic', optional(textOf(MAX_DIAGNOSTIC_LENGTH))),
    };
  });
  if (errors.length > 0) {
    throw ValidationError.ofFields(errors);
  }
  return events;
}

function parseType(value: unknown): OwnEventType | Invalid {
  return (
    OWN_EVENT_TYPES.find((type) => type === value) ?? new Invalid('must be bounce, complaint or unsubscribe')
  );
}

function parseMoment(value: unknown): Date | Invalid {
  const instant = parseInstant(value);
  return instant instanceof Invalid ? instant : new Date(instant.floor);
}

/** One that is blank says nothing, as if it were not there. */
function textOf(maxLength: number): (value: unknown) => string | null | Invalid {
  return (value) =>
    typeof value === 'string' && value.length <= maxLength
      ? value.trim() === ''
        ? null
        : value
      : new Invalid(`must be a string of at most ${maxLength} characters`);
}

function optional<T>(parse: (value: unknown) => T | Invalid): (value: unknown) => T | Invalid | null {
  return (value) => (value === undefined || value === null ? null : parse(value));
}
