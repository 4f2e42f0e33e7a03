import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { parametersOf, recordAudit, type AuditSubject } from '../audit/record-audit.js';
import type { Identity } from '../audit/request-context.js';
import { readAhead } from '../files/streams.js';
import { FeedService } from '../feed/feed.service.js';
import type { FeedPosition } from '../ledger/feed-position.js';
import { ExportPagesRepository, type ExportedSuppression } from './export-pages.repository.js';
import type { ExportWriter, PreferenceWriter } from './formats.js';
import type { SuppressionFilter } from '../suppressions/suppression-filter.js';
import { ERASED_DOMAIN } from '../email-address/email-address.js';
import { isPseudonym } from '../pseudonyms/pseudonym.js';
import { PreferencePagesRepository, type ExportedPreference } from './preference-pages.repository.js';
import type { TopicRef } from '../topics/topic-ref.js';
import { TopicsService } from '../topics/topics.service.js';

export interface ExportRequest extends Identity {
  parameters: object;
}

/** The subject in the audit log. */
const LIST = { id: null, name: 'suppressions' };

/** The list, or what recipients chose for a topic. Recipients who never chose have its default, and are not listed. */
export type ExportContent =
  | { topic?: undefined; filter: SuppressionFilter; writer: ExportWriter }
  | { topic: TopicRef; writer: PreferenceWriter };

/** An export after which its reader continues with the feed. */
export interface StartedExport {
  /**
   * The end of the feed before the first page was read. Changes before it are committed, so every page shows them. Later changes
   * follow in the feed, so export and feed together miss nothing.
   */
  head: FeedPosition;
  /**
   * The number of records that are omitted because their addresses were erased. With a filter by domain, the number that may
   * match it.
   */
  leftOut: number;
  pieces: AsyncIterable<string>;
}

@Injectable()
export class ExportsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pages: ExportPagesRepository,
    private readonly preferencePages: PreferencePagesRepository,
    private readonly topics: TopicsService,
    private readonly feed: FeedService,
  ) {}

  /** @throws {TopicNotFoundError} */
  async start(request: ExportRequest, content: ExportContent): Promise<StartedExport> {
    const { accountId } = request;
    if (content.topic) {
      const { id, key, name } = await this.topics.get(accountId, content.topic);
      const head = await this.feed.head(accountId);
      const pages = this.preferencePages.read(accountId, id, head.position);
      const write = (preference: ExportedPreference) => content.writer.write({ ...preference, topic: key });
      return { head, leftOut: 0, pieces: this.write(request, { id, name }, content.writer, pages, write) };
    }
    const { filter, writer } = content;
    const head = await this.feed.head(accountId);
    const mayLack = writer.needsAddresses || ![undefined, ERASED_DOMAIN].includes(filter.domain);
    const leftOut = mayLack ? await this.pages.countErased(accountId, filter) : 0;
    const { position } = head;
    const pages = this.pages.read(accountId, { filter, withNotes: writer.needsNotes === true, position });
    const write = (record: ExportedSuppression) =>
      writer.needsAddresses && isPseudonym(record.email) ? '' : writer.write(record);
    return { head, leftOut, pieces: this.write(request, LIST, writer, pages, write) };
  }

  /** Writes a file in pieces of constant size. */
  private async *write<Row>(
    { parameters, ...identity }: ExportRequest,
    subject: AuditSubject,
    { header }: { header: string },
    pages: AsyncGenerator<Row[]>,
    write: (row: Row) => string,
  ): AsyncGenerator<string> {
    await recordAudit(this.dataSource.manager, identity, 'export.started', subject, parametersOf(parameters));
    let begin = header;
    for await (const rows of readAhead(pages)) {
      const text = begin + rows.map(write).join('');
      begin = '';
      if (text !== '') {
        yield text;
      }
    }
    if (begin !== '') {
      yield begin;
    }
  }
}
