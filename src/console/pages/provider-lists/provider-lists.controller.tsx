import { Get, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import {
  CreateProviderListDto,
  UpdateProviderListDto,
} from '../../../provider-lists/dto/new-provider-list.dto.js';
import { CreateRemovalsDto } from '../../../provider-lists/dto/push.dto.js';
import { ListTestService } from '../../../provider-lists/list-test.service.js';
import { ListId } from '../../../provider-lists/operations.js';
import { LINE_KINDS } from '../../../provider-lists/plans/line-kinds.js';
import { ProviderListsService, type ListWithPlan } from '../../../provider-lists/provider-lists.service.js';
import { LIST_PROVIDER_NAMES } from '../../../provider-lists/providers/providers.js';
import { ListRemovalsService } from '../../../provider-lists/push/list-removals.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { choiceIn, CurrentVisit, Done, readAs, readList, submit, type Visit } from '../../access/visit.js';
import { consentIn } from '../../components/consent.js';
import { Timestamp } from '../../components/content.js';
import { CardForm, textOf } from '../../components/form.js';
import { Select } from '../../components/inputs.js';
import { ListPage } from '../../components/list.js';
import { providerChoices } from '../../components/words.js';
import { KIND_NAMES } from './plan.view.js';
import { changesIn, newListIn, NewProviderListPage, withoutCredentials } from './provider-list-form.view.js';
import { ProviderListPages } from './provider-list-pages.js';
import { ListStatus, placeOf } from './provider-list.view.js';
import { sentencesAbout } from './removals.view.js';

const LISTS = 50;

@ConsoleController('provider-lists', 'viewer')
export class ProviderListsPageController {
  constructor(
    private readonly pages: ProviderListPages,
    private readonly lists: ProviderListsService,
    private readonly tests: ListTestService,
    private readonly removals: ListRemovalsService,
  ) {}

  @Get()
  async list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const { accountId, isAdmin } = visit;
    const list = await readList(visit, LISTS, async (cursor) => {
      const page = await this.lists.page(accountId, cursor);
      return { ...page, elements: page.elements.map((found) => ({ ...found, id: found.list.id })) };
    });
    return (
      <ListPage
        visitor={visit}
        title="Provider lists"
        path="/console/provider-lists"
        intro={
          <>
            Every mail provider keeps a suppression list of its own. The service compares these with yours,
            and shows what only one side has.
          </>
        }
        createLabel={isAdmin && 'Add a list'}
        list={list}
        columns={{
          Name: ({ list: { id, name } }) => <a href={`/console/provider-lists/${id}`}>{name}</a>,
          Provider: ({ list: of }) => placeOf(of),
          Status: ({ list: of }) => <ListStatus list={of} />,
          'Last success': ({ list: { lastSuccessAt } }) => <Timestamp at={lastSuccessAt} fallback="never" />,
          'Differences in the last plan': differencesOf,
        }}
        empty={
          <>
            No provider lists yet. <a href="/docs/guides/provider-lists.md">How it works</a>
          </>
        }
      >
        {isAdmin && (
          <CardForm
            id="create"
            title="Add a list"
            action="/console/provider-lists/new"
            method="get"
            submit="Continue"
            isRow
          >
            <Select name="provider" label="Provider" choices={providerChoices(LIST_PROVIDER_NAMES)} />
          </CardForm>
        )}
      </ListPage>
    );
  }

  /** Comes before the page whose id `new` would be. */
  @Get('new')
  new(@CurrentVisit() visit: Visit): HtmlResponse {
    const { provider = 'ses' } = visit.query;
    const chosen = choiceIn({ provider }, 'provider', LIST_PROVIDER_NAMES);
    return NewProviderListPage({ visitor: visit, provider: chosen });
  }

  @Post()
  @RequireRole('admin', { recent: true })
  create(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const provider = choiceIn(visit.form, 'provider', LIST_PROVIDER_NAMES);
    return submit(
      visit,
      async () => {
        const asked = await readAs(CreateProviderListDto, newListIn(visit.form, provider));
        const { list } = await this.lists.create(visit.context, asked.toNewList());
        return new Done(`/console/provider-lists/${list.id}`, 'Provider list created.');
      },
      (refused) => NewProviderListPage({ visitor: withoutCredentials(refused), provider }),
    );
  }

  @Get(':provider_list')
  show(@CurrentVisit() visit: Visit, @ListId id: string): Promise<HtmlResponse> {
    return this.pages.page(visit, id);
  }

  @Post(':provider_list')
  @RequireRole('admin', { recent: true })
  async update(@CurrentVisit() visit: Visit, @ListId id: string): Promise<HtmlResponse> {
    const { provider } = await this.lists.find(visit.accountId, id);
    return this.pages.change(visit, id, 'Changes saved.', async () => {
      const asked = await readAs(UpdateProviderListDto, changesIn(visit.form, provider));
      await this.lists.update(visit.context, id, asked.toChanges());
    });
  }

  @Post(':provider_list/delete')
  @RequireRole('admin', { recent: true })
  async delete(@CurrentVisit() visit: Visit, @ListId id: string): Promise<HtmlResponse> {
    await this.lists.delete(visit.context, id);
    return new Done('/console/provider-lists', 'Provider list deleted. Nothing changed at the provider.');
  }

  @Post(':provider_list/test')
  @RequireRole('editor')
  test(@CurrentVisit() visit: Visit, @ListId id: string): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => this.pages.page(visit, id, await this.tests.test(visit.context, id)),
      (refused) => this.pages.page(refused, id),
    );
  }

  @Post(':provider_list/removals')
  @RequireRole('editor')
  remove(@CurrentVisit() visit: Visit, @ListId id: string): Promise<HtmlResponse> {
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

function differencesOf({ plan }: ListWithPlan): string {
  const found = LINE_KINDS.filter((kind) => kind !== 'agreed' && (plan?.counts[kind] ?? 0) > 0);
  const none = plan ? 'none' : '–';
  return (
    found.map((kind) => `${KIND_NAMES[kind]}: ${plan!.counts[kind]!.toLocaleString('en')}`).join('; ') || none
  );
}
