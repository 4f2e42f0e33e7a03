import { EXIT_CODE, OperatorError } from '../process/operator-error.js';

/** Secrets of sources can neither be stored nor read. */
export class SecretsKeyMissingError extends OperatorError {
  override readonly name = 'SecretsKeyMissingError';
  override readonly exitCode = EXIT_CODE.wrongUsage;

  constructor() {
    super('SECRETS_KEY is not set, and this source has secrets. Make a key: openssl rand -hex 32');
  }
}

/** A secret was encrypted with another key, or changed in the database. */
export class UnreadableSecretError extends OperatorError {
  override readonly name = 'UnreadableSecretError';

  constructor(sourceId: string, secret: string) {
    super(
      `The ${secret} of the source ${sourceId} cannot be read: it was stored with another key than the one ` +
        'in SECRETS_KEY, or in the file secrets-key of DATA_DIR. Put that key back, or tell the secret again: source secret.',
    );
  }
}
