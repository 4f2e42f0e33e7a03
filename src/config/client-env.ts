import { homedir } from 'node:os';
import { basename, join, relative } from 'node:path';

/** The settings of commands that talk to the service over HTTP. They do not read `.env`, which belongs to the service. */
export interface ClientEnv {
  SUPPRESSIONS_URL: string | undefined;
  SUPPRESSIONS_API_KEY: string | undefined;
  /** Folder of the configuration of a user, by default `~/.config`. */
  XDG_CONFIG_HOME: string;
}

/** An empty variable counts as absent. */
export function readClientEnv(env: NodeJS.ProcessEnv = process.env): ClientEnv {
  return {
    SUPPRESSIONS_URL: env.SUPPRESSIONS_URL || undefined,
    SUPPRESSIONS_API_KEY: env.SUPPRESSIONS_API_KEY || undefined,
    XDG_CONFIG_HOME: env.XDG_CONFIG_HOME || join(homedir(), '.config'),
  };
}

/** The command that the user typed, without its arguments. */
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
