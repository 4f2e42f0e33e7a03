import { ApiProperty, ApiSchema, OmitType } from '@nestjs/swagger';
import { csvField, csvRow, SPREADSHEET_START, spreadsheetField } from '../files/csv-text.js';
import { CursorDto, pageOf } from '../http/page.js';
import { enumOf, integer, nullableUuid, objectWithId } from '../http/properties.js';
import type { JobStatus } from '../jobs/job.entity.js';
import type { ChangeActor } from '../ledger/evidence.js';
import { SKIP_REASONS } from './formats/format.js';
import { FORMAT_MEANINGS } from './formats/formats.js';
import { keptByRevert } from './chunks.js';
import type { FoundImport, StoredError } from './imports.repository.js';

/** An import changes the list as an actor of its own. Its id leads to its creator. */
export function actorOfImport(found: FoundImport): ChangeActor {
  return { type: 'import', id: found.id, name: titleOf(found) };
}

/** The name of an import, or of its file, or else `plain, 2026-01-15 09:30 UTC`. */
export function titleOf({ name, filename, plan, createdAt }: FoundImport): string {
  return name ?? filename ?? `${plan.format}, ${createdAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const STATUS_MEANINGS: Readonly<Record<Exclude<JobStatus, 'uploading'>, string>> = {
  queued: 'the file is stored, and waits for an instance',
  running: 'an instance is reading the file',
  completed: 'all rows were read',
  failed: 'the import stopped at the `error` (what it added before remains), or no row was valid',
  cancelled: 'it was cancelled; what it added before remains',
  reverted: 'its changes were undone',
};
export class ImportCursorDto extends OmitType(CursorDto, ['before']) {}

export class ImportFailureDto {
  @ApiProperty({ description: 'What is wrong with the file.', example: 'unterminated_quote' })
  code!: string;

  @ApiProperty({ description: 'A message for people.' })
  message!: string;

  @ApiProperty({ type: 'integer', description: 'The line of the file, counted from 1.', required: false })
  line?: number;
}

export class ImportDto extends objectWithId('import', {}) {
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Null if the import has no name. The history then shows the name of the file or, without one, the format and the ' +
      'time.',
  })
  name: string | null;

  @ApiProperty({ type: String, nullable: true })
  filename: string | null;

  @ApiProperty(enumOf('', STATUS_MEANINGS))
  status: string;

  @ApiProperty(enumOf('', FORMAT_MEANINGS))
  format: string;

  @ApiProperty(nullableUuid('The topic, if the file has opt-outs.'))
  topic: string | null;

  @ApiProperty({ description: 'Whether this is a dry run, which changes nothing.' })
  dry_run: boolean;

  @ApiProperty({ type: 'integer', description: 'The size of the file, without compression.' })
  bytes: number;

  @ApiProperty(
    integer('How many rows were read: `added` + `strengthened` + `unchanged` + `skipped` + `invalid`.'),
  )
  rows: number;

  @ApiProperty({ type: 'integer', description: 'Addresses that were not on the list.' })
  added: number;

  @ApiProperty({ type: 'integer', description: 'Addresses on the list that got another cause.' })
  strengthened: number;

  @ApiProperty({ type: 'integer', description: 'Rows that changed nothing.' })
  unchanged: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description:
      `Rows that must not become suppressions, by reason: ${SKIP_REASONS.join(', ')}. A row is \`removed_since\` if its cause was ` +
      'removed, or the recipient opted in, after the date of the row.',
  })
  skipped: Record<string, number>;

  @ApiProperty({ type: 'integer', description: 'Rows that could not be read: see the errors.' })
  invalid: number;

  @ApiProperty({ type: 'integer', description: 'Addresses whose changes a revert has undone so far.' })
  reverted: number;

  @ApiProperty({
    type: 'integer',
    description:
      'Once the import is reverted: `added` + `strengthened` - `reverted`. Something else has confirmed, changed, or removed these ' +
      'addresses since. To remove the addresses that are still listed, create a lift with the id of the import as `actor`.',
  })
  kept: number;

  @ApiProperty({ type: ImportFailureDto, nullable: true, description: 'Why the import failed.' })
  error: ImportFailureDto | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  completed_at: string | null;

  constructor(found: FoundImport) {
    const { rows, added, strengthened, unchanged, skipped, invalid, revert } = found.progress;
    super(found);
    this.name = found.name;
    this.filename = found.filename;
    this.status = found.status;
    this.format = found.plan.format;
    this.topic = found.topicId;
    this.dry_run = found.dryRun;
    this.bytes = Number(found.bytes);
    this.rows = rows;
    this.added = added;
    this.strengthened = strengthened;
    this.unchanged = unchanged;
    this.skipped = skipped;
    this.invalid = invalid;
    this.reverted = revert?.reverted ?? 0;
    this.kept = keptByRevert(found);
    this.error = found.error;
    this.created_at = found.createdAt.toISOString();
    this.completed_at = found.completedAt?.toISOString() ?? null;
  }
}

@ApiSchema({ name: 'ImportList' })
export class ImportsPageDto extends pageOf(ImportDto, null) {}

/** Yields the errors of an import as CSV. A value can be any text of a file. */
export async function* toErrorsCsv(
  pages: AsyncIterable<StoredError[]>,
  isForSpreadsheet = false,
): AsyncGenerator<string> {
  const [start, field] = isForSpreadsheet ? [SPREADSHEET_START, spreadsheetField] : ['', csvField];
  yield start + csvRow(['line', 'code', 'value']);
  for await (const errors of pages) {
    yield errors.map(({ line, code, value }) => `${line},${code},${field(value)}\r\n`).join('');
  }
}
