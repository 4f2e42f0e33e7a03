import type { Request } from 'express';
import { ValidationError } from '../http/errors.js';

/** Enough for the ids of 10,000 topics. */
const MAX_BYTES = 1024 * 1024;

/** What a button of the page does. */
export const ACTIONS = ['unsubscribe', 'undo', 'preferences'] as const;

export interface ActionForm {
  /** `one_click` unless a button of the page was pressed. */
  action: (typeof ACTIONS)[number] | 'one_click';
  fields: URLSearchParams;
}

/**
 * Reads a form of the page. Mail programs send other bodies, of any type, or none (RFC 8058, section 3.2): they are left
 * unread, since a POST always means the same.
 */
export async function readActionForm(request: Request): Promise<ActionForm> {
  const fields = new URLSearchParams(request.is('urlencoded') ? await readText(request) : '');
  const action = ACTIONS.find((one) => one === fields.get('action')) ?? 'one_click';
  return { action, fields };
}

/** Empty if the body is longer than a form of the page can be. */
async function readText(request: Request): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= MAX_BYTES) {
        chunks.push(chunk);
      }
    }
  } catch {
    throw ValidationError.ofRequest('The body did not arrive completely.');
  }
  return bytes <= MAX_BYTES ? Buffer.concat(chunks).toString('utf8') : '';
}
