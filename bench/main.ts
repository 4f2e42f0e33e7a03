import { TemporaryServer, readSize } from './database.js';
import { readOptions, type Options } from './options.js';
import { stopAll, stopForGood } from './processes.js';
import { measureRates } from './rates.js';
import { formatSide, formatTable, writeJson } from './report.js';

let starting: Promise<TemporaryServer> | undefined;
let cleaning: Promise<void> | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void cleanUp().finally(() => process.exit(130)));
}
try {
  const options = readOptions();
  const holds = await run(options);
  process.exitCode = options.check && !holds ? 1 : 0;
} catch (error) {
  if (!cleaning) {
    console.error(error);
    process.exitCode = 2;
  }
} finally {
  await cleanUp();
}

/** @returns whether all ratios and limits hold */
async function run(options: Options): Promise<boolean> {
  const startedMs = performance.now();
  starting = TemporaryServer.start();
  const server = await starting;
  log(`loading ${options.rows.toLocaleString('en')} records`);
  const database = await server.load('bench', options.rows, { withLedger: true });
  const size = await readSize(database.url);
  log('starting the service and its peers');
  const { tables, ...rates } = await measureRates(server, database, options, log);
  await stopAll();
  for (const [name, measure] of options.others) {
    log(`measuring ${name}`);
    tables.push(await measure(server, database, options));
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const side = { ...rates, size, seconds };
  tables.forEach((table) => console.log(`\n${formatTable(table)}`));
  console.log(`\n${formatSide(side, options)}`);
  if (options.json) {
    await writeJson(options.json, tables, side, options);
  }
  return tables.every(({ holds }) => holds);
}

/** Stops everything, once. */
function cleanUp(): Promise<void> {
  cleaning ??= stopForGood()
    .then(() => starting)
    .then((server) => server?.stop())
    .catch((error: Error) => console.error(error.message));
  return cleaning;
}

function log(message: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${message}`);
}
