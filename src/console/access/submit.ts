import type { VNode } from 'preact';
import { ApiError } from '../../http/api-error.js';
import { Page, type HtmlResponse } from '../../http/html-response.js';
import { OperatorError } from '../../process/operator-error.js';

/**
 * Handles a form. If the service refuses it, the page comes again with the reason and with what the person had entered.
 *
 * @param work - returns the response to a form that was accepted
 * @param again - the page with the form
 */
export async function submit(
  work: () => Promise<HtmlResponse>,
  again: (problem: string) => Promise<VNode> | VNode,
): Promise<HtmlResponse> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperatorError || (error instanceof ApiError && error.statusCode < 500))) {
      throw error;
    }
    const { statusCode: status, headers } =
      error instanceof ApiError ? error : { statusCode: 422, headers: {} };
    return new Page(await again(error.message), { status, headers });
  }
}
