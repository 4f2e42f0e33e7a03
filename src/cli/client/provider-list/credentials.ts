import { EXIT_CODE, operatorError } from '../../../process/operator-error.js';
import { listProviderOf, type ListProviderName } from '../../../provider-lists/providers/providers.js';
import { readSecret } from '../../input.js';

export class UnreadableCredentialsInputError extends operatorError(
  EXIT_CODE.wrongUsage,
  (names: string) => `Standard input must have a JSON object with ${names}.`,
) {}

/**
 * Asks for each credential at a terminal. Elsewhere, standard input has a JSON object with all of them, or the only one.
 *
 * @throws {MissingSecretError | UnreadableCredentialsInputError}
 */
export async function readCredentials(provider: ListProviderName): Promise<Record<string, string>> {
  const names = listProviderOf(provider).credentials.map(({ name }) => name);
  if (!process.stdin.isTTY) {
    return parseCredentials(await readSecret(names.join(' and ')), names);
  }
  const credentials: Record<string, string> = {};
  for (const name of names) {
    credentials[name] = await readSecret(name);
  }
  return credentials;
}

function parseCredentials(text: string, names: string[]): Record<string, string> {
  const [only] = names;
  if (names.length === 1 && !text.startsWith('{')) {
    return { [only!]: text };
  }
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    throw new UnreadableCredentialsInputError(names.join(' and '));
  }
}
