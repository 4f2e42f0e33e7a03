import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { EXIT_CODE } from '../process/operator-error.js';
import { stopping } from './context.js';
import { run } from './run.js';

/** Standard output is for scripts. */
Logger.overrideLogger(false);
process.stdout.on('error', () => {
  process.exitCode = EXIT_CODE.failed;
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort(signal));
}
await run(process.argv.slice(2), versionOfPackage());

function versionOfPackage(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
