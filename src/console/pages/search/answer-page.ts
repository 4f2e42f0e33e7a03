import type { HtmlResponse } from '../../../http/responses/html-response.js';
import type { Visit } from '../../access/visit.js';
import { textOf } from '../../components/form.js';
import type { AddressAnswers } from './address-answers.js';
import { readSuppressionRef } from './search-ref.js';
import { SearchPage } from './search.view.js';

/** The page for the address of a form that the service refused. */
export async function answerPage(refused: Visit, answers: AddressAnswers): Promise<HtmlResponse> {
  const query = textOf(refused.form, 'email');
  const answer = await answers.find(refused.accountId, readSuppressionRef(query));
  return SearchPage({ visitor: refused, query, answer });
}
