import { Command, InvalidArgumentError } from 'commander';
import { LOOKUPS_DURING_IMPORT } from './files/lookups-during-import.js';
import { FILE_TASKS, type FileTask } from './files/measure.js';
import { EVENT_LOOP, PARTS, WEBHOOKS, type Part } from './parts.js';

/** The ids of absent records must fit into a UUIDv7. */
const MIN_ROWS = 50_000;
const MAX_ROWS = 10_000_000;
const FILE_ROWS = 200_000;

const OTHER_PARTS: string[] = [EVENT_LOOP, WEBHOOKS, ...FILE_TASKS, LOOKUPS_DURING_IMPORT];

export interface Options {
  rows: number;
  parts: Part[];
  /** Whether the longest blocks of the event loop are measured, too. */
  eventLoop: boolean;
  /** Whether the time from commit to arrival at a webhook is measured, too. */
  webhooks: boolean;
  /** The tasks with files that are measured, too. */
  files: FileTask[];
  fileRows: number;
  /** Whether the latency of lookups during an import is measured, too. */
  lookupsDuringImport: boolean;
  rounds: number;
  seconds: number;
  warmUp: number;
  /** Where the figures go as JSON. */
  json?: string;
  /** Whether a ratio below its threshold makes the exit code 1. */
  check: boolean;
  /** Folder for V8 profiles of the service. They slow it down. */
  cpuProf?: string;
}

export function readOptions(): Options {
  const names = PARTS.map(({ name, onlyWhenAsked }) => name + (onlyWhenAsked ? ' (only when asked)' : ''));
  names.push(...OTHER_PARTS);
  const { only, ...options } = new Command('bench')
    .description('Measures the service and its peers side by side, on a throw-away database.')
    .option('--rows <count>', 'records in the list', wholeNumber(MIN_ROWS, MAX_ROWS), 1_000_000)
    .option('--file-rows <count>', 'rows of each file', wholeNumber(MIN_ROWS, MAX_ROWS), FILE_ROWS)
    .option('--only <part,...>', 'these parts alone', readNames)
    .option('--rounds <count>', 'how often each contender is measured', wholeNumber(1, 100), 5)
    .option('--seconds <count>', 'how long each measurement takes', wholeNumber(1, 60), 3)
    .option(
      '--warm-up <seconds>',
      'how long each contender runs before its first round',
      wholeNumber(1, 60),
      5,
    )
    .option('--json <file>', 'write the figures as JSON, too')
    .option('--check', 'exit with 1 when a ratio misses its threshold', false)
    .option('--cpu-prof <folder>', 'write V8 profiles of the service, which slow it down')
    .addHelpText('after', `\nParts: ${names.join(', ')}`)
    .parse()
    .opts<
      Omit<Options, 'parts' | 'eventLoop' | 'webhooks' | 'files' | 'lookupsDuringImport'> & {
        only?: string[];
      }
    >();
  return {
    ...options,
    parts: PARTS.filter(({ name, onlyWhenAsked }) => (only ? only.includes(name) : !onlyWhenAsked)),
    eventLoop: only?.includes(EVENT_LOOP) ?? true,
    webhooks: only?.includes(WEBHOOKS) ?? true,
    files: FILE_TASKS.filter((task) => only?.includes(task) ?? true),
    lookupsDuringImport: only?.includes(LOOKUPS_DURING_IMPORT) ?? true,
  };
}

function readNames(text: string): string[] {
  const names = text.split(',');
  const known = [...OTHER_PARTS, ...PARTS.map(({ name }) => name)];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`There is no part ${unknown}. --help lists them.`);
  }
  return names;
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (!(value >= min && value <= max)) {
      throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}
