import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Raw, Repository } from 'typeorm';
import { v5 as uuidv5, v7 as uuidv7, validate as isUuid } from 'uuid';
import type { Account } from '../../accounts/account.entity.js';
import { findPage } from '../../http/find-page.js';
import type { Cursor, Page } from '../../http/page.js';
import { InvalidSourceError, SourceNotFoundError } from './errors.js';
import { generateSecrets, requireValid, requireValidSecrets, type NewSource } from './new-source.js';
import type { Provider, SourceSettings } from '../providers/provider.js';
import { providerNamed, type ProviderName } from '../providers/providers.js';
import { SecretsCipher } from '../../secrets/secrets-cipher.js';
import { POSTED_EVENTS, Source } from './source.entity.js';

/** The injection token of the number of days that the inbox keeps events which changed nothing. */
export const INBOX_RETENTION_DAYS = Symbol('INBOX_RETENTION_DAYS');

/** The injection token of the URL at which callers of the API reach this service, without a slash at its end. */
export const BASE_URL = Symbol('BASE_URL');

/** The injection token of the URL at which mail providers reach this service, without a slash at its end. */
export const PROVIDER_URL = Symbol('PROVIDER_URL');

const URL_ID_BYTES = 24;
/** Concurrent requests derive the same id from it, so that they create one source. */
const POSTED_EVENTS_NAMESPACE = '0b1a3f1e-6c55-4b6e-9d0a-5f6f0f3f8a51';

/** A source that was just created. */
export interface CreatedSource {
  source: Source;
  /** The secrets that the service generated, to be entered at the provider. They are never shown again. */
  made: Record<string, string>;
}

@Injectable()
export class SourcesService {
  constructor(
    @InjectRepository(Source) private readonly sources: Repository<Source>,
    private readonly cipher: SecretsCipher,
    @Inject(BASE_URL) private readonly baseUrl: string,
    @Inject(PROVIDER_URL) private readonly providerUrl: string,
    @Inject(INBOX_RETENTION_DAYS) private readonly retentionDays: number,
  ) {}

  /**
   * @throws {InvalidSourceError} when the provider has no such secrets or options, or a soft limit covers more days than the
   *   inbox keeps
   * @throws {SecretsKeyMissingError} when there are secrets and no key to encrypt them with
   */
  async create(
    account: Pick<Account, 'id'>,
    providerName: ProviderName,
    asked: NewSource,
  ): Promise<CreatedSource> {
    const provider = providerOf(providerName);
    requireValid(provider, asked, this.retentionDays);
    const made = generateSecrets(provider, asked);
    const id = uuidv7();
    await this.sources.insert({
      id,
      accountId: account.id,
      urlId: randomUrlId(),
      provider: providerName,
      name: asked.name,
      secrets: this.encrypt(id, { ...asked.secrets, ...made }),
      options: asked.options as object,
    });
    return { source: await this.get(id), made };
  }

  /** All sources, or those of an account, oldest first. */
  list(account?: Pick<Account, 'id'>): Promise<Source[]> {
    return this.sources.find({ where: account && { accountId: account.id }, order: { id: 'ASC' } });
  }

  /** Newest first. */
  page(accountId: number, cursor: Cursor): Promise<Page<Source>> {
    return findPage(this.sources, [{ accountId }], cursor);
  }

  /** @throws {SourceNotFoundError} */
  async get(id: string): Promise<Source> {
    const source = isUuid(id) ? await this.sources.findOneBy({ id }) : null;
    if (!source) {
      throw new SourceNotFoundError(id);
    }
    return source;
  }

  findByIds(accountId: number, ids: string[]): Promise<Source[]> {
    return this.sources.findBy({ accountId, id: In(ids) });
  }

  /** The source of the events that the account's own mailers post, created when it is needed. */
  async getForPostedEvents(accountId: number): Promise<Source> {
    const id = uuidv5(String(accountId), POSTED_EVENTS_NAMESPACE);
    const found = await this.sources.findOneBy({ accountId, id });
    if (found) {
      return found;
    }
    const created = {
      id,
      accountId,
      urlId: randomUrlId(),
      provider: POSTED_EVENTS,
      name: POSTED_EVENTS,
      secrets: {},
      options: {},
    } as const;
    await this.sources.createQueryBuilder().insert().values(created).orIgnore().execute();
    return this.sources.findOneByOrFail({ accountId, id });
  }

