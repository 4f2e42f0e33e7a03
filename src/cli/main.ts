import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { stopping } from './context.js';
import { run } from './run.js';

/** The output belongs to scripts. */
Logger.overrideLogger(false);
/** Whoever reads it may leave early, as head(1) does: the command still ends in order. */
process.stdout.on('error', () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort());
}
await run(process.argv.slice(2));
