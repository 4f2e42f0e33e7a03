import { Get, Param, Post } from '@nestjs/common';
import { POSTED_EVENTS, sourceName } from '../../../audit/actor.js';
import { requireFound } from '../../../http/errors/api-error.js';
import { MAX_LIMIT } from '../../../http/page.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { Route } from '../../../http/route.js';
import { EventsService } from '../../../inbound/events.service.js';
import { PROVIDER_NAMES, providerNamed } from '../../../inbound/providers/providers.js';
import { SourceChangesService } from '../../../inbound/sources/source-changes.service.js';
import { SourceTopicsService } from '../../../inbound/sources/source-topics.service.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import { TopicsService } from '../../../topics/topics.service.js';
import { isId } from '../../../validation/parsers.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { choiceIn, CurrentVisit, Done, readList, submit, type Visit } from '../../access/visit.js';
import { ConfirmationPage } from '../../components/confirmation.js';
import { Timestamp } from '../../components/content.js';
import { CardForm, type Fields, textOf } from '../../components/form.js';
import { Select } from '../../components/inputs.js';
import { ListPage } from '../../components/list.js';
import { providerChoices, providerLabel } from '../../components/words.js';
import { PageNotFoundError } from '../../people/errors.js';
import { NewSourcePage, sourceIn } from './new-source.view.js';
import { mappingIn, type MappedTopics } from './source-topics.view.js';
import { SourcePage, SourceStatus } from './source.view.js';

const SOURCES = 50;
const EVENTS = 25;
const UNITS = 50;
/** A source may have millions of events, and a topic millions of opt-outs. */
const LONG_CHANGE_MS = 10 * 60_000;

@ConsoleController('sources', 'viewer')
export class SourcesPageController {
  constructor(
    private readonly sources: SourcesService,
    private readonly sourceTopics: SourceTopicsService,
    private readonly topics: TopicsService,
    private readonly events: EventsService,
    private readonly changes: SourceChangesService,
  ) {}

