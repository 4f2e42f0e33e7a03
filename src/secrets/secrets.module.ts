import { Module, type DynamicModule } from '@nestjs/common';
import type { Env } from '../config/env.js';
import { SecretsCipher } from './secrets-cipher.js';
import { StoredSecrets } from './stored-secrets.js';

/** Shares one cipher, under the keys of the settings, with every feature that stores secrets. */
@Module({})
export class SecretsModule {
  static forRoot({ SECRETS_KEY, SECRETS_KEY_PREVIOUS }: Env): DynamicModule {
    const cipher = {
      provide: SecretsCipher,
      useFactory: () => new SecretsCipher(SECRETS_KEY, SECRETS_KEY_PREVIOUS),
    };
    return {
      module: SecretsModule,
      global: true,
      providers: [cipher, StoredSecrets],
      exports: [SecretsCipher, StoredSecrets],
    };
  }
}
