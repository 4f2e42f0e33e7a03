import { checkpoint } from './database.js';
import type { Job } from './load/job.js';
import type { Options } from './options.js';
import type { Contender, Part } from './parts.js';
import { cpuSecondsOf, type LoadProcess } from './processes.js';
import type { Stations } from './stations.js';
import { summarize, type PartResult, type Round } from './statistics.js';

/** Warms every contender up, then measures them in turns, round after round. */
export async function measurePart(
  part: Part,
  stations: Stations,
  load: LoadProcess,
  { rounds, seconds, warmUp }: Options,
): Promise<PartResult> {
  const measured = new Map<string, Round[]>(part.contenders.map(({ name }) => [name, []]));
  for (const contender of part.contenders) {
    await load.run(toJob(part, contender, stations, warmUp));
  }
  for (let round = 0; round < rounds; round++) {
    for (const contender of part.contenders) {
      const { listener, database } = stations[contender.runner]!;
      const job = toJob(part, contender, stations, seconds);
      await checkpoint(database.url);
      const before = listener && (await cpuSecondsOf(listener.process));
      const measurement = await load.run(job);
      const after = listener && (await cpuSecondsOf(listener.process));
      const cpuSeconds = before !== undefined && after !== undefined ? after - before : undefined;
      measured.get(contender.name)!.push({ ...measurement, cpuSeconds });
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
  const { listener, database, replica } = stations[runner]!;
  const { url, apiKey, records, sources } = database;
  const target = listener ? { port: listener.port, apiKey } : replica ? { replica } : { databaseUrl: url };
  return { workload, target, records, sources, connections, seconds };
}
