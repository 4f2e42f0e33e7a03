import { Get, Param, Post } from '@nestjs/common';
import { ValidationError } from '../../../http/errors/errors.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { PROVIDER_NAMES, providerNamed, type ProviderName } from '../../../inbound/providers/providers.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, readList, submit, type Visit } from '../../access/visit.js';
import { textOf } from '../../components/form.js';
import { NewSourcePage, SourcesPage } from './sources.view.js';
import { SourcePages } from './source-pages.js';
import { sourceIn } from './source-words.js';

const SOURCES = 50;

@ConsoleController('sources', 'viewer')
export class SourcesPageController {
  constructor(
    private readonly pages: SourcePages,
    private readonly sources: SourcesService,
  ) {}

  @Get()
  async list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return SourcesPage({
      visitor: visit,
      list: await readList(visit, SOURCES, (cursor) => this.sources.page(visit.accountId, cursor)),
    });
  }

  @Get('new')
  new(@CurrentVisit() visit: Visit): HtmlResponse {
    return newSourcePage(visit, textOf(visit.query, 'provider') || PROVIDER_NAMES[0]!);
  }

  @Post()
  @RequireRole('admin', { recent: true, keepsForm: true })
  create(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      () => this.createSource(visit),
      (refused) => newSourcePage(refused, textOf(visit.form, 'provider')),
    );
  }

  @Get(':source')
  async show(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return this.pages.page(visit, await this.pages.find(visit, id));
  }

  private async createSource(visit: Visit): Promise<HtmlResponse> {
    const provider = providerIn(textOf(visit.form, 'provider'));
    const asked = sourceIn(visit.form, provider);
    const { source, generatedSecrets } = await this.sources.create(visit.context, provider, asked);
    return this.pages.page({ ...visit, done: 'The source is created.' }, source, generatedSecrets);
  }
}

function newSourcePage(visit: Visit, name: string): HtmlResponse {
  return NewSourcePage({ visitor: visit, provider: providerNamed(providerIn(name))! });
}

function providerIn(name: string): ProviderName {
  const provider = PROVIDER_NAMES.find((known) => known === name);
  if (!provider) {
    throw ValidationError.ofRequest(`The provider must be one of ${PROVIDER_NAMES.join(', ')}.`);
  }
  return provider;
}
