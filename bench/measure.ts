import { checkpoint } from './database.js';
import type { Job, Measurement } from './load/job.js';
import type { Options } from './options.js';
import type { Contender, Part } from './parts.js';
import type { LoadProcess } from './processes.js';
import type { Stations } from './stations.js';
import { summarize, type PartResult } from './statistics.js';

/** Warms every contender up, then measures them in turns, round after round. */
export async function measurePart(
  part: Part,
  stations: Stations,
  load: LoadProcess,
  { rounds, seconds, warmUp }: Options,
): Promise<PartResult> {
  const measured = new Map<string, Measurement[]>(part.contenders.map(({ name }) => [name, []]));
  for (const contender of part.contenders) {
    await load.run(toJob(part, contender, stations, warmUp));
  }
  for (let round = 0; round < rounds; round++) {
    for (const contender of part.contenders) {
      const job = toJob(part, contender, stations, seconds);
      await checkpoint(stations[contender.runner]!.database.url);
      measured.get(contender.name)!.push(await load.run(job));
    }
  }
  return summarize(part, measured);
}

function toJob(
  { connections }: Part,
  { runner, workload }: Contender,
  stations: Stations,
  seconds: number,
): Job {
  const { port, database } = stations[runner]!;
  const { url, apiKey, records } = database;
  const target = port === undefined ? { databaseUrl: url } : { port, apiKey };
  return { workload, target, records, connections, seconds };
}
