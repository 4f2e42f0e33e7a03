import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Raw, Repository } from 'typeorm';
import { SecretsCipher } from '../../secrets/secrets-cipher.js';
import { firstAndLast, StoredSecrets } from '../../secrets/stored-secrets.js';
import { Source } from './source.entity.js';

const SAMPLE = firstAndLast<Pick<Source, 'id' | 'secrets'>>(
  'sources',
  'id, secrets',
  ['id'],
  `secrets <> '{}'`,
);

@Injectable()
export class SourceSecrets {
  constructor(
    @InjectRepository(Source) private readonly sources: Repository<Source>,
    private readonly cipher: SecretsCipher,
    stored: StoredSecrets,
  ) {
    stored.add('sources', SAMPLE, (source) => this.decrypt(source));
  }

  /** @throws {SecretsKeyMissingError} */
  encrypt(id: string, secrets: Record<string, string>): Record<string, string> {
    const encrypted = Object.entries(secrets).map(([name, secret]) => [
      name,
      this.cipher.encrypt(id, name, secret.trim()),
    ]);
    return Object.fromEntries(encrypted);
  }

  /**
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError}
   */
  decrypt({ id, secrets }: Pick<Source, 'id' | 'secrets'>): Record<string, string> {
    const decrypted = Object.entries(secrets).map(([name, encrypted]) => [
      name,
      this.cipher.decrypt(id, name, encrypted),
    ]);
    return Object.fromEntries(decrypted);
  }

  /**
   * Encrypts with the current key all secrets that only the previous key can read. A secret that somebody replaces meanwhile is
   * encrypted with the current key already.
   *
   * @returns the number of sources whose secrets were encrypted
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError} when neither key can read a secret; sources before it are done
   */
  async reencrypt(): Promise<number> {
    let done = 0;
    for (const source of await this.sources.find({ order: { id: 'ASC' } })) {
      const { id, secrets } = source;
      const isCurrent = Object.entries(secrets).every(([name, text]) =>
        this.cipher.isCurrent(id, name, text),
      );
      if (!isCurrent) {
        const encrypted = this.encrypt(id, this.decrypt(source));
        await this.sources.update(
          {
            id,
            secrets: Raw((column) => `${column} = :secrets::jsonb`, { secrets: JSON.stringify(secrets) }),
          },
          { secrets: encrypted },
        );
        done++;
      }
    }
    return done;
  }
}
