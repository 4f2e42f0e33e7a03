import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../../accounts/accounts.service.js';
import { ValidationError } from '../../../http/errors/errors.js';
import { HtmlPage, type HtmlResponse } from '../../../http/responses/html-response.js';
import type { ListTest } from '../../../provider-lists/list-test.service.js';
import { PlansService } from '../../../provider-lists/plans/plans.service.js';
import { ProviderListsService } from '../../../provider-lists/provider-lists.service.js';
import {
  LIST_PROVIDER_NAMES,
  listProviderOf,
  type ListProviderName,
} from '../../../provider-lists/providers/providers.js';
import { Done, readList, submitChange, type Visit } from '../../access/visit.js';
import { textOf, type Fields } from '../../components/form.js';
import { isUnderWay } from './provider-list-words.js';
import { ProviderListPage } from './provider-list.view.js';

const PLANS = 10;
const LINES_TO_DECIDE = 20;

/** The page of a provider list. */
@Injectable()
export class ProviderListPages {
  constructor(
    private readonly lists: ProviderListsService,
    private readonly plans: PlansService,
    private readonly accounts: AccountsService,
  ) {}

  /** @throws {ProviderListNotFoundError} */
  async page(visit: Visit, id: string, test?: ListTest): Promise<HtmlPage> {
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
    return new HtmlPage(ProviderListPage(shown), { script: isUnderWay(plan) });
  }

  /** @param done - a sentence */
  change(visit: Visit, id: string, done: string, work: () => Promise<unknown>): Promise<HtmlResponse> {
    const shown = new Done(`/console/provider-lists/${id}`, done);
    return submitChange(visit, work, shown, (refused) => this.page(withoutCredentials(refused), id));
  }
}

const SWITCHES = ['pull', 'push_additions', 'push_removals', 'push_unsubscribes', 'shared'] as const;

/** @throws {ValidationError} */
export function providerIn(fields: Fields): ListProviderName {
  const provider = LIST_PROVIDER_NAMES.find((known) => known === textOf(fields, 'provider'));
  if (!provider) {
    throw ValidationError.ofRequest(`The provider must be one of ${LIST_PROVIDER_NAMES.join(', ')}.`);
  }
  return provider;
}

/** The form as the body of the API. Fields that were left empty are absent. */
export function newListIn(form: Fields, provider: ListProviderName): Record<string, unknown> {
  return {
    ...settingsIn(form),
    provider,
    name: textOf(form, 'name') || provider,
    scope: partsIn(form, 'scope', listProviderOf(provider).scope),
    credentials: credentialsIn(form, provider),
  };
}

/** Without credentials, those that are stored stay. */
export function changesIn(form: Fields, provider: ListProviderName): Record<string, unknown> {
  const credentials = credentialsIn(form, provider);
  return {
    ...settingsIn(form),
    name: textOf(form, 'name'),
    ...(Object.keys(credentials).length > 0 && { credentials }),
  };
}

/** The page that comes again has no credentials. */
export function withoutCredentials(visit: Visit): Visit {
  const { entered } = visit;
  const fields = Object.entries(entered?.fields ?? {}).filter(([name]) => !name.startsWith('credential_'));
  return { ...visit, entered: entered && { ...entered, fields: Object.fromEntries(fields) } };
}

function settingsIn(form: Fields): Record<string, unknown> {
  const switches = SWITCHES.map((name) => [name, textOf(form, name) === 'true']);
  return { ...Object.fromEntries(switches), interval: textOf(form, 'interval') };
}

function credentialsIn(form: Fields, provider: ListProviderName): Record<string, string> {
  return partsIn(form, 'credential', listProviderOf(provider).credentials);
}

function partsIn(form: Fields, prefix: string, parts: readonly { name: string }[]): Record<string, string> {
  const values = parts.map(({ name }) => [name, textOf(form, `${prefix}_${name}`)]);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}
