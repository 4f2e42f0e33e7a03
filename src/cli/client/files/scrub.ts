import type { Command } from 'commander';
import { EXIT_CODE, OperatorError } from '../../../process/operator-error.js';
import type { ScrubDto } from '../../../scrubs/scrub.dto.js';
import {
  choice,
  command,
  jsonOption,
  outputFile,
  outputOption,
  type JsonOption,
  type OutputOption,
} from '../../options.js';
import { Api, toFields } from '../api.js';
import { Progress, withCommas } from '../text.js';
import { download } from './download.js';
import { namingFile, openWithProgress, uploadsOf } from './upload.js';

const HELP = `
Writes the same file without the suppressed and invalid addresses. Writes the counts to
standard error.

Examples:
  suppressions scrub campaign.csv > campaign-clean.csv
  suppressions scrub campaign.csv --output campaign-clean.csv --topic news
  suppressions scrub campaign.csv --mode annotate --column Contact > annotated.csv
`;

export function scrubCommand(): Command {
  return command('scrub', 'Remove suppressed addresses from a file of recipients')
    .argument('<file>', 'CSV, or one address per line; - for standard input')
    .addOption(choice('--mode <mode>', 'What to write', ['filter', 'annotate']))
    .option('--column <name>', 'Column of the addresses')
    .option('--topic <topic>', 'For mail about a topic, given by its id or key')
    .option('--transactional', 'For transactional mail')
    .addOption(outputOption())
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(async (file: string, { output: given, json, ...options }: JsonOption & OutputOption) => {
      const output = outputFile(given);
      const api = new Api();
      const [upload, ...more] = await uploadsOf(file);
      if (!upload || more.length > 0) {
        throw new OperatorError(`${file} has more than one file. Scrub them one by one.`);
      }
      const progress = new Progress(upload.filename ?? 'scrub', 'MB');
      const body = await (output === undefined ? upload.open() : openWithProgress(upload, progress));
      const headers = { ...upload.headers, 'Content-Type': 'text/csv' };
      const query = toFields(options);
      const response = await api
        .send('POST', '/scrubs', { query, headers, body })
        .catch((problem: unknown) => {
          throw namingFile(problem, upload);
        });
      const id = String(response.headers['scrub-id']);
      try {
        await download(response, output);
      } catch (error) {
        const { problem } = await api.get<ScrubDto>(`/scrubs/${id}`);
        throw problem ? new OperatorError(problem) : error;
      } finally {
        progress.end();
      }
      const counts = await api.get<ScrubDto>(`/scrubs/${id}`);
      console.error(json ? JSON.stringify(counts) : summaryOf(counts));
      process.exitCode = counts.status === 'completed' ? 0 : EXIT_CODE.failed;
    });
}

function summaryOf({ rows, send, suppressed, invalid }: ScrubDto): string {
  const counts = { rows, send, suppressed, invalid };
  return Object.entries(counts)
    .map(([name, count]) => `${name}: ${withCommas(count)}`)
    .join(', ');
}
