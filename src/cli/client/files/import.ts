import type { Command } from 'commander';
import { countLineFeeds } from '../../../files/csv-rows.js';
import { DATE_FORMATS } from '../../../imports/dates.js';
import type { ImportDto } from '../../../imports/import.dto.js';
import { CAUSES } from '../../../ledger/cause.js';
import { EXIT_CODE } from '../../../process/operator-error.js';
import { printableLines } from '../../../process/printable.js';
import { choice, command, commandLine, jsonOption, type JsonOption } from '../../options.js';
import { print } from '../../output.js';
import { Api, ApiProblem, toFields } from '../api.js';
import { watchJob } from '../reads.js';
import { Progress, withCommas } from '../text.js';
import { download } from './download.js';
import { isRefusedFile, namingFile, openWithProgress, uploadsOf, type Upload } from './upload.js';

const ENDED = ['completed', 'failed', 'cancelled', 'reverted'];
/** The status if the account has too many imports. */
const CONFLICT = 409;
const HELP = `
The format is detected; docs/files.md lists the formats. The lists in a zip file of
Mandrill or Mailchimp are imported one by one. Files ending in .gz are sent as they are.
Without --watch, the command ends when the files are uploaded.

Examples:
  suppressions import suppression_bounces.csv --watch
  suppressions import rejects.zip --dry-run --watch
  suppressions import old.csv --mapping email=Address,cause=Reason --default-cause manual
  suppressions import blocked.csv --date-format dd.mm.yyyy --time-zone Europe/Berlin
  suppressions import - --format plain < addresses.txt
`;

interface ImportOptions extends JsonOption {
  watch?: boolean;
}

interface Pending {
  imported: ImportDto;
  upload: Upload;
}

export function importCommand(): Command {
  return command('import', 'Import lists of suppressions from files')
    .argument('<file...>', 'Files, zip files, or - for standard input')
    .option('--format <format>', 'Format of the file, such as sendgrid-bounces')
    .option('--mapping <columns>', 'Columns of any other file: email=Address,cause=Reason,created_at=Date')
    .addOption(choice('--date-format <format>', 'Form of dates such as 03.04.2021', DATE_FORMATS))
    .option('--time-zone <zone>', 'Zone of dates without an offset, such as Europe/Berlin')
    .addOption(choice('--default-cause <cause>', 'Cause of rows that name none', CAUSES))
    .option('--topic <topic>', 'Import opt-outs of a topic, given by its id or key')
    .option('--name <name>', 'A name for the import')
    .option('--dry-run', 'Only count, and change nothing')
    .option('--watch', 'Wait until the imports end, and show the counts')
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(async (files: string[], options: ImportOptions) => {
      const api = new Api();
      const imports: ImportDto[] = [];
      const uploads = (await Promise.all(files.map(uploadsOf))).flat();
      const pending: Pending[] = [];
      try {
        for (const upload of uploads) {
          const filename = upload.filename ?? 'standard input';
          const imported = await importOne(api, upload, options, pending).catch((problem: unknown) => {
            if (uploads.length === 1 || !isRefusedFile(problem)) {
              throw namingFile(problem, upload);
            }
            console.error(printableLines(`${filename}: ${problem.message}`));
            process.exitCode = EXIT_CODE.failed;
          });
          if (imported) {
            imports.push(imported);
            if (!options.json) {
              await print(printableLines(summaryOf(filename, imported)));
            }
          }
        }
      } finally {
        if (options.json && (imports.length > 0 || uploads.length > 1)) {
          await print(JSON.stringify(imports));
        }
      }
      if (imports.some((imported) => isEnded(imported) && imported.status !== 'completed')) {
        process.exitCode = EXIT_CODE.failed;
      }
    });
}

/**
 * While the account has too many imports, waits for those of this command.
 *
 * @param pending - the imports of this command that may not have ended, the oldest first
 */
