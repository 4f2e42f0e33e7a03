import type { VNode } from 'preact';
import { ApiError } from '../../http/errors/api-error.js';
import { HtmlPage, SeeOther, type HtmlResponse } from '../../http/responses/html-response.js';
import { OperatorError } from '../../process/operator-error.js';
import type { Visit } from './visit.js';
import { inWordsOfForm } from './words-of-form.js';

/** Leads to the page that shows a change, and says there once what was done. */
export class Done extends SeeOther {
  /** @param message - a sentence */
  constructor(
    location: string,
    readonly message: string,
  ) {
    super(location);
  }
}

/**
 * Handles a form. If the service refuses it, the page with the form comes again, with the reason and with what the person
 * entered.
 *
 * @param handle - returns the response to a form that was accepted
 * @param show - returns the page with the form
 */
export function submit(
  visit: Visit,
  handle: () => Promise<HtmlResponse>,
  show: (refused: Visit) => Promise<HtmlResponse> | HtmlResponse,
): Promise<HtmlResponse> {
  return handleOrShow(handle, (problem) => {
    const hasForm = Object.keys(visit.form).length > 0;
    const entered = hasForm ? { action: visit.path, fields: visit.form } : undefined;
    return show({ ...visit, query: {}, entered, problem });
  });
}

/** @param show - returns the page that shows why the service refused the form */
export async function handleOrShow(
  handle: () => Promise<HtmlResponse>,
  show: (problem: string) => Promise<HtmlResponse> | HtmlResponse,
): Promise<HtmlResponse> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof OperatorError || (error instanceof ApiError && error.statusCode < 500))) {
      throw error;
    }
    const { statusCode: status, headers } =
      error instanceof ApiError ? error : { statusCode: 422, headers: {} };
    const page = await show(inWordsOfForm(error));
    return page instanceof HtmlPage
      ? new HtmlPage(page.document, { ...page.options, status, headers })
      : new HtmlPage(page as VNode, { status, headers });
  }
}
