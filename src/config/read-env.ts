import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { closestMatch } from 'leven';
import { fileProblem } from '../process/file-problem.js';
import { UsageError } from '../process/operator-error.js';
import { Env } from './env.js';

export class InvalidEnvError extends UsageError {}

/**
 * Reads and validates the settings. An empty variable is ignored, except DATABASE_URL: ignoring it would select the embedded
 * database, which has a different list.
 *
 * @throws {InvalidEnvError}
 */
export function readEnv(given?: NodeJS.ProcessEnv): Env {
  const file = given ? '' : readFile();
  const variables = given ?? withVariablesOf(file);
  const files = withSecretFiles(variables);
  const nonEmpty = Object.entries(files.variables)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => [name, String(value)]);
  const env = plainToInstance(Env, Object.fromEntries(nonEmpty), {
    excludeExtraneousValues: true,
    exposeDefaultValues: true,
  });
  const invalid = validateSync(env).map(({ property, constraints }) => {
    const problems = Object.values(constraints ?? {}).map((problem) => problem.replace(`${property} `, ''));
    return `  ${property}: ${problems.join(', ')}`;
  });
  const misspelt = findMisspelt(given ? linesOf(given) : file, [...Object.keys(env), ...SECRET_FILES]);
  const mistakes = [...misspelt, ...files.mistakes, ...invalid];
  if (!variables.DATABASE_URL && !variables.DATABASE_URL_FILE) {
    const empty = ['DATABASE_URL', 'DATABASE_URL_FILE'].filter((name) => variables[name] === '');
    mistakes.push(
      ...empty.map((name) => `  ${name}: is empty. To run the embedded PostgreSQL, leave it out`),
    );
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

function linesOf(variables: NodeJS.ProcessEnv): string {
  return Object.keys(variables)
    .map((name) => `${name}=\n`)
    .join('');
}

/** The file may begin with a byte order mark. */
function readFile(): string {
  try {
    return existsSync('.env') ? new TextDecoder('utf-8', { fatal: true }).decode(readFileSync('.env')) : '';
  } catch (error) {
    throw new InvalidEnvError(`The file .env cannot be read as UTF-8: ${fileProblem(error)}`);
  }
}

/** Variables of the environment take precedence over those of the file. */
function withVariablesOf(file: string): NodeJS.ProcessEnv {
  return Object.assign(process.env, { ...parseEnv(file), ...process.env });
}

/** Settings that may be in a file, as a store of secrets mounts them. */
const SECRETS = [
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'SECRETS_KEY',
  'SECRETS_KEY_PREVIOUS',
  'OIDC_CLIENT_SECRET',
];

export const SECRET_FILES = SECRETS.map((name) => `${name}_FILE`);

/**
 * Reads the secrets whose files are named by variables such as `DATABASE_URL_FILE`. A variable that is set itself takes
 * precedence over its file.
 *
 * @returns the variables with those secrets, and a line for each file that cannot be read or is empty
 */
function withSecretFiles(variables: NodeJS.ProcessEnv): {
  variables: NodeJS.ProcessEnv;
  mistakes: string[];
} {
  const complete = { ...variables };
  const mistakes: string[] = [];
  for (const name of SECRETS) {
    const file = variables[`${name}_FILE`];
    if (file && !variables[name]) {
      try {
        const secret = readFileSync(file, 'utf8').trim();
        if (secret === '') {
          mistakes.push(`  ${name}_FILE: the file ${file} is empty`);
        }
        complete[name] = secret;
      } catch (error) {
        mistakes.push(`  ${name}_FILE: the file ${file} cannot be read: ${fileProblem(error)}`);
      }
    }
  }
  return { variables: complete, mistakes };
}

/** The most edits by which a name of at least this length differs from a setting. Shorter names resemble too many others. */
const MAX_EDITS = [
  { length: 8, edits: 2 },
  { length: 6, edits: 1 },
];
const WITHOUT_EQUALS_SIGN = /^[ \t]*(?:export[ \t]+)?(\w+)(?:[ \t:][^=\r\n]*)?\r?$/gm;

/**
 * Looks for mistakes in a file `.env`: names that are nearly those of settings, and settings without an equals sign. Other names
 * may be for other programs.
 *
 * @param text - of the file
 * @param settings - the names of all settings
 * @returns a line for each mistake
 */
export function findMisspelt(text: string, settings: readonly string[]): string[] {
  const misspelt = Object.keys(parseEnv(text))
    .filter((name) => !settings.includes(name))
    .flatMap((name) => {
      const meant = settings.find((setting) => isEqualButForSlips(name, setting)) ?? similar(name, settings);
      return meant === undefined ? [] : [`  ${name}: is unknown. Did you mean ${meant}?`];
    });
  const unassigned = [...text.matchAll(WITHOUT_EQUALS_SIGN)]
    .filter(([, name]) => settings.includes(name!))
    .map(([, name]) => `  ${name}: has no value. Write it as ${name}=…`);
  return [...misspelt, ...unassigned];
}

function similar(name: string, settings: readonly string[]): string | undefined {
  const limit = MAX_EDITS.find(({ length }) => name.length >= length);
  return limit && closestMatch(name, settings, { maxDistance: limit.edits });
}

/** Whether two names differ only in the order of their letters and in underscores, or only in letters that are typed twice. */
function isEqualButForSlips(name: string, setting: string): boolean {
  const once = (text: string) => text.toUpperCase().replace(/(.)\1+/g, '$1');
  const sorted = (text: string) => [...text.toUpperCase().replaceAll('_', '')].sort().join('');
  return once(name) === once(setting) || sorted(name) === sorted(setting);
}
