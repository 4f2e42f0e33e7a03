import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import type { RequestContext } from '../audit/request-context.js';
import { transactionBefore } from '../database/transaction.js';
import { ProviderClient, type ProviderConnection } from './client/provider-client.js';
import { isAbsent, ProviderFailure, requireSuccess } from './client/provider-failure.js';
import { ListCredentials } from './list-credentials.js';
import type { ProviderList } from './provider-list.entity.js';
import { ProviderListsService } from './provider-lists.service.js';
import type { Connection, ProviderRequest } from './providers/provider.js';
import { listProviderOf } from './providers/providers.js';

/** Well before the deadline of the caller's request. */
const TIMEOUT_MS = 3_000;

export interface Permission {
  name: string;
  /** Null if the provider did not say so, or if only a change would show it. */
  allowed: boolean | null;
  /** Why it is not allowed, or not known. */
  reason: string | null;
}

export interface ListTest {
  ok: boolean;
  permissions: Permission[];
  /** Why `ok` is false. */
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
   * Tries the requests that only read. For changes, it only names the permissions.
   *
   * @throws {ProviderListNotFoundError | UnreadableCredentialsError}
   */
  async test(context: RequestContext, id: string): Promise<ListTest> {
    const list = await this.lists.find(context.accountId, id);
    const connection = this.credentials.connect(list);
    const wanted = permissionsOf(list, connection);
    const permissions = await Promise.all(wanted.map((permission) => this.probe(connection, permission)));
    const missing = permissions.filter(({ allowed }, index) => wanted[index]!.isTried && allowed !== true);
    const ok = missing.length === 0;
    await transactionBefore(this.dataSource, context, (transaction) =>
      recordAudit(transaction, context, 'provider_list.tested', list, { ok: { from: null, to: ok } }),
    );
    return { ok, permissions, reason: missing[0]?.reason ?? null };
  }

  private async probe(
    connection: ProviderConnection,
    { name, source, request, isAboutEntry }: NeededPermission,
  ): Promise<Permission> {
    if (!request) {
      const reason = `Only a change would show it. The call that needs it: ${source}`;
      return { name, allowed: null, reason };
    }
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const response = await this.client.request(connection, request, signal);
      const isEntryAbsent = isAboutEntry && response.status === 404 && isAbsent(await response.json());
      if (!isEntryAbsent) {
        requireSuccess(response.status, name, response.retryAfterMs);
        await response.requireJson();
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

/** No mailbox has this address (RFC 2606), so no list should contain it. */
const EMAIL = 'permission-test@example.invalid';

/** A permission that a list needs, with the provider's name for it. */
interface NeededPermission {
  name: string;
  /** The provider's page about it. */
  source?: string;
  /** A request that needs the permission and changes nothing. Absent if only a change needs it. */
  request?: ProviderRequest;
  /** Whether the request is about one entry, so that 404 is a success. */
  isAboutEntry?: boolean;
  /** Whether the request must succeed, given the current switches of the list. */
  isTried: boolean;
}

/**
 * All permissions that a list may need, without duplicates: to read the lists, to look up entries before they are changed, and to
 * change them.
 */
function permissionsOf(list: ProviderList, connection: Connection): NeededPermission[] {
  const provider = listProviderOf(list.provider);
  const { lists, additions, removals, find } = provider;
  const effect = provider.effect?.(connection.scope);
  const { pushAdditions, pushRemovals } = list;
  const changes = [...additions.filter((addition) => addition.list !== null), ...removals];
  const changed = lists.filter((capability) => changes.some((change) => change.list === capability.list));
  const reads = lists.map((capability) => ({
    name: capability.permission,
    request: provider.request({ position: null, limit: 1 }, capability, connection),
    isTried: true,
  }));
  const lookups = (find ? changed : []).map((capability) => ({
    name: find!.permission.replace('{list}', capability.list),
    request: find!.request(
      {
        list: capability.list,
        address: EMAIL,
        cause: 'bounce',
        since: new Date(),
      },
      connection,
    ),
    isAboutEntry: true,
    isTried: pushAdditions || pushRemovals,
  }));
  const effects = effect
    ? [{ name: effect.permission, request: effect.request, isTried: pushAdditions }]
    : [];
  const others = changes.map(({ permission, source }) => ({ name: permission, source, isTried: false }));
  const all: NeededPermission[] = [...reads, ...lookups, ...effects, ...others];
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
}
