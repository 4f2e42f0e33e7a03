import 'reflect-metadata';
import { readFileSync } from 'node:fs';
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
await run(process.argv.slice(2), versionOfPackage());

function versionOfPackage(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