  /** The URL that the provider must send its events to. */
  urlOf({ urlId, provider }: Source): string {
    return provider === POSTED_EVENTS ? `${this.baseUrl}/events` : `${this.providerUrl}/inbound/${urlId}`;
  }

  /**
   * The settings that the provider's functions need, with the secrets decrypted.
   *
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError}
   */
  settingsOf({ id, secrets, options }: Source): SourceSettings {
    const decrypted = Object.entries(secrets).map(([name, encrypted]) => [
      name,
      this.cipher.decrypt(id, name, encrypted),
    ]);
    return { secrets: Object.fromEntries(decrypted), options };
  }

  /**
   * Sets secrets, and replaces those of the same names.
   *
   * @throws {SourceNotFoundError}
   * @throws {InvalidSourceError} when the provider has no such secrets
   * @throws {SecretsKeyMissingError}
   */
  async setSecrets(id: string, secrets: Record<string, string>): Promise<Source> {
    const source = await this.get(id);
    if (source.provider === POSTED_EVENTS) {
      throw new InvalidSourceError(
        'Events that your own mailers post come with an API key. This source has no secrets.',
      );
    }
    requireValidSecrets(providerOf(source.provider), secrets);
    await this.sources
      .createQueryBuilder()
      .update()
      .set({ secrets: () => 'secrets || :encrypted::jsonb' })
      .where({ id })
      .setParameter('encrypted', JSON.stringify(this.encrypt(id, secrets)))
      .execute();
    return this.get(id);
  }

  /**
   * Encrypts secrets that only the previous key can read with the current one. A secret that somebody replaces meanwhile is
   * encrypted with the current key already.
   *
   * @returns the number of sources whose secrets were encrypted
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError} when neither key can read a secret; sources before it are done
   */
  async rotateSecrets(): Promise<number> {
    let rotated = 0;
    for (const source of await this.list()) {
      const { id, secrets } = source;
      const isCurrent = Object.entries(secrets).every(([name, text]) =>
        this.cipher.isCurrent(id, name, text),
      );
      if (!isCurrent) {
        const encrypted = this.encrypt(id, this.settingsOf(source).secrets);
        await this.sources.update(
          {
            id,
            secrets: Raw((column) => `${column} = :secrets::jsonb`, { secrets: JSON.stringify(secrets) }),
          },
          { secrets: encrypted },
        );
        rotated++;
      }
    }
    return rotated;
  }

  /**
   * Makes a source refuse deliveries until it is resumed. A source that is paused already keeps the time of its pause.
   *
   * @throws {SourceNotFoundError}
   */
  async pause(id: string): Promise<Source> {
    const { pausedAt } = await this.get(id);
    await this.sources.update({ id }, { pausedAt: pausedAt ?? new Date() });
    return this.get(id);
  }

  /** @throws {SourceNotFoundError} */
  async resume(id: string): Promise<Source> {
    await this.get(id);
    await this.sources.update({ id }, { pausedAt: null });
    return this.get(id);
  }

  /** Deletes a source. Its events must have been deleted before. */
  async delete({ accountId, id }: Source): Promise<void> {
    await this.sources.delete({ accountId, id });
  }

  /** Counts a delivery that could not be verified, and stores why. */
  async countBadSignature({ accountId, id }: Source, problem: string): Promise<void> {
    await this.sources.update(
      { accountId, id },
      { badSignatures: () => 'bad_signatures + 1', lastError: problem, lastErrorAt: new Date() },
    );
  }

  async noteError({ accountId, id }: Source, problem: string): Promise<void> {
    await this.sources.update({ accountId, id }, { lastError: problem, lastErrorAt: new Date() });
  }

  private encrypt(id: string, secrets: Record<string, string>): Record<string, string> {
    const encrypted = Object.entries(secrets).map(([name, secret]) => [
      name,
      this.cipher.encrypt(id, name, secret.trim()),
    ]);
    return Object.fromEntries(encrypted);
  }
}

function randomUrlId(): string {
  return randomBytes(URL_ID_BYTES).toString('base64url');
}

/** @throws {Error} when the source was created by a version of the service that had another provider */
export function providerOf(name: string): Provider {
  const provider = providerNamed(name);
  if (!provider) {
    throw new Error(`There is no provider ${name}.`);
  }
  return provider;
}
