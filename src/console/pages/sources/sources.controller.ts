import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { Deadline } from '../../../http/deadline.js';
import { ValidationError } from '../../../http/errors.js';
import type { HtmlResponse } from '../../../http/html-response.js';
import { MAX_LIMIT } from '../../../http/page.js';
import { Route } from '../../../http/route-options.js';
import { EventsService } from '../../../inbound/events.service.js';
import { SourceDeletionService } from '../../../inbound/inbox/source-deletion.service.js';
import { SourceChangesService } from '../../../inbound/sources/source-changes.service.js';
import { PROVIDER_NAMES, providerNamed, type ProviderName } from '../../../inbound/providers/providers.js';
import { awaitedSecrets } from '../../../inbound/sources/new-source.js';
import { SourceTopicsService } from '../../../inbound/sources/source-topics.service.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import { TopicsService } from '../../../topics/topics.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { cursorIn, textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { actorOf, CurrentVisitor } from '../../access/visitor.js';
import type { PageProps } from '../../components/console-page.js';
import { PageNotFoundError } from '../../people/errors.js';
import type { Visitor } from '../../people/sessions.service.js';
import { DeleteSourcePage } from './delete-source.view.js';
import type { ShownTopics } from './source-topics.view.js';
import { mappingIn, sourceIn } from './source-words.js';
import { SourcePage } from './source.view.js';
import { NewSourcePage } from './new-source.view.js';
import { SourcesPage } from './sources.view.js';

const SOURCES = 50;
const EVENTS = 25;
const UNITS = 50;
/** A source may have millions of events, and a topic millions of opt-outs. */
const LONG_CHANGE_MS = 10 * 60_000;

@ConsoleController('sources')
@RequireRole('viewer')
export class SourcesPageController {
  constructor(
    private readonly sources: SourcesService,
    private readonly sourceTopics: SourceTopicsService,
    private readonly topics: TopicsService,
    private readonly events: EventsService,
    private readonly changes: SourceChangesService,
    private readonly deletion: SourceDeletionService,
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
  @RequireRole('admin', { recent: true })
  create(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    const name = providerIn(textOf(form, 'provider'));
    return submit(
      async () => {
        const asked = sourceIn(form, name);
        const { source, made } = await this.sources.create(
          { id: visitor.accountId },
          actorOf(visitor),
          name,
          asked,
          deadline,
        );
        return this.page({ visitor, done: 'The source is created.' }, source, { made });
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
    return this.page({ visitor }, await this.find(visitor, id), { query });
  }

  @Post(':source/pause')
  @RequireRole('editor')
  async pause(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('source') id: string,
  ): Promise<HtmlResponse> {
    await this.find(visitor, id);
    await this.changes.pause({ id: visitor.accountId }, actorOf(visitor), id, deadline);
    return new Done(
      `/console/sources/${id}`,
      'The source is paused: it answers 503, so that the provider keeps its events and tries again.',
    );
  }

  @Post(':source/resume')
  @RequireRole('editor')
  async resume(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('source') id: string,
  ): Promise<HtmlResponse> {
    await this.find(visitor, id);
    await this.changes.resume({ id: visitor.accountId }, actorOf(visitor), id, deadline);
    return new Done(`/console/sources/${id}`, 'The source accepts events again.');
  }

  @Post(':source/secret')
  @RequireRole('admin', { recent: true })
  async setSecret(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('source') id: string,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    const source = await this.find(visitor, id);
    return submit(
      async () => {
        await this.changes.setSecrets(
          { id: visitor.accountId },
          actorOf(visitor),
          id,
          { [textOf(form, 'name')]: textOf(form, 'value') },
          deadline,
        );
        return new Done(`/console/sources/${id}`, 'The secret is saved.');
      },
      (problem) => this.page({ visitor, problem }, source),
    );
  }

  @Post(':source/map')
  @RequireRole('editor')
  @Route({ timeLimitMs: LONG_CHANGE_MS })
  async map(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('source') id: string,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    const source = await this.find(visitor, id);
    return submit(
      async () => {
        await this.sourceTopics.map(source, actorOf(visitor), mappingIn(form), deadline);
        return new Done(`/console/sources/${id}`, 'The mapping is saved.');
      },
      (problem) => this.page({ visitor, problem }, source, { query: form }),
    );
  }

  @Get(':source/delete')
  async confirmDeletion(
    @CurrentVisitor() visitor: Visitor,
    @Param('source') id: string,
  ): Promise<HtmlResponse> {
    return DeleteSourcePage({ visitor, source: await this.find(visitor, id) });
  }

  @Post(':source/delete')
  @RequireRole('admin', { recent: true })
  @Route({ timeLimitMs: LONG_CHANGE_MS })
  async delete(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('source') id: string,
  ): Promise<HtmlResponse> {
    const source = await this.find(visitor, id);
    return submit(
      async () => {
        await this.deletion.delete({ id: visitor.accountId }, actorOf(visitor), id, deadline);
        return new Done('/console/sources', 'The source is deleted.');
      },
      (problem) => this.page({ visitor, problem }, source, {}),
    );
  }

  /** @throws {PageNotFoundError} if the account has no such source */
  private async find({ accountId }: Visitor, id: string): Promise<Source> {
    const [source] = isUuid(id) ? await this.sources.findByIds(accountId, [id]) : [];
    if (!source) {
      throw new PageNotFoundError();
    }
    return source;
  }

  /** @param more - the URL of the page names a page of events, and what to map */
  private async page(
    props: PageProps,
    source: Source,
    more: { query?: Fields; made?: Record<string, string> } = {},
  ) {
    const { accountId } = props.visitor;
    const { query, made } = more;
    const provider = providerNamed(source.provider) ?? null;
    const cursor = await cursorIn(query, EVENTS);
    const [events, topics] = await Promise.all([
      this.events.list(accountId, { source: source.id, ...cursor }),
      provider?.units && this.topicsOf(source),
    ]);
    const shown = {
      source,
      provider,
      url: this.sources.urlOf(source),
      awaited: provider ? awaitedSecrets(provider, source.secrets) : [],
      topics,
      events,
    };
    return SourcePage({ ...props, shown, cursor, entered: query, ...(made && { made }) });
  }

  private async topicsOf(source: Source): Promise<ShownTopics> {
    const [units, choices] = await Promise.all([
      this.sourceTopics.page(source, UNITS),
      this.topics.page(source.accountId, { limit: MAX_LIMIT }),
    ]);
    const elements = await this.sourceTopics.choicesAmong(source, choices.elements);
    return { units, choices: { ...choices, elements } };
  }
}

function providerIn(name: string): ProviderName {
  const provider = PROVIDER_NAMES.find((one) => one === name);
  if (!provider) {
    throw ValidationError.ofRequest(`The provider must be one of ${PROVIDER_NAMES.join(', ')}.`);
  }
  return provider;
}
