import { Command, Help, InvalidArgumentError, Option } from 'commander';

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
      outputError: (text) => console.error(`${text.trimEnd().replaceAll('\n', ' ')} (see --help)`),
    })
    .exitOverride();
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

/** Reads `90d`, `12h` or `30m`; returns milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,9})([mhd])$/.exec(text) ?? [];
  const duration = count && unit ? Number(count) * UNIT_MS[unit]! : NaN;
  if (!(duration <= MAX_DURATION_MS)) {
    throw new InvalidArgumentError('Use days, hours or minutes, up to 100 years: 90d, 12h, 30m.');
  }
  return duration;
}

/** Reads a duration of at least a minute; returns milliseconds. */
export function parseLifetime(text: string): number {
  const duration = parseDuration(text);
  if (duration === 0) {
    throw new InvalidArgumentError('Use at least a minute: 1m.');
  }
  return duration;
}
