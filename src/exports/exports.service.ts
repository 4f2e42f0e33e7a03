import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { parametersOf, recordAudit, type AuditSubject } from '../audit/record-audit.js';
import type { Identity } from '../audit/request-context.js';
import { FeedService } from '../feed/feed.service.js';
import type { FeedPosition } from '../ledger/feed-position.js';
import { ExportPagesRepository } from './export-pages.repository.js';
import type { ExportWriter, PreferenceWriter } from './formats.js';
import type { SuppressionFilter } from '../suppressions/suppression-filter.js';
import { ERASED_DOMAIN } from '../email-address/email-address.js';
import { isPseudonym } from '../pseudonyms/pseudonym.js';
import { PreferencePagesRepository } from './preference-pages.repository.js';
import type { Topic } from '../topics/topic.entity.js';
import type { TopicRef } from '../topics/topic-ref.js';
import { TopicsService } from '../topics/topics.service.js';

export interface ExportRequest extends Identity {
  parameters: object;
}

/** The list, or what recipients chose for a topic. */
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
      const topic = await this.topics.get(accountId, content.topic);
      const head = await this.feed.head(accountId);
      return { head, leftOut: 0, pieces: this.writePreferences(request, topic, content.writer, head) };
    }
    const { filter, writer } = content;
    const head = await this.feed.head(accountId);
    const leftOut = await this.countLeftOut(accountId, filter, writer);
    return { head, leftOut, pieces: this.write(request, filter, writer, head) };
  }

  /**
   * Writes the list in pieces of constant size.
   *
   * @param head - the end of the feed, if the reader continues with it
   */
  async *write(
    request: ExportRequest,
    filter: SuppressionFilter,
    writer: ExportWriter,
    head?: FeedPosition,
  ): AsyncGenerator<string> {
    await this.record(request, { id: null, name: 'suppressions' });
    const pages = this.pages.read(request.accountId, {
      filter,
      withNotes: writer.needsNotes === true,
      position: head?.position ?? 0,
    });
    yield* writePages(writer.header, pages, (record) =>
      writer.needsAddresses && isPseudonym(record.email) ? '' : writer.write(record),
    );
  }

  private countLeftOut(accountId: number, filter: SuppressionFilter, writer: ExportWriter): Promise<number> {
    const mayLack = writer.needsAddresses || ![undefined, ERASED_DOMAIN].includes(filter.domain);
    return mayLack ? this.pages.countErased(accountId, filter) : Promise.resolve(0);
  }

  /** Writes the choices of recipients for a topic. Recipients who never chose have its default, and are not listed. */
  private async *writePreferences(
    request: ExportRequest,
    topic: Topic,
    writer: PreferenceWriter,
    head: FeedPosition,
  ): AsyncGenerator<string> {
    await this.record(request, topic);
    const pages = this.preferencePages.read(request.accountId, topic.id, head.position);
    yield* writePages(writer.header, pages, (preference) =>
      writer.write({ ...preference, topic: topic.key }),
    );
  }

  private record(request: ExportRequest, { id, name }: AuditSubject): Promise<void> {
    const changes = parametersOf(request.parameters);
    return recordAudit(this.dataSource.manager, request, 'export.started', { id, name }, changes);
  }
}

async function* writePages<Row>(
  start: string,
  pages: AsyncIterable<Row[]>,
  write: (row: Row) => string,
): AsyncGenerator<string> {
  let header = start;
  for await (const rows of pages) {
    const text = header + rows.map(write).join('');
    header = '';
    if (text !== '') {
      yield text;
    }
  }
  if (header !== '') {
    yield header;
  }
}
