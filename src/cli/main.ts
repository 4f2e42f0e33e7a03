#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { EXIT_CODE } from '../process/operator-error.js';
import { isOperatorCommand, runClient } from './client/run.js';
import { stopping } from './stopping.js';

/** Standard output is for scripts. */
process.stdout.on('error', () => {
  process.exitCode = EXIT_CODE.failed;
});
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
