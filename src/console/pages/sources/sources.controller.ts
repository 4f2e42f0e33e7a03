import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import { ValidationError } from '../../../http/errors/errors.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { PROVIDER_NAMES, providerNamed, type ProviderName } from '../../../inbound/providers/providers.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { cursorIn, textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { Visitor } from '../../people/sessions.service.js';
import { SourcePages } from './source-pages.js';
import { sourceIn } from './source-words.js';
import { NewSourcePage } from './new-source.view.js';
import { SourcesPage } from './sources.view.js';

const SOURCES = 50;

@ConsoleController('sources')
@RequireRole('viewer')
export class SourcesPageController {
  constructor(
    private readonly pages: SourcePages,
    private readonly sources: SourcesService,
  ) {}

  @Get()
  async list(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    const cursor = await cursorIn(query, SOURCES);
    const page = await this.sources.page(visitor.accountId, cursor);
    return SourcesPage({ visitor, page, cursor });
  }

  @Get('new')
  new(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): HtmlResponse {
    const name = textOf(query, 'provider') || PROVIDER_NAMES[0]!;
    return NewSourcePage({ visitor, provider: providerNamed(providerIn(name))! });
  }

  @Post()
  @RequireRole('admin', { recent: true, keepsForm: true })
  create(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    const name = providerIn(textOf(form, 'provider'));
    return submit(
      async () => {
        const asked = sourceIn(form, name);
        const { source, generatedSecrets } = await this.sources.create(context, name, asked);
        return this.pages.page({ visitor, done: 'The source is created.' }, source, {
          made: generatedSecrets,
        });
      },
      (problem) => NewSourcePage({ visitor, problem, provider: providerNamed(name)!, entered: form }),
    );
  }

  @Get(':source')
  async show(
    @CurrentVisitor() visitor: Visitor,
    @Param('source') id: string,
    @Query() query: Fields,
  ): Promise<HtmlResponse> {
    return this.pages.page({ visitor }, await this.pages.find(visitor, id), { query });
  }
}

function providerIn(name: string): ProviderName {
  const provider = PROVIDER_NAMES.find((known) => known === name);
  if (!provider) {
    throw ValidationError.ofRequest(`The provider must be one of ${PROVIDER_NAMES.join(', ')}.`);
  }
  return provider;
}
