import { basename, relative } from 'node:path';

/** What a user typed to run the command line, before its arguments. */
export function readInvocation(
  { npm_lifecycle_event: script }: NodeJS.ProcessEnv = process.env,
  file = process.argv[1] ?? '',
): string {
  if (script === 'cli') {
    return 'npm run cli --';
  }
  if (script === 'npx') {
    return 'npx suppressions';
  }
  return basename(file) === 'suppressions' ? 'suppressions' : `node ${relative('', file)}`;
}
