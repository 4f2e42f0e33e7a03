import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import { CursorDto } from '../http/page.js';
import { LinesPageDto, ListLinesDto } from './dto/line.dto.js';
import { ListTestDto } from './dto/list-test.dto.js';
import { CreateProviderListDto, UpdateProviderListDto } from './dto/new-provider-list.dto.js';
import { ApplyPlanDto, DeletedPlanDto, PlanDto, PlansPageDto } from './dto/plan.dto.js';
import { DeletedProviderListDto, ProviderListDto, ProviderListsPageDto } from './dto/provider-list.dto.js';
import {
  CreateRemovalsDto,
  ListPushesDto,
  ListRemovalsDto,
  PushesPageDto,
  RetryDto,
} from './dto/push.dto.js';
import { ListTestService } from './list-test.service.js';
import { ListId, operations, PlanId } from './operations.js';
import { PlansService } from './plans/plans.service.js';
import { ListRemovalsService } from './push/list-removals.service.js';
import { PushesService } from './push/pushes.service.js';
import { ProviderListsService } from './provider-lists.service.js';

@Controller('provider-lists')
export class ProviderListsController {
  constructor(
    private readonly lists: ProviderListsService,
    private readonly tests: ListTestService,
    private readonly plans: PlansService,
    private readonly removals: ListRemovalsService,
    private readonly pushes: PushesService,
  ) {}

  @Post()
  @operations.createProviderList
  async create(@Context() context: RequestContext, @Body() body: CreateProviderListDto) {
    return new ProviderListDto(await this.lists.create(context, body.toNewList()));
  }

  @Get()
  @operations.listProviderLists
  async list(@CurrentCaller() { accountId }: Caller, @Query() cursor: CursorDto) {
    return new ProviderListsPageDto(await this.lists.page(accountId, cursor));
  }

  @Post(':provider_list/test')
  @operations.testProviderList
  async test(@Context() context: RequestContext, @ListId id: string) {
    return new ListTestDto(await this.tests.test(context, id));
  }

  @Post(':provider_list/plans')
  @operations.createProviderListPlan
  async createPlan(@Context() context: RequestContext, @ListId list: string) {
    return new PlanDto(await this.plans.create(context, list));
  }

  @Get(':provider_list/plans')
  @operations.listProviderListPlans
  async listPlans(@CurrentCaller() { accountId }: Caller, @ListId list: string, @Query() cursor: CursorDto) {
    return new PlansPageDto(await this.plans.page(accountId, list, cursor));
  }

  @Get(':provider_list/plans/:provider_list_plan/lines')
  @operations.listProviderListLines
  async lines(
    @CurrentCaller() { accountId }: Caller,
    @ListId list: string,
    @PlanId id: string,
    @Query() query: ListLinesDto,
  ) {
    return new LinesPageDto(await this.plans.lines(accountId, list, id, query));
  }

  @Post(':provider_list/plans/:provider_list_plan/apply')
  @operations.applyProviderListPlan
  async apply(
    @Context() context: RequestContext,
    @ListId list: string,
    @PlanId id: string,
    @Body() { accept_stop: acceptsStop }: ApplyPlanDto,
  ) {
    return new PlanDto(await this.plans.apply(context, list, id, acceptsStop ?? false));
  }

  @Get(':provider_list/plans/:provider_list_plan')
  @operations.getProviderListPlan
  async getPlan(@CurrentCaller() { accountId }: Caller, @ListId list: string, @PlanId id: string) {
    return new PlanDto(await this.plans.get(accountId, list, id));
  }

  @Delete(':provider_list/plans/:provider_list_plan')
  @operations.deleteProviderListPlan
  async discard(@Context() context: RequestContext, @ListId list: string, @PlanId id: string) {
    return new DeletedPlanDto(await this.plans.discard(context, list, id));
  }

  @Post(':provider_list/removals')
  @operations.createProviderListRemovals
  async remove(
    @Context() context: RequestContext,
    @CurrentCaller() { scopes }: Caller,
    @ListId list: string,
    @Body() body: CreateRemovalsDto,
  ) {
    return new ListRemovalsDto(await this.removals.remove(context, list, body.toRemovals(scopes)));
  }

  @Get(':provider_list/pushes')
  @operations.listProviderListPushes
  async listPushes(
    @CurrentCaller() { accountId }: Caller,
    @ListId list: string,
    @Query() query: ListPushesDto,
  ) {
    return new PushesPageDto(await this.pushes.page(accountId, list, query));
  }

  @Post(':provider_list/pushes/retry')
  @operations.retryProviderListPushes
  async retryPushes(@Context() context: RequestContext, @ListId list: string) {
    return new RetryDto(await this.pushes.retry(context, list));
  }

  @Get(':provider_list')
  @operations.getProviderList
  async get(@CurrentCaller() { accountId }: Caller, @ListId id: string) {
    return new ProviderListDto(await this.lists.get(accountId, id));
  }

  @Patch(':provider_list')
  @operations.updateProviderList
  async update(@Context() context: RequestContext, @ListId id: string, @Body() body: UpdateProviderListDto) {
    return new ProviderListDto(await this.lists.update(context, id, body.toChanges()));
  }

  @Delete(':provider_list')
  @operations.deleteProviderList
  async delete(@Context() context: RequestContext, @ListId id: string) {
    return new DeletedProviderListDto(await this.lists.delete(context, id));
  }
}
