import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, Repository, type EntityManager } from 'typeorm';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { Account } from '../../accounts/account.entity.js';
import { POSTED_EVENTS } from '../../audit/actor.js';
import { differencesBetween, recordAudit } from '../../audit/record-audit.js';
import type { Identity, RequestContext } from '../../audit/request-context.js';
import { insertUnlessTaken } from '../../database/insert-unless-taken.js';
import { inStep, transactionBefore } from '../../database/transaction.js';
import { findPage, type Cursor, type Page } from '../../http/page.js';
import { isId } from '../../validation/parsers.js';
import { providerOf, type ProviderName } from '../providers/providers.js';
import { SourceNotFoundError } from './errors.js';
import { generateSecrets, randomUrlId, requireValid, type NewSource } from './new-source.js';
import { SourceSecrets } from './source-secrets.js';
import { Source } from './source.entity.js';

/** Injection token: for how many days the inbox keeps events that ask for no change. */
export const INBOX_RETENTION_DAYS = Symbol('INBOX_RETENTION_DAYS');

/** Injection token: the URL at which callers of the API reach this service, without a trailing slash. */
export const BASE_URL = Symbol('BASE_URL');

/** Injection token: the URL at which mail providers reach this service, without a trailing slash. */
export const PROVIDER_URL = Symbol('PROVIDER_URL');

export type Owner = Pick<Account, 'id'>;

export interface CreatedSource {
  source: Source;
  /** The secrets that the service generated, to be entered at the provider. They are never shown again. */
  generatedSecrets: Record<string, string>;
}

@Injectable()
export class SourcesService {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Source) private readonly sources: Repository<Source>,
    private readonly secrets: SourceSecrets,
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
    context: RequestContext,
    providerName: ProviderName,
    newSource: NewSource,
  ): Promise<CreatedSource> {
    const provider = providerOf(providerName);
    const { inboxRetention } = await this.dataSource.manager.findOneByOrFail(Account, {
      id: context.accountId,
    });
    requireValid(provider, newSource, inboxRetention ?? this.retentionDays);
    const generatedSecrets = generateSecrets(provider, newSource);
    const id = uuidv7();
    const { name, options } = newSource;
    const secrets = this.secrets.encrypt(id, { ...newSource.secrets, ...generatedSecrets });
    const { accountId } = context;
    return transactionBefore(this.dataSource, context, async (transaction) => {
      const stored = { id, accountId, urlId: randomUrlId(), provider: providerName, name, secrets };
      await transaction.insert(Source, { ...stored, options: options as object });
      const changes = differencesBetween({}, { provider: providerName, options });
      await recordAudit(transaction, context, 'source.created', { id, name }, changes);
      return { source: await transaction.findOneByOrFail(Source, { id }), generatedSecrets };
    });
  }

  /** All sources, or those of an account, oldest first. */
  list(account?: Owner): Promise<Source[]> {
    return this.sources.find({ where: account && { accountId: account.id }, order: { id: 'ASC' } });
  }

  /** Newest first. */
  page(accountId: number, cursor: Cursor): Promise<Page<Source>> {
    return findPage(this.sources, [{ accountId }], cursor);
  }

  /** @throws {SourceNotFoundError} */
  async get(id: string): Promise<Source> {
    const source = isId(id) ? await this.sources.findOneBy({ id }) : null;
    if (!source) {
      throw new SourceNotFoundError(id);
    }
    return source;
  }

  findByIds(accountId: number, ids: string[]): Promise<Source[]> {
    return this.sources.findBy({ accountId, id: In(ids) });
  }

  /** The source of the events that the account's own mailers post, created when it is needed. */
  async getForPostedEvents(identity: Identity): Promise<Source> {
    const { accountId } = identity;
    const id = postedEventsSourceId(accountId);
    const found = await this.sources.findOneBy({ accountId, id });
    if (found) {
      return found;
    }
    await transactionBefore(this.dataSource, inStep(accountId), (transaction) =>
      createPostedEventsSource(transaction, identity),
    );
    return this.sources.findOneByOrFail({ accountId, id });
  }

  /** The URL that the provider must send its events to. */
  urlOf({ urlId, provider }: Source): string {
    return provider === POSTED_EVENTS ? `${this.baseUrl}/events` : `${this.providerUrl}/inbound/${urlId}`;
  }

  /** Counts a delivery that could not be verified, and stores why. */
  async countBadSignature({ accountId, id }: Source, problem: string): Promise<void> {
    await this.sources.update(
      { accountId, id },
      { badSignatures: () => 'bad_signatures + 1', lastError: problem, lastErrorAt: new Date() },
    );
  }

  async recordError({ accountId, id }: Source, problem: string): Promise<void> {
    await this.sources.update({ accountId, id }, { lastError: problem, lastErrorAt: new Date() });
  }
}

/** The namespace of the id of such a source. Concurrent requests derive the same id, so that they create one source. */
const POSTED_EVENTS_NAMESPACE = '0b1a3f1e-6c55-4b6e-9d0a-5f6f0f3f8a51';

export function postedEventsSourceId(accountId: number): string {
  return uuidv5(String(accountId), POSTED_EVENTS_NAMESPACE);
}

/** Creates the source of the events that the account's own mailers post, unless it exists. */
async function createPostedEventsSource(transaction: EntityManager, identity: Identity): Promise<void> {
  const source = {
    id: postedEventsSourceId(identity.accountId),
    name: POSTED_EVENTS,
    provider: POSTED_EVENTS,
  } as const;
  const row = { ...source, accountId: identity.accountId, urlId: randomUrlId(), secrets: {}, options: {} };
  if (await insertUnlessTaken(transaction, Source, row)) {
    const changes = differencesBetween({}, { provider: POSTED_EVENTS, options: {} });
    await recordAudit(transaction, identity, 'source.created', source, changes);
  }
}
