import type { Command } from 'commander';
import { choice, command, outputFile, outputOption, type OutputOption } from '../../options.js';
import { Api, toFields } from '../api.js';
import { withFilterOptions } from '../filter-options.js';
import { Progress, withCommas } from '../text.js';
import { download } from './download.js';

const FORMATS = ['csv', 'ndjson', 'ses', 'sendgrid', 'mailgun', 'postmark', 'sha256', 'md5'];
const HELP = `
Examples:
  suppressions export > suppressions.csv
  suppressions export --format ndjson --output suppressions.ndjson
  suppressions export --format mailgun --cause bounce --output bounces.csv
  suppressions export --topic news > news.csv
`;

interface ExportOptions extends OutputOption {
  domain?: string;
}

export function exportCommand(): Command {
  return withFilterOptions(command('export', 'Export the list or a part of it'))
    .addOption(choice('--format <format>', 'Format of the file', FORMATS).default('csv'))
    .option('--topic <topic>', 'Export the choices of recipients for a topic, given by its id or key')
    .option('--spreadsheet', 'Write a CSV for spreadsheets, with formulas quoted (only with csv)')
    .addOption(outputOption())
    .addHelpText('after', HELP)
    .action(async ({ output: given, ...options }: ExportOptions) => {
      const output = outputFile(given);
      const response = await new Api().send('GET', '/exports', { query: toFields(options) });
      const progress = new Progress(output ?? 'export', 'MB');
      const show = (bytes: number) => progress.show(bytes, null);
      await download(response, output, output === undefined ? undefined : show).finally(() => progress.end());
      const erased = Number(response.headers['erased-count']);
      if (erased > 0) {
        const which = options.domain === undefined ? '' : ' of all domains';
        console.error(`Erased addresses${which}, which are not in the file: ${withCommas(erased)}`);
      }
    });
}
