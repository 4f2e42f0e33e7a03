import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { ApiError } from '../http/api-error.js';
import { readHeadOf } from '../inbound/mail/read-head.js';
import type { Ingested, MailIngestService } from '../inbound/mail-ingest.service.js';
import type { Source } from '../inbound/sources/source.entity.js';
import { EXIT_CODE } from '../process/operator-error.js';
import { stopping, withServices } from './context.js';
import { command } from './options.js';

const STANDARD_INPUT = '-';

export function mailIngestCommand(): Command {
  return command('ingest', 'do what each message reports; print what that was, a JSON line a file')
    .requiredOption('--source <id>', 'the source of the provider "mail" that it comes from')
    .argument('<file...>', 'a raw message (RFC 5322); - for the standard input')
    .action((files: string[], { source: id }: { source: string }) =>
      withServices(async (app) => {
        const services = await import('../inbound/mail-ingest.service.js');
        const mail = app.get(services.MailIngestService);
        const source = await mail.getSource(id);
        for (const file of files) {
          stopping.signal.throwIfAborted();
          await ingest(mail, source, file);
        }
      }),
    );
}

/** A file that cannot be read is told of and left out; the others are taken in all the same. */
async function ingest(mail: MailIngestService, source: Source, file: string): Promise<void> {
  const stream = file === STANDARD_INPUT ? process.stdin : createReadStream(file);
  try {
    const ingested = await mail.ingest(source, await readHeadOf(stream));
    console.log(JSON.stringify({ file, events: ingested.map(toRow) }));
  } catch (problem) {
    if (!isOfFile(problem)) {
      throw problem;
    }
    console.error(`Cannot read ${file}: ${problem.message}`);
    process.exitCode = EXIT_CODE.failed;
  } finally {
    stream.destroy();
  }
}

/** It is empty, too large, or cannot be opened; all else, as of the database, is no fault of the file. */
function isOfFile(problem: unknown): problem is Error {
  const isRefused = problem instanceof ApiError && problem.statusCode < 500;
  const { syscall = '' } = problem as { syscall?: string };
  return isRefused || (problem instanceof Error && ['open', 'read'].includes(syscall));
}

function toRow({ event, outcome, suppressionId, isRepeated }: Ingested): Record<string, unknown> {
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
