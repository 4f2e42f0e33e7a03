import { Injectable } from '@nestjs/common';
import { MAX_LIMIT } from '../../../http/page.js';
import { EventsService } from '../../../inbound/events.service.js';
import { providerNamed } from '../../../inbound/providers/providers.js';
import { awaitedSecrets } from '../../../inbound/sources/new-source.js';
import { SourceTopicsService } from '../../../inbound/sources/source-topics.service.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import { TopicsService } from '../../../topics/topics.service.js';
import { isId } from '../../../validation/id.js';
import { cursorIn, type Fields } from '../../access/fields.js';
import type { PageProps } from '../../components/console-page.js';
import { PageNotFoundError } from '../../people/errors.js';
import type { Visitor } from '../../people/sessions.service.js';
import type { ShownTopics } from './source-topics.view.js';
import { SourcePage } from './source.view.js';

const EVENTS = 25;
const UNITS = 50;

/** The page of a source. */
@Injectable()
export class SourcePages {
  constructor(
    private readonly sources: SourcesService,
    private readonly sourceTopics: SourceTopicsService,
    private readonly topics: TopicsService,
    private readonly events: EventsService,
  ) {}

  /** @throws {PageNotFoundError} if the account has no such source */
  async find({ accountId }: Visitor, id: string): Promise<Source> {
    const [source] = isId(id) ? await this.sources.findByIds(accountId, [id]) : [];
    if (!source) {
      throw new PageNotFoundError();
    }
    return source;
  }

  /** @param more - the URL of the page names a page of events, and what to map */
  async page(props: PageProps, source: Source, more: { query?: Fields; made?: Record<string, string> } = {}) {
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
    const elements = await this.sourceTopics.mappableTopics(source, choices.elements);
    return { units, choices: { ...choices, elements } };
  }
}
