import type { Request } from 'express';
import { readArriving } from '../http/requests/senders.js';
import { PayloadTooLargeError } from '../http/errors/body-errors.js';
import { ValidationError } from '../http/errors/errors.js';

/** Enough for 10,000 topics. */
const MAX_BYTES = 1024 * 1024;
const MAX_FIELDS = 30_002;

/** The beginning of every form of the page, with or without a button. */
const FORM_OF_PAGE = /^(?:action|everything|shown|topic)=/;

export const ACTIONS = ['unsubscribe', 'undo', 'preferences', 'resubscribe'] as const;

export interface ActionForm {
  /** `one_click` unless a button of the page was pressed. */
  action: (typeof ACTIONS)[number] | 'one_click';
  fields: URLSearchParams;
}

/**
 * Reads a form of the page. Mail programs send other bodies of any type, or none (RFC 8058, section 3.2). These are not parsed,
 * since such a POST always means the same.
 *
 * @throws {ServiceUnavailableError} if too many bodies of recipients are still arriving
 * @throws {PayloadTooLargeError} so that a form that cannot be read opts nobody out
 */
export async function readActionForm(request: Request): Promise<ActionForm> {
  const text = request.is('urlencoded')
    ? await readArriving(request, () => readText(request), 'recipients')
    : '';
  const fields = new URLSearchParams(FORM_OF_PAGE.test(text) ? text : '');
  const action = ACTIONS.find((name) => name === fields.get('action')) ?? 'one_click';
  return { action, fields };
}

async function readText(request: Request): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= MAX_BYTES || chunks.length === 0) {
        chunks.push(chunk);
      }
    }
  } catch {
    throw ValidationError.ofRequest('The body did not arrive completely.');
  }
  const text = Buffer.concat(chunks).toString('utf8');
  if (FORM_OF_PAGE.test(text) && (bytes > MAX_BYTES || countFields(text) > MAX_FIELDS)) {
    throw new PayloadTooLargeError(MAX_BYTES);
  }
  return text;
}

function countFields(text: string): number {
  let fields = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    fields++;
  }
  return fields;
}
