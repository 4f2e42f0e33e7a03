import type { Command } from 'commander';
import { mailIngestCommand } from './mail-ingest.js';
import { mailInspectCommand } from './mail-inspect.js';
import { command } from './options.js';

export function mailCommand(): Command {
  return command('mail', 'Read raw mail: bounces and feedback reports')
    .addCommand(mailInspectCommand())
    .addCommand(mailIngestCommand());
}
