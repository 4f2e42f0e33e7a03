import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { readEnv } from './config/env.js';
import { createApp } from './create-app.js';
import { openDatabase } from './database/open-database.js';
import { describeDemo } from './demo.js';
import { JsonLogger, createLogger } from './logger.js';
import { reportProblem } from './operator-error.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

async function start(): Promise<() => Promise<void>> {
  const env = readEnv();
  const logger = createLogger(env.LOG_LEVEL);
  Logger.overrideLogger(new JsonLogger(logger));
  const database = await openDatabase(env, 'service');
  const app = await createApp({ ...env, DATABASE_URL: database.url }, logger);
  await app.listen(env.PORT, env.HOST);
  if (database.embedded) {
    console.log(await describeDemo(app, env));
  }
  return async () => {
    await app.close();
    await database.close();
  };
}

const starting = start();
for (const signal of SIGNALS) {
  process.once(signal, () => {
    new Logger('Main').log(`${signal}: finishing the requests in flight`);
    starting.then((stop) => stop()).then(() => process.exit(0), exitWithProblem);
  });
}
await starting.catch(exitWithProblem);

function exitWithProblem(problem: unknown): never {
  process.exit(reportProblem(problem));
}
