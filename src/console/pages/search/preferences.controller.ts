import { Body, Post } from '@nestjs/common';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import { ValidationError } from '../../../http/errors/errors.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { NoteDto } from '../../../suppressions/dto/note.dto.js';
import type { ContactTopic } from '../../../topics/contact-topic.js';
import { SetContactTopicsPipe } from '../../../topics/dto/set-contact-topics.dto.js';
import { PreferencesService } from '../../../topics/preferences.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { readAs, textOf, textsOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import { urlOf } from '../../components/pager.js';
import { listOf } from '../../components/words.js';
import { includesRole } from '../../people/roles.js';
import type { Visitor } from '../../people/sessions.service.js';
import { AddressAnswers } from './address-answers.js';
import { consentIn } from './consent-fields.view.js';
import { readSuppressionRef } from './search-ref.js';
import { SearchPage } from './search.view.js';

const REQUESTED = new SetContactTopicsPipe();

@ConsoleController('preferences')
@RequireRole('editor')
export class PreferencesController {
  constructor(
    private readonly answers: AddressAnswers,
    private readonly preferences: PreferencesService,
  ) {}

  @Post()
  set(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    const query = textOf(form, 'email');
    return submit(
      async () => {
        const { topics } = await this.choose(visitor, context, form);
        return new Done(urlOf('/console', { q: query }), sentenceOf(topics));
      },
      async (problem) => {
        const answer = await this.answers.find(visitor.accountId, readSuppressionRef(query));
        return SearchPage({ visitor, problem, query, answer, choices: form });
      },
    );
  }

  private async choose(
    { role }: Visitor,
    context: RequestContext,
    form: Fields,
  ): Promise<{ topics: ContactTopic[] }> {
    const { note } = await readAs(NoteDto, { note: textOf(form, 'note') });
    const chosen = textsOf(form, 'choice').filter((choice) => choice !== '');
    if (chosen.length === 0) {
      throw ValidationError.ofRequest('Nothing was changed: choose for at least one topic.');
    }
    const topics = chosen.map((choice) => {
      const [id, subscription] = choice.split(' ');
      return { id, subscription };
    });
    const requested = REQUESTED.transform({ topics, consent: consentIn(form) });
    const contact = readSuppressionRef(textOf(form, 'email'));
    return this.preferences.set(context, contact, { ...requested, note }, includesRole(role, 'admin'));
  }
}

/** `Opted in to: News. Opted out of: Offers.` */
function sentenceOf(topics: readonly ContactTopic[]): string {
  const named = (wanted: string) =>
    topics.filter(({ subscription }) => subscription === wanted).map(({ topic }) => topic.name);
  return [['Opted in to', named('opt_in')] as const, ['Opted out of', named('opt_out')] as const]
    .filter(([, names]) => names.length > 0)
    .map(([verb, names]) => `${verb}: ${listOf(names)}.`)
    .join(' ');
}
