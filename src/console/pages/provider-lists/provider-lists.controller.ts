import { Get, Param, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { ListLinesDto } from '../../../provider-lists/dto/line.dto.js';
import { PlanIdPipe, ProviderListIdPipe } from '../../../provider-lists/id.pipe.js';
import { ListTestService } from '../../../provider-lists/list-test.service.js';
import { PlansService } from '../../../provider-lists/plans/plans.service.js';
import { ProviderListsService } from '../../../provider-lists/provider-lists.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, readAs, readList, submit, type Visit } from '../../access/visit.js';
import { pick, textOf } from '../../components/form.js';
import { LinesPage } from './plan.view.js';
import { ProviderListPages } from './provider-list-pages.js';
import { ProviderListsPage } from './provider-lists.view.js';

const LISTS = 50;
const LINES = '50';

@ConsoleController('provider-lists', 'viewer')
export class ProviderListsPageController {
  constructor(
    private readonly pages: ProviderListPages,
    private readonly lists: ProviderListsService,
    private readonly plans: PlansService,
    private readonly tests: ListTestService,
  ) {}

  @Get()
  async list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const list = await readList(visit, LISTS, async (cursor) => {
      const page = await this.lists.page(visit.accountId, cursor);
      return { ...page, elements: page.elements.map((found) => ({ ...found, id: found.list.id })) };
    });
    return ProviderListsPage({ visitor: visit, list });
  }

  @Get(':provider_list')
  show(
    @CurrentVisit() visit: Visit,
    @Param('provider_list', ProviderListIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.pages.page(visit, id);
  }

  @Post(':provider_list/test')
  @RequireRole('editor')
  test(
    @CurrentVisit() visit: Visit,
    @Param('provider_list', ProviderListIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => this.pages.page(visit, id, await this.tests.test(visit.context, id)),
      (refused) => this.pages.page(refused, id),
    );
  }

  @Post(':provider_list/plans')
  @RequireRole('editor')
  compare(
    @CurrentVisit() visit: Visit,
    @Param('provider_list', ProviderListIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.pages.change(visit, id, 'The list of the provider is being read and compared.', () =>
      this.plans.create(visit.context, id),
    );
  }

  @Get(':provider_list/plans/:provider_list_plan')
  async lines(
    @CurrentVisit() visit: Visit,
    @Param('provider_list', ProviderListIdPipe) id: string,
    @Param('provider_list_plan', PlanIdPipe) planId: string,
  ): Promise<HtmlResponse> {
    const { accountId, query } = visit;
    const plan = await this.plans.get(accountId, id, planId);
    const list = await this.lists.find(accountId, id);
    const shown = { list, plan, filter: pick(query, ['kind', 'email']) };
    return submit(
      visit,
      async () => {
        const given = { ...shown.filter, after: textOf(query, 'after'), limit: LINES };
        const asked = await readAs(ListLinesDto, given);
        const page = await this.plans.lines(accountId, id, planId, asked);
        return LinesPage({ ...shown, visitor: visit, page, isLater: asked.after !== undefined });
      },
      (refused) => LinesPage({ ...shown, visitor: refused }),
    );
  }

  @Post(':provider_list/plans/:provider_list_plan/apply')
  @RequireRole('editor')
  apply(
    @CurrentVisit() visit: Visit,
    @Param('provider_list', ProviderListIdPipe) id: string,
    @Param('provider_list_plan', PlanIdPipe) plan: string,
  ): Promise<HtmlResponse> {
    return this.pages.change(visit, id, 'The plan is being applied.', () =>
      this.plans.apply(visit.context, id, plan, false),
    );
  }

  @Post(':provider_list/plans/:provider_list_plan/accept-stop')
  @RequireRole('admin')
  acceptStop(
    @CurrentVisit() visit: Visit,
    @Param('provider_list', ProviderListIdPipe) id: string,
    @Param('provider_list_plan', PlanIdPipe) plan: string,
  ): Promise<HtmlResponse> {
    return this.pages.change(visit, id, 'The plan is being applied, although it had stopped.', () =>
      this.plans.apply(visit.context, id, plan, true),
    );
  }

  @Post(':provider_list/plans/:provider_list_plan/discard')
  @RequireRole('editor')
  discard(
    @CurrentVisit() visit: Visit,
    @Param('provider_list', ProviderListIdPipe) id: string,
    @Param('provider_list_plan', PlanIdPipe) plan: string,
  ): Promise<HtmlResponse> {
    return this.pages.change(visit, id, 'The plan is discarded.', () =>
      this.plans.discard(visit.context, id, plan),
    );
  }
}
