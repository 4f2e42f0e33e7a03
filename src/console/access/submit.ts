import type { VNode } from 'preact';
import { ApiError } from '../../http/errors/api-error.js';
import { HtmlPage, type HtmlResponse } from '../../http/responses/html-response.js';
import { OperatorError } from '../../process/operator-error.js';

/** What the console says in place of messages that are about the API, by the code of the error. */
const SENTENCES: Readonly<Record<string, string>> = {
  removal_not_allowed:
    'Nothing was lifted: this account guards removals. Open the page again to see who may lift it.',
  opt_in_not_allowed:
    'Nothing was changed: this account guards removals. After an opt-out, only an admin opts a recipient in again, with ' +
    'a record of the recipient’s consent.',
  webhook_disabled: 'The webhook is disabled. Enable it first.',
};

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
    const sentence = error instanceof ApiError ? SENTENCES[error.code] : undefined;
    const page = await again(sentence ?? error.message);
    return page instanceof HtmlPage
      ? new HtmlPage(page.document, { ...page.options, status, headers })
      : new HtmlPage(page, { status, headers });
  }
}
