import type { VNode } from 'preact';
import { ApiError } from '../../http/errors/api-error.js';
import { HtmlPage, type HtmlResponse } from '../../http/responses/html-response.js';
import { OperatorError } from '../../process/operator-error.js';
import { inWordsOfForm } from './words-of-form.js';

/**
 * Handles a form. If the service refuses it, the page with the form comes again with the reason.
 *
 * @param work - returns the response to a form that was accepted
 * @param again - the page with the form, which keeps what the person had entered
 */
export async function submit(
  work: () => Promise<HtmlResponse>,
  again: (problem: string) => Promise<VNode | HtmlPage> | VNode | HtmlPage,
): Promise<HtmlResponse> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperatorError || (error instanceof ApiError && error.statusCode < 500))) {
      throw error;
    }
    const { statusCode: status, headers } =
      error instanceof ApiError ? error : { statusCode: 422, headers: {} };
    const page = await again(inWordsOfForm(error));
    return page instanceof HtmlPage
      ? new HtmlPage(page.document, { ...page.options, status, headers })
      : new HtmlPage(page, { status, headers });
  }
}
