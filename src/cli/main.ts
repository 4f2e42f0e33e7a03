#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { isOperatorCommand, runClient } from './client/run.js';
import { OutputError } from './output.js';
import { stopping } from './stopping.js';

/** Scripts rely on standard output, so a failed write is a failure. */
process.stdout.on('error', (error) => {
  process.exitCode = new OutputError(error).exitCode;
});
process.stderr.on('error', () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort(signal));
}
const args = process.argv.slice(2);
if (isOperatorCommand(args[0])) {
  await import('reflect-metadata');
  const { Logger } = await import('@nestjs/common');
  Logger.overrideLogger(false);
  const { run } = await import('./run.js');
  await run(args, versionOfPackage());
} else {
  await runClient(args, versionOfPackage());
}

function versionOfPackage(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
