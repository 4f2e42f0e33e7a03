import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { foldName } from '../files/csv-text.js';
import { ValidationError } from '../http/errors/errors.js';
import { enumOf, text } from '../http/properties.js';
import { CAUSE_MEANINGS, CAUSES, type Cause } from '../ledger/cause.js';
import { parseTopicRef, type TopicRef } from '../topics/topic-ref.js';
import { OneOf, OptionalOneOf, OptionalParsed, Parsed } from '../validation/field.decorators.js';
import { Invalid, isName, parseBoolean } from '../validation/parsers.js';
import { DATE_FORMATS, UTC_DATES, type DateFormat } from './dates.js';
import type { Hints } from './formats/format.js';
import { FORMAT_MEANINGS, FORMAT_NAMES } from './formats/formats.js';
import type { NewImport } from './new-import.js';
import { canonicalTimeZone } from './time-zone.js';

const MAX_FILENAME_LENGTH = 255;
const DATE_FORMAT_MEANINGS: Readonly<Record<DateFormat, string>> = {
  'dd.mm.yyyy': 'such as `31.12.2020`',
  'dd/mm/yyyy': 'such as `31/12/2020`',
  'dd-mm-yyyy': 'such as `31-12-2020`',
  'mm/dd/yyyy': 'such as `12/31/2020`',
};
const MAPPED_FIELDS = ['email', 'cause', 'created_at'];

type MappedColumns = NonNullable<Hints['mapping']>;

/** The name of a column may have commas. */
function parseMapping(input: unknown): MappedColumns | Invalid {
  const pairs = String(input)
    .split(/,(?=\s*\w+\s*=)/)
    .map((pair) => /^([^=]*)=(.*)$/s.exec(pair)?.slice(1) ?? [])
    .map(([field = '', column = '']) => [field.trim(), column.trim()] as const);
  const fields = pairs.map(([field]) => field);
  const columns = pairs.map(([, column]) => foldName(column));
  const isMapping =
    fields.includes('email') &&
    new Set(fields).size === fields.length &&
    new Set(columns).size === columns.length &&
    pairs.every(([field, column]) => MAPPED_FIELDS.includes(field) && column !== '');
  return isMapping
    ? (Object.fromEntries(pairs) as MappedColumns & Record<string, string>)
    : new Invalid(
        `must map email to a column, and may map cause and created_at, each to a column of its own: email=Address,cause=Reason,created_at=Date`,
      );
}

function parseName(input: unknown): string | Invalid {
  return typeof input === 'string' && isName(input)
    ? input
    : new Invalid(
        'must have 1 to 100 characters, not only spaces, without control characters or line breaks',
      );
}

function parseFilename(input: unknown): string | Invalid {
  return typeof input === 'string' && input.length <= MAX_FILENAME_LENGTH && /^[^\p{Cc}\p{Cs}]+$/u.test(input)
    ? input
    : new Invalid(`must have 1 to ${MAX_FILENAME_LENGTH} characters, without control characters`);
}

/** A name that cannot be used counts as missing. */
function toFilename(name: string | undefined): string | undefined {
  const parsed = parseFilename(name);
  return parsed instanceof Invalid ? undefined : parsed;
}

function parseTimeZone(input: unknown): string | Invalid {
  const zone = typeof input === 'string' ? canonicalTimeZone(input) : null;
  return zone ?? new Invalid('must be a time zone of the IANA database, such as Europe/Berlin');
}

@ApiSchema({ name: 'CreateImportQuery' })
export class CreateImportDto {
  @ApiPropertyOptional({
    ...enumOf(
      'The format of the file. If absent, it is detected. An ambiguous file is refused.',
      FORMAT_MEANINGS,
    ),
  })
  @OptionalOneOf(FORMAT_NAMES)
  format?: string;

  @ApiPropertyOptional(text('The columns of any other file: `email=Address,cause=Reason,created_at=Date`.'))
  @OptionalParsed(parseMapping)
  mapping?: MappedColumns;

  @ApiPropertyOptional({
    ...enumOf(
      'The form of dates that do not mean the same everywhere, such as `03.04.2021`. A time may follow. Dates that begin ' +
        'with the year, RFC 2822, and Unix seconds are always read.',
      DATE_FORMAT_MEANINGS,
    ),
  })
  @OptionalOneOf(DATE_FORMATS)
  date_format?: DateFormat;

  @ApiPropertyOptional({
    type: String,
    description:
      'The IANA time zone of dates without an offset, such as `Europe/Berlin`. Only for the format `csv`.',
    default: 'UTC',
  })
  @Parsed(parseTimeZone)
  time_zone: string = UTC_DATES.timeZone;

  @ApiPropertyOptional({
    ...enumOf('The cause of rows that name none.', CAUSE_MEANINGS),
    default: 'manual',
  })
  @OneOf(CAUSES)
  default_cause: Cause = 'manual';

  @ApiPropertyOptional({
    type: Boolean,
    description: 'If true, the rows are counted and nothing changes.',
    default: false,
  })
  @Parsed(parseBoolean)
  dry_run: boolean = false;

  @ApiPropertyOptional({
    type: String,
    description:
      'The id or the key of a topic. The addresses of the file become opt-outs of this topic instead of suppressions.',
  })
  @OptionalParsed(parseTopicRef)
  topic?: TopicRef;

  @ApiPropertyOptional(text('A name for the import, shown in the history and in the console.'))
  @OptionalParsed(parseName)
  name?: string;

  @ApiPropertyOptional(text('The name of the file, which distinguishes formats with the same columns.'))
  @OptionalParsed(parseFilename)
  filename?: string;

  /**
   * @param uploadedAs - the name of the file in a form, unless the query names it
   * @throws {ValidationError}
   */
  toNewImport(uploadedAs?: string): NewImport {
    if (this.mapping && this.format !== undefined && this.format !== 'csv') {
      throw ValidationError.ofField('mapping', 'describes a file of your own: leave out mapping or format');
    }
    const { format, mapping, filename = toFilename(uploadedAs), name = null, topic = null } = this;
    const { default_cause: defaultCause, dry_run: dryRun } = this;
    const dates = { format: this.date_format ?? null, timeZone: this.time_zone };
    return { format, mapping, filename, dates, name, topic, defaultCause, dryRun };
  }
}
