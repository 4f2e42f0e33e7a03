import type { QueryFailedError } from 'typeorm';
import { withMigrations } from '../data-source.js';
import { DatabaseError } from '../errors.js';
import { compareSchema } from './schema-difference.js';
import type { Schema } from './schema.js';

/**
 * Says which migration failed, why, and what the database has now.
 *
 * @param planned - names of the migrations that were to run, in their order
 */
export async function describeFailure(
  url: string,
  schema: Schema,
  planned: string[],
  { driverError: { message } }: QueryFailedError,
): Promise<DatabaseError> {
  const pending = await findPending(url, schema).catch(() => undefined);
  if (!pending) {
    return new DatabaseError(`A migration failed: ${message}. Migrate again: those that are done stay done.`);
  }
  const [failed] = pending;
  const done = planned.filter((name) => !pending.includes(name));
  const isWhole = !schema.migrations.some(
    (Migration) => Migration.name === failed && new Migration().transaction === false,
  );
  return new DatabaseError(
    `The migration ${failed} failed${isWhole ? ' and changed nothing' : ', and may have changed a part'}: ${message}. ` +
      (done.length > 0 ? `Done before it: ${done.join(', ')}. ` : 'No other migration ran. ') +
      'Correct the cause, and migrate again.',
  );
}

/** TypeORM does not always return the connection on which it has failed. */
function findPending(url: string, schema: Schema): Promise<string[]> {
  return withMigrations(url, schema, async (dataSource) => (await compareSchema(dataSource)).pending);
}
