import type { Command } from 'commander';
import { command } from '../options.js';
import { mailIngestCommand } from './mail-ingest.js';
import { mailInspectCommand } from './mail-inspect.js';

export function mailCommand(): Command {
  return command('mail', 'Read raw mail: bounces and feedback reports')
    .addCommand(mailInspectCommand())
    .addCommand(mailIngestCommand());
}
