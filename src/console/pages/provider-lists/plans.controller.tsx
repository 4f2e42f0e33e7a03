import { Get, Post } from '@nestjs/common';
import type { Page } from '../../../http/page.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { lineCursor, ListLinesDto } from '../../../provider-lists/dto/line.dto.js';
import { ListId, PlanId } from '../../../provider-lists/operations.js';
import { LINE_KINDS, type LineKind } from '../../../provider-lists/plans/line-kinds.js';
import type { FoundLine } from '../../../provider-lists/plans/lines.repository.js';
import type { ProviderListPlan } from '../../../provider-lists/plans/provider-list-plan.entity.js';
import { PlansService } from '../../../provider-lists/plans/plans.service.js';
import type { ProviderList } from '../../../provider-lists/provider-list.entity.js';
import { ProviderListsService } from '../../../provider-lists/provider-lists.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, readAs, submit, type Visit } from '../../access/visit.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Card, minuteOf } from '../../components/content.js';
import { FilterForm, pick, textOf } from '../../components/form.js';
import { Input, Select } from '../../components/inputs.js';
import { LinePager } from '../../components/list.js';
import { KIND_NAMES, LinesTable } from './plan.view.js';
import { ProviderListPages } from './provider-list-pages.js';

const LINES = '50';

/** The plans of a provider list. */
@ConsoleController('provider-lists/:provider_list/plans', 'editor')
export class PlansPageController {
  constructor(
    private readonly pages: ProviderListPages,
    private readonly lists: ProviderListsService,
    private readonly plans: PlansService,
  ) {}

  @Post()
  compare(@CurrentVisit() visit: Visit, @ListId id: string): Promise<HtmlResponse> {
    return this.pages.change(visit, id, 'The list of the provider is being read and compared.', () =>
      this.plans.create(visit.context, id),
    );
  }

  @Get(':provider_list_plan')
  @RequireRole('viewer')
  async lines(
    @CurrentVisit() visit: Visit,
    @ListId id: string,
    @PlanId planId: string,
  ): Promise<HtmlResponse> {
    const { accountId, query } = visit;
    const plan = await this.plans.get(accountId, id, planId);
    const list = await this.lists.find(accountId, id);
    const filter = pick(query, ['kind', 'email']);
    return submit(
      visit,
      async () => {
        const asked = await readAs(ListLinesDto, { ...filter, after: textOf(query, 'after'), limit: LINES });
        const page = await this.plans.lines(accountId, id, planId, asked);
        return LinesPage({ visitor: visit, list, plan, filter, page, isLater: asked.after !== undefined });
      },
      (refused) => LinesPage({ visitor: refused, list, plan, filter }),
    );
  }

  @Post(':provider_list_plan/apply')
  apply(@CurrentVisit() visit: Visit, @ListId id: string, @PlanId plan: string): Promise<HtmlResponse> {
    return this.pages.change(visit, id, 'The plan is being applied.', () =>
      this.plans.apply(visit.context, id, plan, false),
    );
  }

  @Post(':provider_list_plan/accept-stop')
  @RequireRole('admin')
  acceptStop(@CurrentVisit() visit: Visit, @ListId id: string, @PlanId plan: string): Promise<HtmlResponse> {
    return this.pages.change(visit, id, 'The plan is being applied, although it had stopped.', () =>
      this.plans.apply(visit.context, id, plan, true),
    );
  }

  @Post(':provider_list_plan/discard')
  discard(@CurrentVisit() visit: Visit, @ListId id: string, @PlanId plan: string): Promise<HtmlResponse> {
    return this.pages.change(visit, id, 'Plan discarded.', () => this.plans.discard(visit.context, id, plan));
  }
}

interface LinesPageProps extends PageProps {
  list: ProviderList;
  plan: ProviderListPlan;
  /** As the person entered it. */
  filter: { kind: string; email: string };
  /** Without it, the filter was refused. */
  page?: Page<FoundLine>;
  /** Whether there are lines before the page. */
  isLater?: boolean;
}

function LinesPage({ visitor, list, plan, filter, page, isLater = false }: LinesPageProps) {
  const listPath = `/console/provider-lists/${list.id}`;
  const path = `${listPath}/plans/${plan.id}`;
  const last = page?.elements.at(-1);
  const countOf = (of: LineKind) => (plan.counts[of] ?? 0).toLocaleString('en');
  return (
    <ConsolePage
      visitor={visitor}
      title={`${list.name}: plan of ${minuteOf(plan.createdAt)}`}
      section="/console/provider-lists"
      actions={
        <a class="button" href={listPath}>
          Back to the list
        </a>
      }
    >
      <FilterForm action={path} values={filter}>
        <Select
          name="kind"
          label="Kind"
          emptyLabel="All"
          choices={Object.fromEntries(LINE_KINDS.map((of) => [of, `${KIND_NAMES[of]} (${countOf(of)})`]))}
        />
        <Input name="email" label="Address" optional={false} placeholder="ada@example.com" />
      </FilterForm>
      {page && (
        <Card>
          <LinesTable
            caption="Lines"
            lines={page.elements}
            isOneKind={filter.kind !== ''}
            empty={
              filter.email === ''
                ? undefined
                : `No lines about ${filter.email}. Lines are deleted when a plan expires, and a week after it was applied.`
            }
          />
          <LinePager
            path={path}
            query={filter}
            isLater={isLater}
            next={page.hasMore && last ? lineCursor(last) : undefined}
          />
        </Card>
      )}
    </ConsolePage>
  );
}
