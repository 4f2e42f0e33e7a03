import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../../accounts/accounts.service.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import type { ListTest } from '../../../provider-lists/list-test.service.js';
import { PlansService } from '../../../provider-lists/plans/plans.service.js';
import { ProviderListsService } from '../../../provider-lists/provider-lists.service.js';
import { Done, readList, submitChange, type Visit } from '../../access/visit.js';
import { textOf } from '../../components/form.js';
import { withoutCredentials } from './provider-list-form.view.js';
import { ProviderListPage } from './provider-list.view.js';

const PLANS = 10;
const LINES_TO_DECIDE = 20;

@Injectable()
export class ProviderListPages {
  constructor(
    private readonly lists: ProviderListsService,
    private readonly plans: PlansService,
    private readonly accounts: AccountsService,
  ) {}

  /** @throws {ProviderListNotFoundError} */
  async page(visit: Visit, id: string, test?: ListTest): Promise<HtmlResponse> {
    const { accountId } = visit;
    const { list, backlog } = await this.lists.get(accountId, id);
    const [plan] = (await this.plans.page(accountId, id, { limit: 1 })).elements;
    const drift = { kind: 'drift', limit: LINES_TO_DECIDE } as const;
    const toDecide = plan?.counts.drift
      ? (await this.plans.lines(accountId, id, plan.id, drift)).elements
      : [];
    const plans = await readList(visit, PLANS, (cursor) => this.plans.page(accountId, id, cursor));
    const isGuarded = (await this.accounts.getById(accountId)).removal === 'guarded';
    const email = textOf(visit.query, 'email');
    const shown = { visitor: visit, list, backlog, plan, toDecide, plans, isGuarded, email, test };
    return ProviderListPage(shown);
  }

  /** @param done - a sentence */
  change(visit: Visit, id: string, done: string, work: () => Promise<unknown>): Promise<HtmlResponse> {
    const shown = new Done(`/console/provider-lists/${id}`, done);
    return submitChange(visit, work, shown, (refused) => this.page(withoutCredentials(refused), id));
  }
}
