import { Post } from '@nestjs/common';
import { ValidationError } from '../../../http/errors/errors.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { NoteDto } from '../../../suppressions/dto/add.dto.js';
import type { ContactTopic } from '../../../topics/contact.js';
import { SetContactTopicsPipe } from '../../../topics/contact-topics.dto.js';
import { PreferencesService } from '../../../topics/preferences.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { CurrentVisit, Done, readAs, submit, type Visit } from '../../access/visit.js';
import { textOf, textsOf } from '../../components/form.js';
import { urlOf } from '../../components/list.js';
import { listOf } from '../../components/words.js';
import { AddressAnswers } from './address-answers.js';
import { answerPage } from './answer-page.js';
import { consentIn } from './consent.view.js';
import { readSuppressionRef } from './search-ref.js';

const REQUESTED = new SetContactTopicsPipe();

@ConsoleController('preferences', 'editor')
export class PreferencesController {
  constructor(
    private readonly answers: AddressAnswers,
    private readonly preferences: PreferencesService,
  ) {}

  @Post()
  set(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => {
        const { topics } = await this.choose(visit);
        return new Done(urlOf('/console', { q: textOf(visit.form, 'email') }), sentenceOf(topics));
      },
      (refused) => answerPage(refused, this.answers),
    );
  }

  private async choose({ context, isAdmin, form }: Visit): Promise<{ topics: ContactTopic[] }> {
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
    return this.preferences.set(context, contact, { ...requested, note }, isAdmin);
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
