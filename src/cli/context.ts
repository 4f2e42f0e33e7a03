import { userInfo } from 'node:os';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { toAppEnv } from '../app-env.js';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Actor } from '../audit/actor.js';
import type { OperatorContext, RequestContext } from '../audit/request-context.js';
import { readEnv } from '../config/read-env.js';
import { DatabaseError, forOperator } from '../database/errors.js';
import { handOverFirst } from '../database/transaction.js';
import { openDatabase } from '../database/startup/open-database.js';
import { isNotMigrated } from '../database/startup/schema.js';
import { ValidationError } from '../http/errors/errors.js';
import { UsageError } from '../process/operator-error.js';
import { SCHEMA } from '../schema.js';
import { stopping } from './stopping.js';

/** The actor of a command: the user on this machine. */
export function operator(): Actor {
  return { type: 'cli', id: null, name: userName() };
}

/** The context of a change in any account. The next step of a long change has no time left once a signal stops the command. */
export function operatorContext(): OperatorContext {
  return {
    actor: operator(),
    get deadline() {
      return stopping.signal.aborted ? 0 : Infinity;
    },
  };
}

/** The context of a change in an account. */
export async function contextOf(app: INestApplicationContext, account: string): Promise<RequestContext> {
  const { id: accountId } = await app.get(AccountsService).get(account);
  return { accountId, actor: operator(), deadline: Infinity };
}

/** A container may run under an id that no user has. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'operator';
  }
}

/**
 * Runs a command with the services of the application. They are imported here, so that help, usage errors and wrong
 * settings do not wait for them.
 *
 * @throws {DatabaseError} when the database cannot be used, fails, or is not migrated
 * @throws {UsageError} when a service refuses a value
 */
export async function withServices(work: (app: INestApplicationContext) => Promise<void>): Promise<void> {
  const env = readEnv();
  // A command must see what the previous one wrote.
  delete env.DATABASE_REPLICA_URL;
  const database = await openDatabase(env, 'client', SCHEMA, stopping.signal);
  try {
    if (process.stderr.isTTY) {
      console.error(`Database: ${database.description}`);
    }
    const { AppModule } = await import('../app.module.js');
    const app = await NestFactory.createApplicationContext(AppModule.forRoot(await toAppEnv(env, database)), {
      logger: false,
      abortOnError: false,
    });
    await work(app).finally(() => app.close());
  } catch (error) {
    if (error instanceof ValidationError) {
      throw new UsageError(error.message);
    }
    throw isNotMigrated(error)
      ? new DatabaseError('The database is not migrated. Run: npm run migrate')
      : forOperator(error);
  } finally {
    await database.close();
  }
}

/**
 * Runs a command that makes one change, and prints its result before the COMMIT. If that fails, nothing was changed.
 *
 * @param change - returns what its only transaction returns
 */
export function changeAndPrint<Result>(
  change: (app: INestApplicationContext) => Promise<Result>,
  printResult: (result: Result, app: INestApplicationContext) => Promise<void>,
): Promise<void> {
  return withServices(async (app) => {
    await handOverFirst(
      () => change(app),
      (result) => printResult(result, app),
    );
  });
}
