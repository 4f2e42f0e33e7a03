import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { readReports } from '../../inbound/mail/read-reports.js';
import type { MailReport } from '../../inbound/mail/report.js';
import { EXIT_CODE } from '../../process/operator-error.js';
import { printable } from '../../process/printable.js';
import { stopping } from '../stopping.js';
import { fileProblem } from '../file-problem.js';
import { openInput } from '../input.js';
import { command } from '../options.js';
import { print } from '../output.js';

export function mailInspectCommand(): Command {
  return command('inspect', 'Print what each message reports, one JSON line per file; change nothing')
    .argument('<file...>', 'Raw message (RFC 5322), or - for standard input')
    .action(async (files: string[]) => {
      for (const file of files) {
        await inspect(file);
      }
    });
}

/** A file that cannot be read is reported and skipped. */
async function inspect(file: string): Promise<void> {
  const reports = await read(file);
  if (reports) {
    await print(JSON.stringify({ file, reports: reports.map(toRow) }));
  }
}

async function read(file: string): Promise<MailReport[] | undefined> {
  try {
    return await readReports(await buffer(openInput(file)));
  } catch (problem) {
    stopping.signal.throwIfAborted();
    console.error(printable(`Cannot read ${file}: ${fileProblem(problem)}`));
    process.exitCode = EXIT_CODE.failed;
    return undefined;
  }
}

/** Scripts rely on these fields: a verdict is suppress, watch or ignore, and feedback without effect is a complaint. */
function toRow(report: MailReport): Record<string, unknown> {
  const { recipient, status, diagnostic, reason } = report;
  const kind = report.kind === 'unknown' ? 'complaint' : report.kind;
  return { recipient, kind, verdict: verdictOf(report), status, diagnostic, reason };
}

function verdictOf({ effect, bounceType }: MailReport): string {
  if (effect === 'suppress-if-absent') {
    return 'suppress';
  }
  return effect === 'none' ? (bounceType === 'blocked' ? 'watch' : 'ignore') : effect;
}
