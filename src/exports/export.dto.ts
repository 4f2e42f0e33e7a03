import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ValidationError } from '../http/errors/errors.js';
import { enumOf } from '../http/properties.js';
import { FILTER_NAMES, FilterDto, toFilter } from '../suppressions/dto/list.dto.js';
import { parseTopicRef, type TopicRef } from '../topics/topic-ref.js';
import { OneOf, OptionalParsed, Parsed } from '../validation/field.decorators.js';
import { parseBoolean, type Timestamp } from '../validation/parsers.js';
import {
  EXPORT_FORMAT_MEANINGS,
  EXPORT_FORMATS,
  MAILGUN_CAUSES,
  MAILGUN_PROBLEM,
  PREFERENCE_FORMATS,
  preferenceWriterOf,
  writerOf,
  type ExportFormat,
  type ExportWriter,
  type PreferenceWriter,
} from './formats.js';
import type { ExportContent } from './exports.service.js';

@ApiSchema({ name: 'ExportQuery' })
export class ExportDto extends FilterDto {
  @ApiPropertyOptional({
    ...enumOf('The format of the file.', EXPORT_FORMAT_MEANINGS),
    default: 'csv',
  })
  @OneOf(EXPORT_FORMATS)
  format: ExportFormat = 'csv';

  @ApiPropertyOptional({
    type: Boolean,
    description:
      "Whether to put `'` before the cells of a CSV that a spreadsheet would run as a formula, and to begin the file with a byte " +
      'order mark, which Excel needs. Only with the format `csv`.',
    default: false,
  })
  @Parsed(parseBoolean)
  spreadsheet: boolean = false;

  @ApiPropertyOptional({
    type: String,
    description:
      'The id or the key of a topic. The export then contains the choices of recipients for this topic instead of the ' +
      'list. Only with the formats `csv` and `ndjson`, and without filters.',
  })
  @OptionalParsed(parseTopicRef)
  topic?: TopicRef;

  /** The parameters by their names in the API, for the audit log. */
  toParameters(): object {
    const { format, origin, cause, domain, created_after, created_before } = this;
    const timestampOf = (timestamp: Timestamp | undefined) =>
      timestamp && new Date(timestamp.floor).toISOString();
    return {
      format,
      origin,
      cause,
      domain,
      created_after: timestampOf(created_after),
      created_before: timestampOf(created_before),
    };
  }

  /** @throws {ValidationError} */
  toContent(): ExportContent {
    return this.topic
      ? { topic: this.topic, writer: this.toPreferenceWriter() }
      : { filter: toFilter(this), writer: this.toWriter() };
  }

  private toPreferenceWriter(): PreferenceWriter {
    const filters = FILTER_NAMES.filter((name) => this[name] !== undefined);
    if (filters.length > 0) {
      throw ValidationError.ofFields(
        filters.map((path) => ({ path, message: 'must be left out if topic is given' })),
      );
    }
    const format = PREFERENCE_FORMATS.find((name) => name === this.format);
    if (!format) {
      throw ValidationError.ofField('format', `must be ${PREFERENCE_FORMATS.join(' or ')} if topic is given`);
    }
    this.requireCsvForSpreadsheet();
    return preferenceWriterOf(format, this.spreadsheet);
  }

  private toWriter(): ExportWriter {
    const { format, cause, spreadsheet } = this;
    if (format === 'mailgun' && !MAILGUN_CAUSES.some((allowed) => allowed === cause)) {
      throw ValidationError.ofField('cause', MAILGUN_PROBLEM);
    }
    this.requireCsvForSpreadsheet();
    return writerOf(format, { isForSpreadsheet: spreadsheet, cause });
  }

  private requireCsvForSpreadsheet(): void {
    if (this.spreadsheet && this.format !== 'csv') {
      throw ValidationError.ofField('spreadsheet', 'must be false unless format is csv');
    }
  }
}
