import { Get, Param, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import {
  CreateProviderListDto,
  UpdateProviderListDto,
} from '../../../provider-lists/dto/new-provider-list.dto.js';
import { ProviderListIdPipe } from '../../../provider-lists/id.pipe.js';
import { ProviderListsService } from '../../../provider-lists/provider-lists.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, Done, readAs, submit, type Visit } from '../../access/visit.js';
import { NewProviderListPage } from './provider-list-fields.view.js';
import {
  changesIn,
  newListIn,
  providerIn,
  ProviderListPages,
  withoutCredentials,
} from './provider-list-pages.js';

/** Comes before the controller of the page, whose id `new` would be. */
@ConsoleController('provider-lists')
@RequireRole('admin', { recent: true })
export class ProviderListChangesController {
  constructor(
    private readonly pages: ProviderListPages,
    private readonly lists: ProviderListsService,
  ) {}

  @Get('new')
  @RequireRole('viewer')
  new(@CurrentVisit() visit: Visit): HtmlResponse {
    const { provider = 'ses' } = visit.query;
    return NewProviderListPage({ visitor: visit, provider: providerIn({ provider }) });
  }

  @Post()
  create(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const provider = providerIn(visit.form);
    return submit(
      visit,
      async () => {
        const asked = await readAs(CreateProviderListDto, newListIn(visit.form, provider));
        const { list } = await this.lists.create(visit.context, asked.toNewList());
        return new Done(`/console/provider-lists/${list.id}`, 'The provider list is created.');
      },
      (refused) => NewProviderListPage({ visitor: withoutCredentials(refused), provider }),
    );
  }

  @Post(':provider_list')
  async update(
    @CurrentVisit() visit: Visit,
    @Param('provider_list', ProviderListIdPipe) id: string,
  ): Promise<HtmlResponse> {
    const { provider } = await this.lists.find(visit.accountId, id);
    return this.pages.change(visit, id, 'The changes are saved.', async () => {
      const asked = await readAs(UpdateProviderListDto, changesIn(visit.form, provider));
      await this.lists.update(visit.context, id, asked.toChanges());
    });
  }

  @Post(':provider_list/delete')
  async delete(
    @CurrentVisit() visit: Visit,
    @Param('provider_list', ProviderListIdPipe) id: string,
  ): Promise<HtmlResponse> {
    await this.lists.delete(visit.context, id);
    return new Done(
      '/console/provider-lists',
      'The provider list is deleted. Nothing changed at the provider.',
    );
  }
}
