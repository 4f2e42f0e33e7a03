import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { EXIT_CODE, OperatorError } from '../process/operator-error.js';
import { Env } from './env.js';
import { findMisspelt } from './misspelt-settings.js';
import { SECRET_FILES, withSecretFiles } from './secret-files.js';

export class InvalidEnvError extends OperatorError {
  override readonly exitCode = EXIT_CODE.wrongUsage;
}

/**
 * Reads and validates the settings. An empty variable is ignored, except DATABASE_URL: the embedded database has another list.
 *
 * @throws {InvalidEnvError}
 */
export function readEnv(given?: NodeJS.ProcessEnv): Env {
  const file = given ? '' : readFile();
  const variables = given ?? withVariablesOf(file);
  const files = withSecretFiles(variables);
  const nonEmpty = Object.entries(files.variables).filter(([, value]) => value !== undefined && value !== '');
  const env = plainToInstance(Env, Object.fromEntries(nonEmpty), {
    excludeExtraneousValues: true,
    exposeDefaultValues: true,
  });
  const invalid = validateSync(env).map(({ property, constraints }) => {
    const problems = Object.values(constraints ?? {}).map((problem) => problem.replace(`${property} `, ''));
    return `  ${property}: ${problems.join(', ')}`;
  });
  const misspelt = findMisspelt(file, [...Object.keys(env), ...SECRET_FILES]);
  const mistakes = [...misspelt, ...files.mistakes, ...invalid];
  if (variables.DATABASE_URL === '') {
    mistakes.push('  DATABASE_URL: is empty. To run the embedded PostgreSQL, leave it out');
  }
  if (env.METRICS_PORT === env.PORT && env.PORT !== 0) {
    mistakes.push('  METRICS_PORT: must not be the same as PORT');
  }
  if (env.DATABASE_REPLICA_URL && !env.DATABASE_URL) {
    mistakes.push('  DATABASE_REPLICA_URL: needs DATABASE_URL');
  }
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_ROLES } = env;
  if (OIDC_ISSUER && !(OIDC_CLIENT_ID && OIDC_CLIENT_SECRET && OIDC_ROLES)) {
    mistakes.push('  OIDC_ISSUER: needs OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_ROLES');
  }
  if (mistakes.length > 0) {
    throw new InvalidEnvError(['Invalid settings:', ...mistakes].join('\n'));
  }
  return env;
}

/** The file may begin with a byte order mark. */
function readFile(): string {
  try {
    return existsSync('.env') ? new TextDecoder('utf-8', { fatal: true }).decode(readFileSync('.env')) : '';
  } catch (error) {
    throw new InvalidEnvError(`The file .env cannot be read as UTF-8: ${(error as Error).message}`);
  }
}

/** Variables of the environment take precedence over those of the file. */
function withVariablesOf(file: string): NodeJS.ProcessEnv {
  return Object.assign(process.env, { ...parseEnv(file), ...process.env });
}
