import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { OperatorError } from '../process/operator-error.js';
import { SecretsCipher, SecretsKeyMissingError } from '../secrets/secrets-cipher.js';
import { firstAndLast, reencryptRows, StoredSecrets } from '../secrets/stored-secrets.js';
import { NoSecretsKeyError } from '../webhooks/errors.js';
import type { ProviderConnection } from './client/provider-client.js';
import { UnreadableCredentialsError } from './errors.js';
import { ProviderList } from './provider-list.entity.js';
import type { Credentials, Scope } from './providers/provider.js';
import { listProviderOf, type ListProviderName } from './providers/providers.js';

interface ScopeOfProvider {
  provider: ListProviderName;
  scope: Scope;
}

const SAMPLE = firstAndLast<Pick<ProviderList, 'id' | 'credentials'>>(
  'provider_lists',
  'id, credentials',
  ['account_id', 'id'],
  `credentials <> '{}'`,
);

/** Encrypts the credentials of provider lists, and derives the keys that identify the lists at their providers. */
@Injectable()
export class ListCredentials {
  constructor(
    @InjectRepository(ProviderList) private readonly lists: Repository<ProviderList>,
    private readonly cipher: SecretsCipher,
    stored: StoredSecrets,
  ) {
    stored.add('provider lists', SAMPLE, (list) => this.decrypt(list));
  }

  /** @throws {NoSecretsKeyError} */
  encrypt(id: string, credentials: Credentials): Record<string, string> {
    return withKey(() => this.cipher.encryptAll(id, credentials));
  }

  /** @throws {UnreadableCredentialsError} */
  decrypt({ id, credentials }: Pick<ProviderList, 'id' | 'credentials'>): Credentials {
    try {
      return this.cipher.decryptAll(id, credentials);
    } catch (error) {
      throw error instanceof OperatorError ? new UnreadableCredentialsError() : error;
    }
  }

  /** @throws {UnreadableCredentialsError} */
  connect(list: Pick<ProviderList, 'id' | 'provider' | 'scope' | 'credentials'>): ProviderConnection {
    const { provider, scope } = list;
    return { provider, scope, credentials: this.decrypt(list) };
  }

  /**
   * The scope keys that stored lists with the same scope may have: the current one first, then the one made with the previous
   * SECRETS_KEY.
   *
   * @throws {NoSecretsKeyError}
   */
  scopeKeysOf({ provider, scope }: ScopeOfProvider, credentials: Credentials): string[] {
    const { identityOf, owner } = listProviderOf(provider);
    const identity = identityOf?.(scope);
    if (identity) {
      return [`${provider} ${identity}`];
    }
    const fields = Object.entries(scope).sort().flat();
    const text = JSON.stringify([provider, ...fields, credentials[owner]]);
    return withKey(() => this.cipher.hashesOf(text).map((hash) => `${provider} ${hash}`));
  }

  /** See {@link reencryptRows}. */
  reencrypt(): Promise<number> {
    return reencryptRows(this.lists, 'credentials', (list) => {
      const { id, credentials } = list;
      if (this.cipher.areCurrent(id, credentials)) {
        return null;
      }
      const decrypted = this.cipher.decryptAll(id, credentials);
      return { credentials: this.encrypt(id, decrypted), scopeKey: this.scopeKeysOf(list, decrypted)[0]! };
    });
  }
}

function withKey<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof SecretsKeyMissingError ? new NoSecretsKeyError() : error;
  }
}
