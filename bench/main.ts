import { setTimeout as delay } from 'node:timers/promises';
import { ThrowAwayServer, diskUse, execute, type LoadedDatabase } from './database.js';
import { formatBlocks, measureEventLoop, type Block } from './event-loop/measure.js';
import {
  formatLookupsDuringImport,
  LOOKUPS_DURING_IMPORT,
  measureLookupsDuringImport,
  type LookupsDuringImport,
} from './files/lookups-during-import.js';
import { formatFiles, measureFiles, type FileResult } from './files/measure.js';
import { measurePart } from './measure.js';
import { readOptions, type Options } from './options.js';
import { EVENT_LOOP, WEBHOOKS } from './parts.js';
import { LoadProcess, memoryOf, stopAll, stopForGood } from './processes.js';
import { formatSide, formatTable, writeJson, type Side } from './report.js';
import { openStations, type OpenStations } from './stations.js';
import { deleteTopicAndRulesSql, insertTopicAndRulesSql } from './topic-and-rules.js';
import type { PartResult } from './statistics.js';
import { formatArrival, measureArrival, type Arrival } from './webhooks/measure.js';

/** Until a process that was just busy or just started holds the memory that it goes on with. */
const REST_MS = 3_000;

let starting: Promise<ThrowAwayServer> | undefined;
let cleaning: Promise<void> | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void cleanUp().finally(() => process.exit(130)));
}
try {
  const options = readOptions();
  const missed = await run(options);
  process.exitCode = options.check && missed ? 1 : 0;
} catch (error) {
  if (!cleaning) {
    console.error(error);
    process.exitCode = 2;
  }
} finally {
  await cleanUp();
}

/** @returns whether a ratio or a limit was missed */
async function run(options: Options): Promise<boolean> {
  const startedMs = performance.now();
  starting = ThrowAwayServer.start();
  const server = await starting;
  tell(`loading ${options.rows.toLocaleString('en')} records`);
  const database = await server.load('bench', options.rows, { withLedger: true });
  const disk = await diskUse(database.url);
  tell('starting the service and its peers');
  const open = await openStations(server, database, options);
  const many = open.stations['service-20-accounts'];
  const diskOfMany = many && (await diskUse(many.database.url));
  const { results, memory } = await measureParts(open, options);
  await stopAll();
  const files = options.files.length > 0 ? await measureTasks(server, database, options) : [];
  const lookups = options.lookupsDuringImport ? [await measureLookups(server, database, options)] : [];
  const blocks = options.eventLoop ? await measureBlocks(server, database, options) : [];
  const arrivals = options.webhooks ? [await measureWebhooks(server, database, options)] : [];
  const seconds = (performance.now() - startedMs) / 1000;
  const { readyMs } = open;
  const side = { disk, diskOfMany, readyMs, memory, postgres: await server.version(), seconds };
  if (results.length > 0) {
    console.log(`\n${formatTable(results)}`);
  }
  if (blocks.length > 0) {
    console.log(`\n${formatBlocks(blocks)}`);
  }
  if (files.length > 0) {
    console.log(`\n${formatFiles(files)}`);
  }
  lookups.forEach((result) => console.log(`\n${formatLookupsDuringImport(result)}`));
  arrivals.forEach((arrival) => console.log(`\n${formatArrival(arrival)}`));
  console.log(`\n${formatSide(results, side, options)}`);
  if (options.json) {
    await writeJson(options.json, results, blocks, arrivals, files, lookups, side, options);
  }
  return [
    ...results.flatMap(({ comparisons }) => comparisons),
    ...blocks,
    ...arrivals,
    ...files,
    ...lookups,
  ].some(({ holds }) => !holds);
}

function measureBlocks(
  server: ThrowAwayServer,
  database: LoadedDatabase,
  { rounds }: Options,
): Promise<Block[]> {
  tell(`measuring ${EVENT_LOOP}`);
  return measureEventLoop(server, database, rounds);
}

function measureWebhooks(
  server: ThrowAwayServer,
  database: LoadedDatabase,
  { rounds, seconds }: Options,
): Promise<Arrival> {
  tell(`measuring ${WEBHOOKS}`);
  return measureArrival(server, database, rounds * seconds);
}

async function measureParts(
  { stations, service }: OpenStations,
  options: Options,
): Promise<{ results: PartResult[]; memory: Side['memory'] }> {
  const load = new LoadProcess();
  const memory: Side['memory'] = {};
  await delay(REST_MS);
  memory['at rest'] = await memoryOf(service.process);
  const results: PartResult[] = [];
  for (const part of options.parts) {
    tell(`measuring ${part.name}`);
    const { url, records } = stations.pg!.database;
    if (part.hasTopicAndRules) {
      await execute(url, insertTopicAndRulesSql(records));
    }
    results.push(await measurePart(part, stations, load, options));
    if (part.hasTopicAndRules) {
      await execute(url, deleteTopicAndRulesSql(records));
    }
    memory[`after ${part.name}`] = await memoryOf(service.process);
  }
  await delay(REST_MS);
  memory['at the end'] = await memoryOf(service.process);
  return { results, memory };
}

function measureTasks(
  server: ThrowAwayServer,
  database: LoadedDatabase,
  options: Options,
): Promise<FileResult[]> {
  tell(`measuring ${options.files.join(', ')}`);
  return measureFiles(server, database, options);
}

function measureLookups(
  server: ThrowAwayServer,
  database: LoadedDatabase,
  options: Options,
): Promise<LookupsDuringImport> {
  tell(`measuring ${LOOKUPS_DURING_IMPORT}`);
  return measureLookupsDuringImport(server, database, options);
}

/** Stops everything once, whoever asks. */
function cleanUp(): Promise<void> {
  cleaning ??= stopForGood()
    .then(() => starting)
    .then((server) => server?.stop())
    .catch((error: Error) => console.error(error.message));
  return cleaning;
}

function tell(what: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`);
}
