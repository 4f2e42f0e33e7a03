import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { SecretsCipher } from '../../secrets/secrets-cipher.js';
import { firstAndLast, reencryptRows, StoredSecrets } from '../../secrets/stored-secrets.js';
import type { SourceSettings } from '../providers/provider.js';
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
    const trimmed = Object.entries(secrets).map(([name, secret]) => [name, secret.trim()] as const);
    return this.cipher.encryptAll(id, Object.fromEntries(trimmed));
  }

  /**
   * The settings that the provider's functions need, with the secrets decrypted.
   *
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError}
   */
  settingsOf(source: Source): SourceSettings {
    return { secrets: this.decrypt(source), options: source.options };
  }

  private decrypt({ id, secrets }: Pick<Source, 'id' | 'secrets'>): Record<string, string> {
    return this.cipher.decryptAll(id, secrets);
  }

  /** See {@link reencryptRows}. */
  reencrypt(): Promise<number> {
    return reencryptRows(this.sources, 'secrets', (source) =>
      this.cipher.areCurrent(source.id, source.secrets)
        ? null
        : { secrets: this.encrypt(source.id, this.decrypt(source)) },
    );
  }
}
