import { readInvocation } from '../config/invocation.js';

/** A command as the user must type it. */
export function commandLine(...args: string[]): string {
  return [readInvocation(), ...args.map(quote)].join(' ');
}

/** Quotes an argument for a POSIX shell, if it needs to be quoted. */
function quote(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", String.raw`'\''`)}'`;
}