  /** A new source that was refused is shown again at this path, so a form that is kept until another sign-in may return here. */
  @Get()
  async list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const { accountId, isAdmin, entered } = visit;
    if (entered) {
      return newSourcePage(visit, entered.fields);
    }
    const list = await readList(visit, SOURCES, (cursor) => this.sources.page(accountId, cursor));
    return (
      <ListPage
        visitor={visit}
        title="Sources"
        path="/console/sources"
        createLabel={isAdmin && 'Add a source'}
        intro="A source is where bounces, complaints and unsubscribes come from: a provider that calls a webhook, or your own mail server."
        list={list}
        columns={{
          Source: ({ id, name }) => <a href={`/console/sources/${id}`}>{sourceName(name)}</a>,
          Provider: ({ provider }) => providerLabel(provider),
          Status: (source) => <SourceStatus source={source} />,
          Created: ({ createdAt }) => <Timestamp at={createdAt} />,
        }}
        empty={`No sources yet. ${isAdmin ? 'Add a source for each provider or server that sends your email.' : 'An admin adds the first source.'}`}
      >
        {isAdmin && (
          <CardForm
            id="create"
            title="Add a source"
            action="/console/sources/new"
            method="get"
            submit="Continue"
            isRow
          >
            <Select name="provider" label="Provider" choices={providerChoices(PROVIDER_NAMES)} />
          </CardForm>
        )}
      </ListPage>
    );
  }

  @Get('new')
  new(@CurrentVisit() visit: Visit): HtmlResponse {
    return newSourcePage(visit, visit.query);
  }

  @Post()
  @RequireRole('admin', { recent: true, keepsForm: true })
  create(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      () => this.createSource(visit),
      (refused) => newSourcePage(refused, visit.form),
    );
  }

  @Get(':source')
  async show(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return this.page(visit, await this.find(visit, id));
  }

  @Post(':source/pause')
  @RequireRole('editor')
  pause(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return this.change(
      visit,
      id,
      'The source is paused. It responds 503, so that the provider keeps its events and retries.',
      () => this.changes.pause(visit.context, id),
    );
  }

  @Post(':source/resume')
  @RequireRole('editor')
  resume(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return this.change(visit, id, 'The source accepts events again.', () =>
      this.changes.resume(visit.context, id),
    );
  }

  /** A secret that was refused is shown again at this path. */
  @Get(':source/secret')
  showSecret(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return this.show(visit, id);
  }

  @Post(':source/secret')
  @RequireRole('admin', { recent: true, keepsForm: true })
  setSecret(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return this.change(visit, id, 'Secret saved.', () =>
      this.changes.setSecrets(visit.context, id, {
        [textOf(visit.form, 'name')]: textOf(visit.form, 'value'),
      }),
    );
  }

  @Post(':source/map')
  @RequireRole('editor')
  @Route({ timeLimitMs: LONG_CHANGE_MS })
  map(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return this.change(visit, id, 'Mapping saved.', (source) =>
      this.sourceTopics.map(visit.context, source, mappingIn(visit.form)),
    );
  }

  @Get(':source/delete')
  async confirmDeletion(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    const source = await this.find(visit, id);
    const path = `/console/sources/${source.id}`;
    return (
      <ConfirmationPage
        visitor={visit}
        title={`Delete ${sourceName(source.name)}?`}
        section="/console/sources"
        action={`${path}/delete`}
        submit="Delete this source"
        back={path}
      >
        <ul class="steps">
          {source.provider === POSTED_EVENTS ? (
            <li>The next events that your mailers post create this source again.</li>
          ) : (
            <li>Its URL stops accepting events. The provider gets 404, and its secrets no longer work.</li>
          )}
          <li>The events that it reported are deleted, and so are its mappings to topics.</li>
          <li>The list keeps its suppressions, opt-outs, and their history, with the name of the source.</li>
        </ul>
        <p>This cannot be undone. To stop a source for a while, pause it instead.</p>
      </ConfirmationPage>
    );
  }

  @Post(':source/delete')
  @RequireRole('admin', { recent: true })
  @Route({ timeLimitMs: LONG_CHANGE_MS })
  delete(@CurrentVisit() visit: Visit, @Param('source') id: string): Promise<HtmlResponse> {
    return this.submit(visit, id, async () => {
      await this.changes.delete(visit.context, id);
      return new Done('/console/sources', 'Source deleted.');
    });
  }

  private change(
    visit: Visit,
    id: string,
    done: string,
    work: (source: Source) => Promise<unknown>,
  ): Promise<HtmlResponse> {
    return this.submit(visit, id, async (source) => {
      await work(source);
      return new Done(`/console/sources/${id}`, done);
    });
  }

  private async submit(visit: Visit, id: string, handle: (source: Source) => Promise<HtmlResponse>) {
    const source = await this.find(visit, id);
    return submit(
      visit,
      () => handle(source),
      (refused) => this.page(refused, source),
    );
  }

  private async createSource(visit: Visit): Promise<HtmlResponse> {
    const provider = choiceIn(visit.form, 'provider', PROVIDER_NAMES);
    const asked = sourceIn(visit.form, provider);
    const { source, generatedSecrets } = await this.sources.create(visit.context, provider, asked);
    return this.page({ ...visit, done: 'Source created.' }, source, generatedSecrets);
  }

  /** @throws {PageNotFoundError} if the account has no such source */
  private async find({ accountId }: Visit, id: string): Promise<Source> {
    const [source] = isId(id) ? await this.sources.findByIds(accountId, [id]) : [];
    return requireFound(source, PageNotFoundError);
  }

  /** @param generatedSecrets - of a source that was just created */
  private async page(visit: Visit, source: Source, generatedSecrets = {}): Promise<HtmlResponse> {
    const provider = providerNamed(source.provider) ?? null;
    const [list, topics] = await Promise.all([
      readList(visit, EVENTS, (cursor) =>
        this.events.list(visit.accountId, { source: source.id, ...cursor }),
      ),
      provider?.units && this.topicsOf(source),
    ]);
    return SourcePage({
      visitor: visit,
      source,
      provider,
      url: this.sources.urlOf(source),
      topics,
      events: { ...list, elements: list.elements.map(({ event }) => event) },
      generatedSecrets,
      query: visit.query,
    });
  }

  private async topicsOf(source: Source): Promise<MappedTopics> {
    const [units, choices] = await Promise.all([
      this.sourceTopics.page(source, UNITS),
      this.topics.page(source.accountId, { limit: MAX_LIMIT }),
    ]);
    const elements = await this.sourceTopics.mappableTopics(source, choices.elements);
    return { units, choices: { ...choices, elements } };
  }
}

function newSourcePage(visitor: Visit, fields: Fields): HtmlResponse {
  const provider = textOf(fields, 'provider') || PROVIDER_NAMES[0];
  return NewSourcePage({ visitor, provider: choiceIn({ provider }, 'provider', PROVIDER_NAMES) });
}
