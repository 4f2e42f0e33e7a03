import { Command, InvalidArgumentError } from 'commander';
import type { LoadedDatabase, TemporaryServer } from './database.js';
import { measureEventLoop } from './event-loop/measure.js';
import { measureLookupsDuringImport } from './files/lookups-during-import.js';
import { measureFile } from './files/measure.js';
import { PARTS, type Part } from './parts.js';
import type { Table } from './report.js';
import { measureArrival } from './webhooks/measure.js';

/** The ids of absent records must fit into a UUIDv7. */
const MIN_ROWS = 50_000;
const MAX_ROWS = 10_000_000;

type Measure = (server: TemporaryServer, database: LoadedDatabase, options: Options) => Promise<Table>;

/** The parts that measure no rates. An import comes last, because it makes the list longer. */
const OTHER_PARTS = new Map<string, Measure>([
  ['event-loop', measureEventLoop],
  ['webhooks', measureArrival],
  ['export', (...bench) => measureFile('export', ...bench)],
  ['scrub', (...bench) => measureFile('scrub', ...bench)],
  ['import', (...bench) => measureFile('import', ...bench)],
  ['lookups-during-import', measureLookupsDuringImport],
]);

export interface Options {
  rows: number;
  fileRows: number;
  parts: Part[];
  others: [string, Measure][];
  rounds: number;
  seconds: number;
  warmUp: number;
  json?: string;
  check: boolean;
  cpuProf?: string;
}

export function readOptions(): Options {
  const names = PARTS.map(({ name, onlyOnRequest }) => name + (onlyOnRequest ? ' (only on request)' : ''));
  const { only, ...options } = new Command('bench')
    .description('Measures the service and its peers side by side, with a temporary database.')
    .option('--rows <count>', 'records in the list', wholeNumber(MIN_ROWS, MAX_ROWS), 1_000_000)
    .option('--file-rows <count>', 'rows of each file', wholeNumber(MIN_ROWS, MAX_ROWS), 200_000)
    .option('--only <part,...>', 'only these parts', readNames)
    .option('--rounds <count>', 'measurements of each contender', wholeNumber(1, 100), 5)
    .option('--seconds <count>', 'duration of a measurement', wholeNumber(1, 60), 3)
    .option('--warm-up <seconds>', 'time before the first round of each contender', wholeNumber(1, 60), 5)
    .option('--json <file>', 'also write the figures as JSON')
    .option('--check', 'exit with 1 if a ratio or a limit is missed', false)
    .option('--cpu-prof <folder>', 'write V8 profiles of the service, which slow it down')
    .addHelpText('after', `\nParts: ${[...names, ...OTHER_PARTS.keys()].join(', ')}`)
    .parse()
    .opts<Omit<Options, 'parts' | 'others'> & { only?: string[] }>();
  return {
    ...options,
    parts: PARTS.filter(({ name, onlyOnRequest }) => (only ? only.includes(name) : !onlyOnRequest)),
    others: [...OTHER_PARTS].filter(([name]) => only?.includes(name) ?? true),
  };
}

function readNames(text: string): string[] {
  const names = text.split(',');
  const known = [...OTHER_PARTS.keys(), ...PARTS.map(({ name }) => name)];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`There is no part ${unknown}. --help lists the parts.`);
  }
  return names;
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (!(value >= min && value <= max)) {
      throw new InvalidArgumentError(`Enter a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}
