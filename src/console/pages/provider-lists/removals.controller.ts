import { Param, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { CreateRemovalsDto } from '../../../provider-lists/dto/push.dto.js';
import { ProviderListIdPipe } from '../../../provider-lists/id.pipe.js';
import {
  ListRemovalsService,
  type ListRemoval,
  type ListRemovalStatus,
} from '../../../provider-lists/push/list-removals.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { CurrentVisit, Done, readAs, submit, type Visit } from '../../access/visit.js';
import { textOf } from '../../components/form.js';
import { consentIn } from '../search/consent.view.js';
import { ProviderListPages } from './provider-list-pages.js';

const SENTENCES: Readonly<Record<ListRemovalStatus, string>> = {
  queued: 'The provider is being asked to remove',
  suppressed: 'Still suppressed here, so lift first',
  erased: 'Erased here, so remove at the provider',
  cannot: 'The provider lets nobody remove',
  compare_first: 'No plan has read an entry of these addresses, so compare first, and confirm again',
};

@ConsoleController('provider-lists/:provider_list/removals', 'editor')
export class ListRemovalsPageController {
  constructor(
    private readonly pages: ProviderListPages,
    private readonly removals: ListRemovalsService,
  ) {}

  @Post()
  remove(
    @CurrentVisit() visit: Visit,
    @Param('provider_list', ProviderListIdPipe) id: string,
  ): Promise<HtmlResponse> {
    const { context, isAdmin, form } = visit;
    return submit(
      visit,
      async () => {
        const emails = textOf(form, 'emails')
          .split(/[\s,;]+/)
          .filter(Boolean);
        const asked = await readAs(CreateRemovalsDto, { emails, consent: consentIn(form) });
        const removals = await this.removals.remove(context, id, { ...asked, mayLift: isAdmin });
        return new Done(`/console/provider-lists/${id}`, sentencesAbout(removals));
      },
      (refused) => this.pages.page(refused, id),
    );
  }
}

function sentencesAbout(removals: ListRemoval[]): string {
  return Object.entries(SENTENCES)
    .flatMap(([status, sentence]) => {
      const emails = removals.filter((removal) => removal.status === status).map(({ email }) => email);
      return emails.length > 0 ? [`${sentence}: ${emails.join(', ')}.`] : [];
    })
    .join(' ');
}
