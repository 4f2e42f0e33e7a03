import { ApiProperty, ApiPropertyOptional, ApiSchema, OmitType } from '@nestjs/swagger';
import { Expose, Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { CursorDto, PageDto, type Page } from '../../http/page.js';
import { CAUSE_MEANINGS, CAUSES, type Cause } from '../../ledger/cause.js';
import { Invalid } from '../../validation/invalid.js';
import { isName } from '../../validation/name.js';
import { IsParsed, Parse } from '../../validation/parse.decorator.js';
import type { Hints } from '../formats/detect.js';
import { SKIP_REASONS } from '../formats/format.js';
import { FORMAT_NAMES } from '../formats/formats.js';
import type { FoundImport } from '../imports.repository.js';
import type { NewImport } from '../imports.service.js';
import { enumOf } from '../../validation/enum-of.js';
import type { JobStatus } from '../../jobs/job.entity.js';
import { FORMAT_MEANINGS } from '../formats/meanings.js';

const STATUS_MEANINGS: Readonly<Record<Exclude<JobStatus, 'uploading'>, string>> = {
  queued: 'the file is stored, and waits for an instance',
  running: 'an instance reads the file',
  completed: 'all rows were read',
  failed: 'the import stopped at the `error`; what it added before remains',
  cancelled: 'it was cancelled; what it added before remains',
  reverted: 'its changes were undone',
};
const MAX_FILENAME_LENGTH = 255;
const MAPPED_FIELDS = ['email', 'cause', 'created_at'];

type MappedColumns = NonNullable<Hints['mapping']>;

/** Reads `email=Address,cause=Reason`. */
function parseMapping(input: unknown): MappedColumns | Invalid {
  const pairs = String(input)
    .split(',')
    .map((pair) => [pair.slice(0, pair.indexOf('=')).trim(), pair.slice(pair.indexOf('=') + 1).trim()]);
  const mapping = Object.fromEntries(pairs) as Record<string, string>;
  const isMapping =
    'email' in mapping && pairs.every(([field, column]) => MAPPED_FIELDS.includes(field!) && column !== '');
  return isMapping
    ? (mapping as MappedColumns & Record<string, string>)
    : new Invalid(
        `must name the column of the address and may name others: email=Address,cause=Reason,created_at=Date`,
      );
}

function parseName(input: unknown): string | Invalid {
  return typeof input === 'string' && isName(input)
    ? input
    : new Invalid('must have 1 to 100 characters, without control characters or line breaks');
}

function parseFilename(input: unknown): string | Invalid {
  return typeof input === 'string' && input.length <= MAX_FILENAME_LENGTH && /^[^\p{Cc}\p{Cs}]+$/u.test(input)
    ? input
    : new Invalid(`must have 1 to ${MAX_FILENAME_LENGTH} characters, without control characters`);
}

@ApiSchema({ name: 'CreateImportQuery' })
export class CreateImportDto {
  @ApiPropertyOptional({
    ...enumOf(
      'The format of the file. It is detected if this is left out, and never guessed.',
      FORMAT_MEANINGS,
    ),
  })
  @Expose()
  @IsOptional()
  @IsIn(FORMAT_NAMES, { message: `must be one of ${FORMAT_NAMES.join(', ')}` })
  format?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'The columns of another CSV: `email=Address,cause=Reason,created_at=Date`.',
  })
  @Expose()
  @Parse(parseMapping)
  @IsOptional()
  @IsParsed('isMapping', 'must be a mapping')
  mapping?: MappedColumns;

  @ApiPropertyOptional({
    ...enumOf('The cause of rows whose file gives none.', CAUSE_MEANINGS),
    default: 'manual',
  })
  @Expose()
  @IsIn(CAUSES, { message: `must be one of ${CAUSES.join(', ')}` })
  default_cause: Cause = 'manual';

  @ApiPropertyOptional({
    type: Boolean,
    description: 'Whether to count only, and leave the list as it is.',
    default: false,
  })
  @Expose()
  @Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean({ message: 'must be true or false' })
  dry_run: boolean = false;

  @ApiPropertyOptional({ type: String, description: 'A name for the import, for people.' })
  @Expose()
  @Parse(parseName)
  @IsOptional()
  @IsParsed('isImportName', 'must be a name')
  name?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'The name of the file. It decides between formats whose columns are the same.',
  })
  @Expose()
  @Parse(parseFilename)
  @IsOptional()
  @IsParsed('isFilename', 'must be a file name')
  filename?: string;

  toNewImport(): NewImport {
    const { format, mapping, filename, name = null, default_cause: defaultCause, dry_run: dryRun } = this;
    return { format, mapping, filename, name, defaultCause, dryRun };
  }
}

