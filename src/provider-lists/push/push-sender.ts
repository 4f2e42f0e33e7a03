import { Injectable } from '@nestjs/common';
import type { Cause } from '../../ledger/cause.js';
import { ProviderClient } from '../client/provider-client.js';
import type { ProviderConnection } from '../client/list-reader.js';
import { ProviderFailure, requireSuccess } from '../client/provider-failure.js';
import { toEntry } from '../comparison/to-entry.js';
import type { ListChanges, ListProvider, ProviderRequest } from '../providers/provider.js';
import { listProviderOf } from '../providers/providers.js';
import { removable } from './push-decisions.js';
import type { TakenPush } from './outbox.repository.js';

const REQUEST_MS = 15_000;
/** How much a provider's clock may differ, and how long it may take to show an entry. */
export const SETTLING_MS = 5 * 60_000;
const NO_ENTRY = 404;
const CONFLICT = 409;

/** `there`: the provider has the entry, and not because of this request. `changed`: it has another one than was decided about. */
export type SendResult = 'done' | 'there' | 'changed' | 'refused';

const UNEXPECTED = new ProviderFailure(
  'unexpected',
  'The provider sent a body in a form that it does not document.',
);
const TOO_SLOW = new ProviderFailure('unavailable', 'The provider took too long to respond.');

/** Sends additions and removals to providers. */
@Injectable()
export class PushSender {
  constructor(private readonly client: ProviderClient) {}

  /**
   * Sends rows that one request can have.
   *
   * @throws {ProviderFailure} if the result is unknown, or nothing was done
   */
  async send(
    connection: ProviderConnection,
    pushes: readonly TakenPush[],
    stopping: AbortSignal,
  ): Promise<SendResult[]> {
    const provider = listProviderOf(connection.provider);
    const [first] = pushes;
    const changes = provider[first!.action];
    if (!changes) {
      return pushes.map(() => 'refused');
    }
    const found = changes.findsFirst ? await this.find(connection, provider, first!, stopping) : null;
    return found ? [found] : this.change(connection, changes, pushes, stopping);
  }

  /**
   * The causes that the settings at the provider make effective. Null if the provider has no such settings.
   *
   * @throws {ProviderFailure}
   */
  async effectiveCauses(connection: ProviderConnection, stopping: AbortSignal): Promise<Cause[] | null> {
    const { effect } = listProviderOf(connection.provider);
    if (!effect) {
      return null;
    }
    const request = effect.request(connection, new Date());
    const { body } = await this.request(connection, request, effect.permission, [], stopping);
    const causes = effect.read(body);
    if (!causes) {
      throw UNEXPECTED;
    }
    return causes;
  }

  /** @returns null if the change is to be sent */
  private async find(
    connection: ProviderConnection,
    provider: ListProvider,
    push: TakenPush,
    stopping: AbortSignal,
  ): Promise<SendResult | null> {
    const find = provider.find!;
    const request = find.request(connection, push, new Date());
    const { status, body } = await this.request(connection, request, find.permission, [NO_ENTRY], stopping);
    const item = status === NO_ENTRY ? null : find.read(body);
    if (item === undefined) {
      throw UNEXPECTED;
    }
    if (item === null) {
      return push.action === 'add' ? null : 'done';
    }
    if (push.action === 'remove' && find.isPermanent?.(item)) {
      return 'refused';
    }
    const capability = provider.lists.find(({ list }) => list === push.list)!;
    const entry = toEntry(capability, item, new Date());
    return push.action === 'add'
      ? resultOfAddition(push, entry.listedAt)
      : resultOfRemoval(provider, push, entry.cause, entry.listedAt);
  }

  private async change(
    connection: ProviderConnection,
    changes: ListChanges,
    pushes: readonly TakenPush[],
    stopping: AbortSignal,
  ): Promise<SendResult[]> {
    const request = changes.request(connection, pushes, new Date());
    const { action } = pushes[0]!;
    const isThere = action === 'add' ? CONFLICT : NO_ENTRY;
    const permission = permissionOf(connection, pushes[0]!);
    const { status, body } = await this.request(connection, request, permission, [isThere], stopping);
    if (status === isThere) {
      return pushes.map(() => (action === 'add' ? 'there' : 'done'));
    }
    if (!changes.read) {
      return pushes.map(() => 'done');
    }
    const outcomes = changes.read(body, pushes);
    if (!outcomes) {
      throw UNEXPECTED;
    }
    return outcomes;
  }

  /** @param expected - statuses that are no failures */
  private async request(
    { provider, scope }: ProviderConnection,
    request: ProviderRequest,
    permission: string,
    expected: number[],
    stopping: AbortSignal,
  ): Promise<{ status: number; body: unknown }> {
    const timeout = AbortSignal.timeout(REQUEST_MS);
    const signal = AbortSignal.any([stopping, timeout]);
    try {
      const response = await this.client.request(
        provider,
        listProviderOf(provider).originOf(scope),
        request,
        signal,
      );
      const { status, retryAfterMs } = response;
      const text = await response.text();
      if (!expected.includes(status)) {
        requireSuccess(status, permission, retryAfterMs);
      }
      return { status, body: parse(text) };
    } catch (error) {
      throw timeout.aborted && !stopping.aborted ? TOO_SLOW : error;
    }
  }
}

/** An entry that appeared since the first attempt is the result of an attempt whose response was lost. */
function resultOfAddition({ attempts, attemptedAt }: TakenPush, listedAt: Date | null): SendResult {
  const isOwn =
    attempts > 1 && (listedAt === null || listedAt.getTime() >= attemptedAt.getTime() - SETTLING_MS);
  return isOwn ? 'done' : 'there';
}

/** Without a person's confirmation, only what was decided about is removed: neither another cause nor a later entry. */
function resultOfRemoval(
  provider: ListProvider,
  { list, cause, since, putAt, consent }: TakenPush,
  found: Cause | null,
  listedAt: Date | null,
): SendResult | null {
  if (found !== null && !removable(provider, list, found)) {
    return 'refused';
  }
  if (consent) {
    return null;
  }
  const latest = putAt ? putAt.getTime() + SETTLING_MS : since.getTime() + 1_000;
  return found === cause && (listedAt === null || listedAt.getTime() <= latest) ? null : 'changed';
}

function permissionOf({ provider }: ProviderConnection, { action, list, cause }: TakenPush): string {
  const { additions, removals } = listProviderOf(provider);
  const lines = action === 'add' ? additions.filter((line) => line.cause === cause) : removals;
  const line = lines.find((candidate) => candidate.list === list);
  return line && 'permission' in line ? line.permission : action;
}

/** Responses to changes may be empty, or a text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
