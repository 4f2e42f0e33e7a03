import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import type { RequestContext } from '../audit/request-context.js';
import { transactionBefore } from '../database/transaction.js';
import { ProviderClient, readJson } from './client/provider-client.js';
import { isAbsent, ProviderFailure, requireSuccess } from './client/provider-failure.js';
import { ListCredentials } from './list-credentials.js';
import { permissionsOf, type NeededPermission } from './list-permissions.js';
import type { ProviderList } from './provider-list.entity.js';
import { ProviderListsService } from './provider-lists.service.js';
import { listProviderOf } from './providers/providers.js';

/** Before the request of the caller must end. */
const TIMEOUT_MS = 3_000;

export interface Permission {
  name: string;
  /** Null if the provider did not say, or if only a change would show it. */
  allowed: boolean | null;
  /** Why it is not allowed, or not known. */
  reason: string | null;
}

export interface ListTest {
  ok: boolean;
  permissions: Permission[];
  /** Why it is not ok. */
  reason: string | null;
}

@Injectable()
export class ListTestService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lists: ProviderListsService,
    private readonly credentials: ListCredentials,
    private readonly client: ProviderClient,
  ) {}

  /**
   * Makes the requests that only read. What the others need is named.
   *
   * @throws {ProviderListNotFoundError | UnreadableCredentialsError}
   */
  async test(context: RequestContext, id: string): Promise<ListTest> {
    const list = await this.lists.find(context.accountId, id);
    const wanted = permissionsOf(list, { scope: list.scope, credentials: this.credentials.decrypt(list) });
    const permissions = await Promise.all(wanted.map((permission) => this.probe(list, permission)));
    const missing = permissions.filter(({ allowed }, index) => wanted[index]!.isTried && allowed !== true);
    const ok = missing.length === 0;
    await transactionBefore(this.dataSource, context.deadline, (transaction) =>
      recordAudit(transaction, context, 'provider_list.tested', list, { ok: { from: null, to: ok } }),
    );
    return { ok, permissions, reason: missing[0]?.reason ?? null };
  }

  private async probe({ provider, scope }: ProviderList, wanted: NeededPermission): Promise<Permission> {
    const { name } = wanted;
    if (!wanted.request) {
      return {
        name,
        allowed: null,
        reason: `Only a change would show it. The call that needs it: ${wanted.source}`,
      };
    }
    const { request, isAboutEntry } = wanted;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const { originOf } = listProviderOf(provider);
      const response = await this.client.request(provider, originOf(scope), request, signal);
      const isEntryAbsent = isAboutEntry && response.status === 404 && isAbsent(await readJson(response));
      if (!isEntryAbsent) {
        requireSuccess(response.status, name, response.retryAfterMs);
      }
      return { name, allowed: true, reason: null };
    } catch (error) {
      const isRefused = error instanceof ProviderFailure && error.kind === 'refused';
      const reason =
        error instanceof ProviderFailure
          ? error.message
          : `The provider did not respond within ${TIMEOUT_MS / 1_000} seconds.`;
      return { name, allowed: isRefused ? false : null, reason };
    } finally {
      stop.abort();
    }
  }
}