export class ImportCursorDto extends OmitType(CursorDto, ['before']) {}

@ApiSchema({ name: 'ImportFailure' })
export class ImportFailureDto {
  @ApiProperty({ description: 'What is wrong with the file.', example: 'unterminated_quote' })
  code!: string;

  @ApiProperty({ description: 'A sentence for a person.' })
  message!: string;

  @ApiProperty({ type: 'integer', description: 'The line of the file, counted from 1.', required: false })
  line?: number;
}

@ApiSchema({ name: 'Import' })
export class ImportDto {
  @ApiProperty({ enum: ['import'], example: 'import' })
  object = 'import' as const;

  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ type: String, nullable: true })
  name: string | null;

  @ApiProperty({ type: String, nullable: true })
  filename: string | null;

  @ApiProperty(enumOf('', STATUS_MEANINGS))
  status: string;

  @ApiProperty(enumOf('', FORMAT_MEANINGS))
  format: string;

  @ApiProperty({ description: 'Whether the import only counts.' })
  dry_run: boolean;

  @ApiProperty({ type: 'integer', description: 'The size of the file, without compression.' })
  bytes: number;

  @ApiProperty({
    type: 'integer',
    description: 'How many rows were read: the sum of the five counts below.',
  })
  rows: number;

  @ApiProperty({ type: 'integer', description: 'Addresses that were not on the list.' })
  added: number;

  @ApiProperty({ type: 'integer', description: 'Addresses that were on the list for a weaker cause.' })
  strengthened: number;

  @ApiProperty({ type: 'integer', description: 'Addresses that were on the list for as strong a cause.' })
  unchanged: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: `Rows that must not become suppressions, by reason: ${SKIP_REASONS.join(', ')}.`,
  })
  skipped: Record<string, number>;

  @ApiProperty({ type: 'integer', description: 'Rows that could not be read: see the errors.' })
  invalid: number;

  @ApiProperty({ type: 'integer', description: 'Addresses that a revert has taken back so far.' })
  reverted: number;

  @ApiProperty({ type: ImportFailureDto, nullable: true, description: 'Why the import failed.' })
  error: ImportFailureDto | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  completed_at: string | null;

  constructor(found: FoundImport) {
    const { rows, added, strengthened, unchanged, skipped, invalid, revert } = found.progress;
    this.id = found.id;
    this.name = found.name;
    this.filename = found.filename;
    this.status = found.status;
    this.format = found.plan.format;
    this.dry_run = found.dryRun;
    this.bytes = Number(found.bytes);
    this.rows = rows;
    this.added = added;
    this.strengthened = strengthened;
    this.unchanged = unchanged;
    this.skipped = skipped;
    this.invalid = invalid;
    this.reverted = revert?.reverted ?? 0;
    this.error = found.error;
    this.created_at = found.createdAt.toISOString();
    this.completed_at = found.completedAt?.toISOString() ?? null;
  }
}

@ApiSchema({ name: 'ImportList' })
export class ImportsPageDto extends PageDto {
  @ApiProperty({ type: [ImportDto] })
  data: ImportDto[];

  constructor({ elements, hasMore }: Page<FoundImport>) {
    super(hasMore);
    this.data = elements.map((found) => new ImportDto(found));
  }
}
