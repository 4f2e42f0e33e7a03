import { Injectable } from '@nestjs/common';
import { ExportPagesRepository, type ExportFilter } from './export-pages.repository.js';
import type { ExportWriter } from './formats.js';

@Injectable()
export class ExportsService {
  constructor(private readonly pages: ExportPagesRepository) {}

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
