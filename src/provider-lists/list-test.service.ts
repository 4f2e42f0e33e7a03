import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import type { RequestContext } from '../audit/request-context.js';
import { transactionBefore } from '../database/transaction.js';
import { ProviderClient } from './client/provider-client.js';
import { ProviderFailure, requireSuccess } from './client/provider-failure.js';
import { ListCredentials } from './list-credentials.js';
import type { ProviderList } from './provider-list.entity.js';
import { ProviderListsService } from './provider-lists.service.js';
import type { Connection, ListCapability } from './providers/provider.js';
import { listProviderOf } from './providers/providers.js';

/** Before the request of the caller must end. */
const TIMEOUT_MS = 3_000;

export interface Permission {
  name: string;
  /** Null if the provider did not say. */
  allowed: boolean | null;
}

export interface ListTest {
  ok: boolean;
  permissions: Permission[];
  /** Why it is not ok. */
  reason: string | null;
}

interface Probe {
  permission: Permission;
  reason: string | null;
}

@Injectable()
export class ListTestService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly lists: ProviderListsService,
    private readonly credentials: ListCredentials,
    private readonly client: ProviderClient,
  ) {}

  /**
   * Reads one entry of each list.
   *
   * @throws {ProviderListNotFoundError | UnreadableCredentialsError}
   */
  async test(context: RequestContext, id: string): Promise<ListTest> {
    const list = await this.lists.find(context.accountId, id);
    const { provider, scope } = list;
    const connection = { scope, credentials: this.credentials.decrypt(list) };
    const probes = await Promise.all(
      listProviderOf(provider).lists.map((capability) => this.probe(list, connection, capability)),
    );
    const ok = probes.every(({ permission }) => permission.allowed === true);
    await transactionBefore(this.dataSource, context.deadline, (transaction) =>
      recordAudit(transaction, context, 'provider_list.tested', list, { ok: { from: null, to: ok } }),
    );
    const reason = probes.find((probe) => probe.reason !== null)?.reason ?? null;
    return { ok, permissions: probes.map(({ permission }) => permission), reason };
  }

  private async probe(
    { provider, scope }: ProviderList,
    connection: Connection,
    list: ListCapability,
  ): Promise<Probe> {
    const { originOf, request } = listProviderOf(provider);
    const name = list.permission;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const response = await this.client.request(
        provider,
        originOf(scope),
        request(connection, list, { position: null, limit: 1 }, new Date()),
        signal,
      );
      requireSuccess(response.status, name, response.retryAfterMs);
      return { permission: { name, allowed: true }, reason: null };
    } catch (error) {
      const isRefused = error instanceof ProviderFailure && error.kind === 'refused';
      const reason =
        error instanceof ProviderFailure
          ? error.message
          : `The provider did not respond within ${TIMEOUT_MS / 1_000} seconds.`;
      return { permission: { name, allowed: isRefused ? false : null }, reason };
    } finally {
      stop.abort();
    }
  }
}
