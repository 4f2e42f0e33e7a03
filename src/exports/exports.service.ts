import { Injectable } from '@nestjs/common';
import { writeCursor } from '../ledger/feed-position.js';
import { FeedService } from '../feed/feed.service.js';
import { ExportPagesRepository, type ExportFilter } from './export-pages.repository.js';
import type { ExportWriter } from './formats.js';

@Injectable()
export class ExportsService {
  constructor(
    private readonly pages: ExportPagesRepository,
    private readonly feed: FeedService,
  ) {}

  /**
   * The end of the feed, for the start of an export. A change before it was committed, so every page of the export shows it;
   * one after it comes in the feed. So export and feed together miss nothing.
   */
  async cursor(accountId: number): Promise<string> {
    return writeCursor({ accountId, ...(await this.feed.head(accountId)) });
  }

  /** Writes the list in pieces of constant size. */
  async *write(accountId: number, filter: ExportFilter, writer: ExportWriter): AsyncGenerator<string> {
    let header = writer.header;
    for await (const records of this.pages.read(accountId, filter)) {
      const text = header + records.map((record) => writer.write(record)).join('');
      header = '';
      if (text !== '') {
        yield text;
      }
    }
    if (header !== '') {
      yield header;
    }
  }
}
