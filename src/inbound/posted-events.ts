import { randomUUID } from 'node:crypto';
import { parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import type { FieldError } from '../http/errors/error-body.js';
import { ValidationError } from '../http/errors/errors.js';
import { Invalid, parseId, parseTimestamp } from '../validation/parsers.js';
import { findUnknownFields } from '../validation/unknown-fields.js';
import type { DeliveryEvent } from './parsing/delivery-event.js';
import { isObject } from './parsing/json.js';
import { contentKey, deliveryEvent, eventKey } from './parsing/report.js';
import { isTooFarAhead } from './parsing/timestamp.js';
import type { Classification } from './policy/classify.js';
import { byDiagnostic } from './policy/mapping.js';

export const POSTED_EVENT_TYPES = ['bounce', 'complaint', 'unsubscribe'] as const;

export type PostedEventType = (typeof POSTED_EVENT_TYPES)[number];

const REPORTED_BY_MAILER = 'The mailer that sent the message reported it.';

/**
 * The event as the inbox stores it. A repetition is recognized by the Idempotency-Key of the request or, if the event has a
 * time, by its content. Without either, each event is new, even if it names its mail, because a recipient may unsubscribe from
 * the same mail again.
 *
 * @param index - of the event in the request
 */
export function toDeliveryEvent(
  event: PostedEvent,
  index: number,
  idempotencyKey: string | undefined,
): DeliveryEvent {
  const { type, email, source_id: emailId, occurred_at: occurredAt, status, diagnostic } = event;
  const content = contentKey([type, email, emailId, occurredAt, status, diagnostic]);
  const key = occurredAt === null ? randomUUID() : content;
  return deliveryEvent({
    key: idempotencyKey === undefined ? key : eventKey('key', idempotencyKey, String(index), content),
    recipient: email,
    emailId,
    occurredAt,
    status,
    diagnostic,
    ...classificationOf(event),
  });
}

/** Without a status and a diagnostic, a bounce suppresses as reported. */
function classificationOf({ type, status, diagnostic }: PostedEvent): Classification {
  return type === 'bounce' && (status ?? diagnostic) !== null
    ? byDiagnostic({ status, diagnostic })
    : { kind: type, effect: 'suppress', reason: REPORTED_BY_MAILER };
}

export const MAX_POSTED_EVENTS = 100;
/** RFC 3463, section 2. 2.x.x reports a success. */
const FAILURE_STATUS = /^[45]\.\d{1,3}\.\d{1,3}$/;
export const MAX_DIAGNOSTIC_LENGTH = 2_000;
type Parse<T> = (value: unknown) => T | Invalid;

const FIELDS = {
  type: parseType,
  email: parseEmail,
  source_id: optional(parseId),
  occurred_at: optional(parseOccurredAt),
  status: optional(parseStatus),
  diagnostic: optional(parseDiagnostic),
} satisfies Record<string, Parse<unknown>>;

type PostedEvent = {
  [Field in keyof typeof FIELDS]: Exclude<ReturnType<(typeof FIELDS)[Field]>, Invalid>;
};

/**
 * Reads one event, or an array of them.
 *
 * @throws {ValidationError} naming every field that is invalid or unknown
 */
export function parsePostedEvents(body: unknown): PostedEvent[] {
  if (!Array.isArray(body)) {
    return parseAll([body], () => '');
  }
  if (body.length < 1 || body.length > MAX_POSTED_EVENTS) {
    throw ValidationError.ofRequest(
      `The body must be an event, or an array of 1 to ${MAX_POSTED_EVENTS} events.`,
    );
  }
  return parseAll(body, (index) => `[${index}].`);
}

function parseAll(elements: unknown[], prefixOf: (index: number) => string): PostedEvent[] {
  const errors: FieldError[] = [];
  const events = elements.map((element, index) => parseEvent(element, prefixOf(index), errors));
  if (errors.length > 0) {
    throw ValidationError.ofFields(errors);
  }
  return events;
}

/** Adds the problems of the event to `errors`. If there are any, the returned event must not be used. */
function parseEvent(element: unknown, prefix: string, errors: FieldError[]): PostedEvent {
  const fields = isObject(element) ? element : {};
  const report = (path: string, message: string) => errors.push({ path: `${prefix}${path}`, message });
  const entries = Object.entries(FIELDS).map(([field, parse]) => {
    const value = parse(fields[field]);
    if (value instanceof Invalid) {
      report(field, value.problem);
    }
    return [field, value];
  });
  const unknown = findUnknownFields(Object.keys(fields), Object.keys(FIELDS));
  unknown.forEach(({ path, message }) => report(path, message));
  return Object.fromEntries(entries) as PostedEvent;
}

function parseType(value: unknown): PostedEventType | Invalid {
  return (
    POSTED_EVENT_TYPES.find((type) => type === value) ??
    new Invalid('must be bounce, complaint or unsubscribe')
  );
}

function parseEmail(value: unknown): EmailAddress | Invalid {
  return value === undefined ? new Invalid('must be given') : parseEmailAddress(value);
}

function parseOccurredAt(value: unknown): Date | Invalid {
  const timestamp = parseTimestamp(value);
  if (timestamp instanceof Invalid) {
    return timestamp;
  }
  return isTooFarAhead(timestamp.floor, Date.now())
    ? new Invalid('must not be more than 24 hours in the future')
    : new Date(timestamp.floor);
}

function parseStatus(value: unknown): string | null | Invalid {
  const text = typeof value === 'string' ? value.trim() : undefined;
  return text === undefined || (text !== '' && !FAILURE_STATUS.test(text))
    ? new Invalid('must be the enhanced status code of a failure, such as 5.1.1 or 4.2.2')
    : text || null;
}

/** A blank text counts as absent. */
function parseDiagnostic(value: unknown): string | null | Invalid {
  if (typeof value !== 'string' || value.length > MAX_DIAGNOSTIC_LENGTH) {
    return new Invalid(`must be a string of at most ${MAX_DIAGNOSTIC_LENGTH} characters`);
  }
  return value.trim() === '' ? null : value;
}

function optional<T>(parse: Parse<T>): Parse<T | null> {
  return (value) => (value === undefined || value === null ? null : parse(value));
}
