import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Raw, Repository } from 'typeorm';
import { SecretsCipher, SecretsKeyMissingError, UnreadableSecretError } from '../secrets/secrets-cipher.js';
import { firstAndLast, StoredSecrets } from '../secrets/stored-secrets.js';
import { NoSecretsKeyError } from '../webhooks/errors.js';
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

/** The credentials of provider lists, and what identifies the lists at their providers. */
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
    return withKey(() => mapValues(credentials, (value, name) => this.cipher.encrypt(id, name, value)));
  }

  /** @throws {NoSecretsKeyError | UnreadableCredentialsError} */
  decrypt({ id, credentials }: Pick<ProviderList, 'id' | 'credentials'>): Credentials {
    return withKey(() => mapValues(credentials, (value, name) => this.cipher.decrypt(id, name, value)));
  }

  /**
   * The keys that stored lists with the same scope may have: the current one first, then the one of the previous SECRETS_KEY.
   *
   * @throws {NoSecretsKeyError}
   */
  scopeKeysOf({ provider, scope }: ScopeOfProvider, credentials: Credentials): string[] {
    const { identityOf, ownerIn } = listProviderOf(provider);
    const identity = identityOf(scope);
    if (identity !== null) {
      return [`${provider} ${identity}`];
    }
    const fields = Object.entries(scope).sort().flat();
    const text = JSON.stringify([provider, ...fields, ownerIn(credentials)]);
    return withKey(() => this.cipher.hashesOf(text).map((hash) => `${provider} ${hash}`));
  }

  /**
   * Encrypts with the current key the credentials that only the previous key can read.
   *
   * @returns the number of lists whose credentials were encrypted
   */
  async reencrypt(): Promise<number> {
    let count = 0;
    for (const list of await this.lists.find({ order: { id: 'ASC' } })) {
      const { accountId, id, credentials } = list;
      const isCurrent = Object.entries(credentials).every(([name, text]) =>
        this.cipher.isCurrent(id, name, text),
      );
      if (!isCurrent) {
        const decrypted = mapValues(credentials, (value, name) => this.cipher.decrypt(id, name, value));
        const stored = JSON.stringify(credentials);
        const unchanged = Raw((column) => `${column} = :stored::jsonb`, { stored });
        await this.lists.update(
          { accountId, id, credentials: unchanged },
          { credentials: this.encrypt(id, decrypted), scopeKey: this.scopeKeysOf(list, decrypted)[0]! },
        );
        count++;
      }
    }
    return count;
  }
}

function mapValues(
  values: Readonly<Record<string, string>>,
  map: (value: string, name: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));
}

function withKey<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof SecretsKeyMissingError) {
      throw new NoSecretsKeyError();
    }
    throw error instanceof UnreadableSecretError ? new UnreadableCredentialsError() : error;
  }
}
