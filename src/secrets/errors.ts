import { EXIT_CODE, operatorError } from '../process/operator-error.js';

export class SecretsKeyMissingError extends operatorError(
  EXIT_CODE.wrongUsage,
  () => 'SECRETS_KEY is not set, and there are secrets to encrypt. To generate a key: openssl rand -hex 32',
) {}

/** A secret was encrypted with another key, or was changed in the database. */
export class UnreadableSecretError extends operatorError(
  EXIT_CODE.failed,
  (owner: string, secret: string) =>
    `The ${secret} of ${owner} cannot be decrypted: it was encrypted with another key than SECRETS_KEY, or than the ` +
    'file secrets-key in DATA_DIR. Restore that key, or, if it belongs to a source, set it again with "source secret".',
) {}
