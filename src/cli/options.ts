import { Command, Help, InvalidArgumentError, Option } from 'commander';
import leven from 'leven';
import { readInvocation } from '../config/client-env.js';
import { parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { Invalid, parseTimestamp, PLUS_HINT } from '../validation/parsers.js';

/** A command as the user must type it. */
export function commandLine(...args: string[]): string {
  return [readInvocation(), ...args.map(quote)].join(' ');
}

/** Quotes an argument for a POSIX shell, if it needs to be quoted. */
function quote(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", String.raw`'\''`)}'`;
}

const LOOKS_LIKE_TIME = /^\d{4}-/;
const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_DURATION_MS = 100 * 365 * UNIT_MS.d!;

/** A command that reports a usage error in one line, and throws it. */
export function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .configureHelp({ commandUsage: usageOf })
    .configureOutput({
      outputError: (text) =>
        console.error(`${withNearSuggestion(text).trimEnd().replaceAll('\n', ' ')} (see --help)`),
    })
    .exitOverride();
}

/** Removes a suggestion that differs in more than a third of the letters, such as `logout` for `lookup`. */
function withNearSuggestion(text: string): string {
  return text.replace(
    /'(\S+)'\n\(Did you mean (?:one of )?([\w-]+).*/,
    (whole, typed: string, meant: string) =>
      leven(typed, meant) <= Math.ceil(typed.length / 3) ? whole : `'${typed}'`,
  );
}

/** Commander's usage line names no options, not even required ones. */
function usageOf(described: Command): string {
  const required = described.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
  return new Help().commandUsage(described).replace('[options]', [...required, '[options]'].join(' '));
}

export interface JsonOption {
  json?: boolean;
}

export const jsonOption = (): Option => new Option('--json', 'Print JSON');

export interface LimitOption extends JsonOption {
  limit: number;
}

/** @param things - the plural of the listed elements */
export function limitOption(things: string, limit = 30): Option {
  return new Option('-n, --limit <count>', `Maximum number of ${things}`)
    .argParser(numberUpTo(999_999_999, 'Use a whole number of at least 1.'))
    .default(limit);
}

export interface OutputOption {
  output?: string;
}

export const outputOption = (): Option =>
  new Option('-o, --output <file>', 'Write to a file instead of standard output').argParser(parseFile);

function parseFile(name: string): string {
  if (name === '') {
    throw new InvalidArgumentError('Name a file.');
  }
  return name;
}

/** The file to write to; undefined for standard output. */
export function outputFile(given: string | undefined): string | undefined {
  return given === '-' ? undefined : given;
}

/** An option that takes one of several words. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words);
}

export function requiredChoice(flags: string, description: string, words: readonly string[]): Option {
  return choice(flags, description, words).makeOptionMandatory();
}

/** Reads `90d`, `12h` or `30m`; returns milliseconds. */
export function parseDuration(text: string): number {
  const duration = durationOf(text);
  if (Number.isNaN(duration)) {
    throw new InvalidArgumentError('Use days, hours or minutes, up to 100 years: 90d, 12h, 30m.');
  }
  return duration;
}

function durationOf(text: string): number {
  const [, count, unit] = /^(\d{1,9})([mhd])$/.exec(text) ?? [];
  const duration = count && unit ? Number(count) * UNIT_MS[unit]! : NaN;
  return duration <= MAX_DURATION_MS ? duration : NaN;
}

/** Reads a duration of whole days, such as `7d` or `168h`; returns their number. */
export function parseDays(text: string): number {
  const days = parseDuration(text) / UNIT_MS.d!;
  if (!Number.isInteger(days) || days === 0) {
    throw new InvalidArgumentError('Use whole days: 7d, 168h.');
  }
  return days;
}

/** Reads a duration from now, such as `90d`, or a later time, such as `2027-01-15` or `2027-01-15T09:30:00Z`. */
export function parseExpiry(text: string): Date {
  const time = parseTimestamp(text);
  if (time instanceof Invalid && LOOKS_LIKE_TIME.test(text)) {
    throw new InvalidArgumentError(`It ${time.problem.replace(PLUS_HINT, '')}.`);
  }
  const expiry = time instanceof Invalid ? Date.now() + durationOf(text) : time.ceil;
  if (!(expiry > Date.now())) {
    throw new InvalidArgumentError(
      'Use at least a minute and at most 100 years, or a time in the future: 90d, 12h, 30m, 2027-01-15.',
    );
  }
  return new Date(expiry);
}

/**
 * @param subject - of the sentence that says what is wrong
 * @throws {InvalidArgumentError}
 */
export function valid<Value>(value: Value | Invalid, subject = 'It'): Value {
  if (value instanceof Invalid) {
    throw new InvalidArgumentError(`${subject} ${value.problem}.`);
  }
  return value;
}

export function parseAddress(text: string): EmailAddress {
  return valid<EmailAddress>(parseEmailAddress(text));
}

/** Reads a whole number from 1 to the greatest. */
export function numberUpTo(greatest: number, advice: string): (text: string) => number {
  return (text) => {
    if (!/^[1-9]\d*$/.test(text) || Number(text) > greatest) {
      throw new InvalidArgumentError(advice);
    }
    return Number(text);
  };
}