async function importOne(
  api: Api,
  upload: Upload,
  options: ImportOptions,
  pending: Pending[],
): Promise<ImportDto> {
  for (;;) {
    try {
      const { imported, lines } = await send(api, upload, options);
      if (options.watch) {
        return await watchImport(api, imported, lines, upload);
      }
      pending.push({ imported, upload });
      return imported;
    } catch (problem) {
      const isFull = problem instanceof ApiProblem && problem.status === CONFLICT;
      const oldest = isFull && upload.filename !== undefined ? pending.shift() : undefined;
      if (!oldest) {
        throw problem;
      }
      await watchImport(api, oldest.imported, null, oldest.upload);
    }
  }
}

async function send(
  api: Api,
  upload: Upload,
  { json: _json, watch: _watch, ...options }: ImportOptions,
): Promise<{ imported: ImportDto; lines: number | null }> {
  const { filename, headers } = upload;
  const query = { filename, ...toFields(options) };
  const progress = new Progress(filename ?? 'upload', 'MB');
  let lines = 0;
  const count = (piece: Buffer) => (lines += countLineFeeds(piece.toString('latin1')));
  const body = await openWithProgress(upload, progress, count);
  const response = await api.send('POST', '/imports', { query, headers, body }).finally(() => progress.end());
  const imported = JSON.parse(Buffer.concat(await response.toArray()).toString()) as ImportDto;
  return { imported, lines: headers['Content-Encoding'] ? null : lines };
}

function watchImport(
  api: Api,
  { id }: ImportDto,
  lines: number | null,
  { filename }: Upload,
): Promise<ImportDto> {
  return watchJob<ImportDto>(api, {
    path: `/imports/${id}`,
    subject: `The import ${id}`,
    hint: `To cancel it, open it in the console, or call POST /imports/${id}/cancel.`,
    title: filename ?? 'import',
    isRunning: (imported) => !isEnded(imported),
    progressOf: ({ rows }) => [rows, lines],
  });
}

function isEnded({ status }: ImportDto): boolean {
  return ENDED.includes(status);
}

function summaryOf(filename: string, imported: ImportDto): string {
  if (!isEnded(imported)) {
    return `${filename}: uploaded as ${imported.format}, import ${imported.id}`;
  }
  const { added, strengthened, unchanged, invalid } = imported;
  const skipped = Object.values(imported.skipped).reduce((sum, count) => sum + count, 0);
  const reasons = skipped > 0 ? ` (${listOf(imported.skipped)})` : '';
  const counts = Object.entries({ added, strengthened, unchanged, skipped, invalid })
    .map(([name, count]) => `  ${name.padEnd(12)}  ${withCommas(count)}${name === 'skipped' ? reasons : ''}`)
    .join('\n');
  const status = imported.dry_run ? `${imported.status} (dry run)` : imported.status;
  const problem = imported.error ? `\n  ${imported.error.message}` : '';
  const hint = invalid > 0 ? `\n  To see the invalid rows: ${commandLine('import-errors', imported.id)}` : '';
  return `${filename}: ${status}, ${withCommas(imported.rows)} ${imported.rows === 1 ? 'row' : 'rows'} as ${imported.format}, import ${imported.id}\n${counts}${problem}${hint}`;
}

function listOf(skipped: ImportDto['skipped']): string {
  return Object.entries(skipped)
    .map(([reason, count]) => `${reason} ${withCommas(count)}`)
    .join(', ');
}

const ERRORS_HELP = `
A CSV file with the line, a code, and the value of each invalid row.

Examples:
  suppressions import-errors 0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11 > invalid.csv
`;

export function importErrorsCommand(): Command {
  return command('import-errors', 'Print the invalid rows of an import')
    .argument('<import>', 'Id of the import')
    .addHelpText('after', ERRORS_HELP)
    .action(async (id: string) => {
      const path = `/imports/${encodeURIComponent(id)}/errors`;
      await download(await new Api().send('GET', path), undefined);
    });
}
