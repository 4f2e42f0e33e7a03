import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { ValidationError, RouteNotFoundError } from '../../../http/errors.js';
import { SeeOther, type HtmlResponse } from '../../../http/html-response.js';
import { EventsService } from '../../../inbound/events.service.js';
import { PROVIDER_NAMES, providerNamed, type ProviderName } from '../../../inbound/providers/providers.js';
import { awaitedSecrets } from '../../../inbound/sources/new-source.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { doneIn, textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { PageProps } from '../../components/console-page.js';
import type { Visitor } from '../../people/sessions.service.js';
import { sourceIn } from './source-words.js';
import { SourcePage } from './source.view.js';
import { NewSourcePage, SourcesPage } from './sources.view.js';

const EVENTS = 25;
const DONE: Record<string, string> = {
  paused: 'The source is paused: it answers 503, so that the provider keeps its events and tries again.',
  resumed: 'The source accepts events again.',
  secret: 'The secret is saved.',
};

@ConsoleController('sources')
@RequireRole('viewer')
export class SourcesPageController {
  constructor(
    private readonly sources: SourcesService,
    private readonly events: EventsService,
  ) {}

  @Get()
  async list(@CurrentVisitor() visitor: Visitor): Promise<HtmlResponse> {
    return SourcesPage({ visitor, sources: await this.sources.list({ id: visitor.accountId }) });
  }

  @Get('new')
  new(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): HtmlResponse {
    const name = textOf(query, 'provider') || PROVIDER_NAMES[0]!;
    return NewSourcePage({ visitor, provider: providerNamed(providerIn(name))! });
  }

  @Post()
  @RequireRole('admin', { recent: true })
  create(@CurrentVisitor() visitor: Visitor, @Body() form: Fields): Promise<HtmlResponse> {
    const name = providerIn(textOf(form, 'provider'));
    return submit(
      async () => {
        const asked = sourceIn(form, name);
        const { source, made } = await this.sources.create({ id: visitor.accountId }, name, asked);
        return this.page({ visitor, done: 'The source is created.' }, source, made);
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
    return this.page({ visitor, done: doneIn(query, DONE) }, await this.find(visitor, id));
  }

  @Post(':source/pause')
  @RequireRole('editor')
  async pause(@CurrentVisitor() visitor: Visitor, @Param('source') id: string): Promise<HtmlResponse> {
    await this.find(visitor, id);
    await this.sources.pause(id);
    return new SeeOther(`/console/sources/${id}?done=paused`);
  }

  @Post(':source/resume')
  @RequireRole('editor')
  async resume(@CurrentVisitor() visitor: Visitor, @Param('source') id: string): Promise<HtmlResponse> {
    await this.find(visitor, id);
    await this.sources.resume(id);
    return new SeeOther(`/console/sources/${id}?done=resumed`);
  }

  @Post(':source/secret')
  @RequireRole('admin', { recent: true })
  async setSecret(
    @CurrentVisitor() visitor: Visitor,
    @Param('source') id: string,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    const source = await this.find(visitor, id);
    return submit(
      async () => {
        await this.sources.setSecrets(id, { [textOf(form, 'name')]: textOf(form, 'value') });
        return new SeeOther(`/console/sources/${id}?done=secret`);
      },
      (problem) => this.page({ visitor, problem }, source),
    );
  }

  /** @throws {RouteNotFoundError} if the account has no such source */
  private async find({ accountId }: Visitor, id: string): Promise<Source> {
    const [source] = isUuid(id) ? await this.sources.findByIds(accountId, [id]) : [];
    if (!source) {
      throw new RouteNotFoundError();
    }
    return source;
  }

  private async page(props: PageProps, source: Source, made?: Record<string, string>) {
    const { accountId } = props.visitor;
    const provider = providerNamed(source.provider) ?? null;
    const { elements } = await this.events.list(accountId, { source: source.id, limit: EVENTS });
    const shown = {
      source,
      provider,
      url: this.sources.urlOf(source),
      awaited: provider ? awaitedSecrets(provider, source.secrets) : [],
      events: elements,
    };
    return SourcePage({ ...props, shown, ...(made && { made }) });
  }
}

function providerIn(name: string): ProviderName {
  const provider = PROVIDER_NAMES.find((one) => one === name);
  if (!provider) {
    throw ValidationError.ofRequest(`The provider must be one of ${PROVIDER_NAMES.join(', ')}.`);
  }
  return provider;
}
