import { Injectable } from '@nestjs/common';
import { MAX_LIMIT } from '../../../http/page.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { EventsService } from '../../../inbound/events.service.js';
import { providerNamed } from '../../../inbound/providers/providers.js';
import { SourceTopicsService } from '../../../inbound/sources/source-topics.service.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import { TopicsService } from '../../../topics/topics.service.js';
import { isId } from '../../../validation/parsers.js';
import { readList, type Visit } from '../../access/visit.js';
import { PageNotFoundError } from '../../people/errors.js';
import type { MappedTopics } from './source-topics.view.js';
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
  async find({ accountId }: Visit, id: string): Promise<Source> {
    const [source] = isId(id) ? await this.sources.findByIds(accountId, [id]) : [];
    if (!source) {
      throw new PageNotFoundError();
    }
    return source;
  }

  /** @param generatedSecrets - of a source that was just created */
  async page(visit: Visit, source: Source, generatedSecrets = {}): Promise<HtmlResponse> {
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
