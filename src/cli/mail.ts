import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { InboundService, IngestedEvent } from '../inbound/inbound.service.js';
import { readHeadOf } from '../inbound/mail/message-head.js';
import { readReports } from '../inbound/mail/read-reports.js';
import type { MailReport } from '../inbound/mail/mail-report.js';
import type { Source } from '../inbound/sources/source.entity.js';
import { fileProblem } from '../process/file-problem.js';
import { EXIT_CODE } from '../process/operator-error.js';
import { printable } from '../process/printable.js';
import { withServices } from './context.js';
import { openInput } from './input.js';
import { command } from './options.js';
import { print } from './output.js';
import { stopping } from './stopping.js';

const NO_REPORT = 'The message is neither a bounce nor a feedback report. Nothing was changed.';

export function mailCommand(): Command {
  return command('mail', 'Read raw mail: bounces and feedback reports')
    .addCommand(mailInspectCommand())
    .addCommand(mailIngestCommand());
}

function mailInspectCommand(): Command {
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
  const reports = await read(file, async (stream) => readReports(await buffer(stream)));
  if (reports) {
    await print(JSON.stringify({ file, reports: reports.map(toReportRow) }));
  }
}

/** Reads a file; undefined if it cannot be read, which is reported. */
async function read<Content>(
  file: string,
  work: (stream: Readable) => Promise<Content>,
): Promise<Content | undefined> {
  const stream = openInput(file);
  try {
    return await work(stream);
  } catch (problem) {
    stopping.signal.throwIfAborted();
    reportUnreadable(file, problem);
    return undefined;
  } finally {
    stream.destroy();
  }
}

function reportUnreadable(file: string, problem: unknown): void {
  console.error(printable(`Cannot read ${file}: ${fileProblem(problem)}`));
  process.exitCode = EXIT_CODE.failed;
}

/** Scripts rely on these fields: a verdict is suppress, watch or ignore, and feedback without effect is a complaint. */
function toReportRow(report: MailReport): Record<string, unknown> {
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

function mailIngestCommand(): Command {
  return command(
    'ingest',
    'Process the events that each message reports, and print them, one JSON line per file',
  )
    .requiredOption('--source <id>', 'Source of the provider "mail" that the messages belong to')
    .argument('<file...>', 'Raw message (RFC 5322), or - for standard input')
    .action((files: string[], { source: id }: { source: string }) =>
      withServices(async (app) => {
        const services = await import('../inbound/inbound.service.js');
        const inbound = app.get(services.InboundService);
        const source = await inbound.getMailSource(id);
        for (const file of files) {
          stopping.signal.throwIfAborted();
          await ingest(inbound, source, file);
        }
      }),
    );
}

/** A file that cannot be read, or is empty, is reported and skipped. */
async function ingest(inbound: InboundService, source: Source, file: string): Promise<void> {
  const message = await read(file, readHeadOf);
  if (!message) {
    return;
  }
  if (message.length === 0) {
    return reportUnreadable(file, new Error('it is empty'));
  }
  const { events, hasOptedOut } = await inbound.ingest(source, message);
  const unsubscribed = hasOptedOut && { unsubscribed: true };
  const ignored = events.length === 0 && !hasOptedOut && { note: NO_REPORT };
  await print(JSON.stringify({ file, events: events.map(toEventRow), ...unsubscribed, ...ignored }));
}

function toEventRow({ event, outcome, suppressionId, isRepeated }: IngestedEvent): Record<string, unknown> {
  const { recipient, kind, effect, status, diagnostic, reason, emailId } = event;
  return {
    recipient,
    kind,
    effect,
    outcome,
    repeated: isRepeated,
    suppression_id: suppressionId,
    source_id: emailId,
    status,
    diagnostic,
    reason,
  };
}
