import { readFileSync } from 'node:fs';

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
export function withSecretFiles(variables: NodeJS.ProcessEnv): {
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
        mistakes.push(`  ${name}_FILE: ${(error as Error).message}`);
      }
    }
  }
  return { variables: complete, mistakes };
}
