import { v5 as uuidv5 } from 'uuid';
import { isId, LOWEST_ID } from '../../validation/parsers.js';
import { storable } from './delivery-event.js';
import { isObject, parseJsonText, textAt } from './json.js';

/** The namespace of all derived ids. It must never change, or the same mail would get another id. */
const NAMESPACE = '947dfe23-d495-420a-bc5a-101721e3c797';
/** RFC 9562, section 5.9. */
const NIL_ID = LOWEST_ID;

/** The ids of the email that an event is about. */
export interface MailIdentity {
  /** The sender's own id, from the field that the source names. */
  own?: string | undefined;
  provider: string;
  /** What the provider calls its id. */
  idKind: string;
  id: string | undefined;
}

/**
 * The sender's own UUID, else the provider's, else a UUIDv5 (RFC 9562, section 5.5) of the provider's id, else null.
 * The nil UUID names nothing.
 */
export function emailIdOf({ own, provider, idKind, id }: MailIdentity): string | null {
  const ownId = uuidIn(own);
  const name = storable(id);
  if (ownId || !name || name === NIL_ID) {
    return ownId;
  }
  return uuidIn(name) ?? uuidv5([provider, idKind, name].join('\0'), NAMESPACE);
}

/** A text as a UUID in lower case; null if it is not a UUID, or nil. */
export function uuidIn(text: string | undefined): string | null {
  const uuid = text?.trim().toLowerCase();
  return uuid && isId(uuid) && uuid !== NIL_ID ? uuid : null;
}

/** RFC 5322, section 3.6.4, without its angle brackets: providers and servers write it with them or without. */
export function withoutBrackets(messageId: string | undefined): string | undefined {
  return messageId?.trim().replace(/^<(.*)>$/s, '$1');
}

/**
 * A field of free text that a sender attached to a mail: JSON, `name:value` pairs with `|` between them (Brevo's
 * custom header), or the text as a whole.
 */
export function fieldOfText(text: string | undefined, field: string): string | undefined {
  if (text === undefined) {
    return undefined;
  }
  const pair = text.split('|').find((candidate) => candidate.trim().startsWith(`${field}:`));
  return jsonField(text, field) ?? pair?.trim().slice(field.length + 1) ?? text;
}

function jsonField(text: string, field: string): string | undefined {
  try {
    const json = parseJsonText(text);
    return isObject(json) ? textAt(json, field) : undefined;
  } catch {
    return undefined;
  }
}
