import { setTimeout as delay } from 'node:timers/promises';
import { execute, type LoadedDatabase, type TemporaryServer } from './database.js';
import type { Measurement } from './load/job.js';
import type { Options } from './options.js';
import { contendersOf, type Contender, type Part } from './parts.js';
import { LoadProcess, cpuSecondsOf, memoryOf } from './processes.js';
import { deleteTopicAndRulesSql, insertTopicAndRulesSql } from './records.js';
import { compareRounds, median, type Table } from './report.js';
import { startRunners, type Runners } from './runners.js';

/** A process that was just busy or just started returns memory within this time. */
export const REST_MS = 3_000;

interface Round extends Measurement {
  /** Units a second. */
  rate: number;
  /** Processor time of the contender's process per request; NaN if the system does not report it. */
  cpuMicros: number;
}

type Rounds = Map<string, Round[]>;

export interface Rates {
  tables: Table[];
  /** Bytes of memory of the service, at rest and after each part. */
  memory: Record<string, number>;
  readyMs: number[];
}

export async function measureRates(
  server: TemporaryServer,
  database: LoadedDatabase,
  options: Options,
  log: (message: string) => void,
): Promise<Rates> {
  const { runners, service, readyMs } = await startRunners(server, database, options);
  const load = new LoadProcess();
  await delay(REST_MS);
  const memory: Rates['memory'] = { 'at rest': await memoryOf(service.process) };
  const rates: Table = { rows: [], holds: true };
  const costs: Table = { rows: [], holds: true };
  for (const part of options.parts) {
    log(`measuring ${part.name}`);
    if (part.hasTopicAndRules) {
      await execute(database.url, insertTopicAndRulesSql(database.records));
    }
    const rounds = await measurePart(part, runners, load, options);
    addRates(rates, part, rounds);
    addCosts(costs, part, rounds);
    if (part.hasTopicAndRules) {
      await execute(database.url, deleteTopicAndRulesSql(database.records));
    }
    memory[`after ${part.name}`] = await memoryOf(service.process);
  }
  await delay(REST_MS);
  memory['at the end'] = await memoryOf(service.process);
  const tables = options.parts.length > 0 ? [rates, costs] : [];
  return { tables, memory, readyMs };
}

/** Warms up all contenders, and then measures them in turns. */
async function measurePart(
  part: Part,
  runners: Runners,
  load: LoadProcess,
  { rounds, seconds, warmUp }: Options,
): Promise<Rounds> {
  const measured: Rounds = new Map();
  const run = ({ runner, workload }: Contender, duration: number): Promise<Measurement> => {
    const { listener, database, replica } = runners[runner]!;
    const { url, apiKey, records, sources } = database;
    const target = listener ? { port: listener.port, apiKey } : replica ? { replica } : { databaseUrl: url };
    return load.run({ workload, target, records, sources, connections: part.connections, seconds: duration });
  };
  for (const contender of contendersOf(part)) {
    await run(contender, warmUp);
    measured.set(contender.name, []);
  }
  // A checkpoint writes all dirty pages, so that no contender pays for the writes of another.
  for (let round = 0; round < rounds; round++) {
    for (const contender of contendersOf(part)) {
      const { listener, database } = runners[contender.runner]!;
      await execute(database.url, 'CHECKPOINT');
      const before = await cpuSecondsOf(listener?.process);
      const measurement = await run(contender, seconds);
      const cpuSeconds = (await cpuSecondsOf(listener?.process)) - before;
      const { perRequest = part.perRequest } = contender;
      const rate = (measurement.requests * perRequest) / measurement.seconds;
      const cpuMicros = (cpuSeconds * 1e6) / measurement.requests;
      measured.get(contender.name)!.push({ ...measurement, rate, cpuMicros });
    }
  }
  return measured;
}

function addRates(table: Table, part: Part, rounds: Rounds): void {
  const valuesOf = ({ name }: Contender, field: keyof Round) =>
    rounds.get(name)!.map((round) => round[field]);
  const rateOf = (contender: Contender) =>
    `${Math.round(median(valuesOf(contender, 'rate'))).toLocaleString('en')} ${part.unit}/s`;
  const latencyOf = (contender: Contender) =>
    `${median(valuesOf(contender, 'p50Ms')).toFixed(1)} / ${median(valuesOf(contender, 'p99Ms')).toFixed(1)}`;
  for (const { title, of, to, atLeast, atMost } of part.comparisons) {
    const { ratio, spread } = compareRounds(valuesOf(of, 'rate'), valuesOf(to, 'rate'));
    const holds = ratio >= (atLeast ?? 0) && ratio <= (atMost ?? Infinity);
    table.holds &&= holds;
    table.rows.push({
      part: title,
      ours: of.name,
      rate: rateOf(of),
      'p50 / p99 ms': latencyOf(of),
      peer: to.name,
      'its rate': rateOf(to),
      'its p50 / p99 ms': latencyOf(to),
      ratio: ratio.toFixed(2),
      spread,
      wanted: atMost ? `${atLeast} to ${atMost}` : (atLeast ?? ''),
      result: atLeast === undefined ? '' : holds ? 'ok' : 'MISSED',
    });
  }
}

function addCosts(table: Table, part: Part, rounds: Rounds): void {
  for (const [process, measured] of rounds) {
    const micros = median(measured.map(({ cpuMicros }) => cpuMicros));
    if (!Number.isNaN(micros)) {
      table.rows.push({ part: part.name, process, 'processor time per request, µs': Math.round(micros) });
    }
  }
}
