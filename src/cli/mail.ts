import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { readReports } from '../inbound/mail/read-reports.js';
import type { MailReport } from '../inbound/mail/report.js';
import { EXIT_CODE } from '../process/operator-error.js';
import { mailIngestCommand } from './mail-ingest.js';
import { command } from './options.js';

const STANDARD_INPUT = '-';

export function mailCommand(): Command {
  return command('mail', 'raw messages: bounces and feedback reports')
    .addCommand(
      command('inspect', 'print what each message reports, a JSON line a file, without touching the list')
        .argument('<file...>', 'a raw message (RFC 5322); - for the standard input')
        .action(inspect),
    )
    .addCommand(mailIngestCommand());
}

/** A file that cannot be read is told of and left out; the others are printed all the same. */
async function inspect(files: string[]): Promise<void> {
  for (const file of files) {
    try {
      const raw = file === STANDARD_INPUT ? await buffer(process.stdin) : await readFile(file);
      console.log(JSON.stringify({ file, reports: (await readReports(raw)).map(toRow) }));
    } catch (problem) {
      console.error(`Cannot read ${file}: ${(problem as Error).message}`);
      process.exitCode = EXIT_CODE.failed;
    }
  }
}

/** Scripts rely on these fields: a verdict is suppress, watch or ignore, and feedback without effect is a complaint. */
function toRow(report: MailReport): Record<string, unknown> {
  const { recipient, status, diagnostic, reason } = report;
  const kind = report.kind === 'unknown' ? 'complaint' : report.kind;
  return { recipient, kind, verdict: verdictOf(report), status, diagnostic, reason };
}

function verdictOf({ effect, bounceType }: MailReport): string {
  return effect === 'none' ? (bounceType === 'blocked' ? 'watch' : 'ignore') : effect;
}
