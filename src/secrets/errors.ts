import { EXIT_CODE, OperatorError } from '../process/operator-error.js';

export class SecretsKeyMissingError extends OperatorError {
  override readonly name = 'SecretsKeyMissingError';
  override readonly exitCode = EXIT_CODE.wrongUsage;

  constructor() {
    super(
      'SECRETS_KEY is not set, and there are secrets to encrypt. To generate a key: openssl rand -hex 32',
    );
  }
}

/** A secret was encrypted with another key, or was changed in the database. */
export class UnreadableSecretError extends OperatorError {
  override readonly name = 'UnreadableSecretError';

  constructor(owner: string, secret: string) {
    super(
      `The ${secret} of ${owner} cannot be decrypted: it was encrypted with another key than SECRETS_KEY, or than the ` +
        'file secrets-key in DATA_DIR. Restore that key, or, if it belongs to a source, set it again with "source secret".',
    );
  }
}
